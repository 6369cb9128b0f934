"""The floors of `make quality`: the file is whole, and floors that are missed are reported."""

import importlib
import tomllib
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"
pytestmark = pytest.mark.skipif(
    not BENCHMARKS.is_dir(), reason="the benchmarks are not part of this distribution"
)


@pytest.fixture
def floors(monkeypatch):
    """benchmarks/floors.py."""
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    return importlib.import_module("floors")


@pytest.fixture
def lines():
    """The lines of floors.toml."""
    return tomllib.loads((BENCHMARKS / "floors.toml").read_text(encoding="utf-8"))["floor"]


def test_every_line_has_set_digest_measure_bar_and_floor(lines):
    needed = {"set", "digest", "measure", "limit", "bar", "floor"}
    for line in lines:
        assert needed <= set(line) <= needed | {"reason"}
        assert len(line["digest"]) == 32
        assert line["limit"] in (">=", "<=")


def test_a_floor_below_its_bar_has_a_reason(lines):
    for line in lines:
        below = (
            line["floor"] < line["bar"] if line["limit"] == ">=" else line["floor"] > line["bar"]
        )
        assert bool(line.get("reason")) == below, line


def test_no_floor_stands_above_its_bar_or_twice(lines):
    names = [(line["set"], line["measure"]) for line in lines]
    assert len(names) == len(set(names))
    for line in lines:
        ahead = (
            line["floor"] > line["bar"] if line["limit"] == ">=" else line["floor"] < line["bar"]
        )
        assert not ahead, line


@pytest.fixture
def floor(floors):
    """A floor on the repository's own texts."""
    bar = floors.Bar(">=", 0.95)
    return floors.Floor("own texts", floors.digest("own texts"), "found", bar, 0.9, "hard")


@pytest.mark.parametrize(("value", "held", "reached"), [(0.96, True, True), (0.92, True, False),
                                                        (0.89, False, False)])  # fmt: skip
def test_a_measurement_is_held_to_its_floor(floors, floor, value, held, reached):
    (line,) = floors.held([floors.Row("own texts", "found", value)], [floor])
    assert (line.held, line.reached) == (held, reached)


def test_another_corpus_is_held_to_nothing(floors, floor):
    other = floors.replace(floor, digest="0" * 32)
    (line,) = floors.held([floors.Row("own texts", "found", 0.1)], [other])
    assert line.held is None


def test_what_has_no_floor_is_held_to_nothing(floors):
    (line,) = floors.held([floors.Row("own texts", "lost", 0.1)], [])
    assert (line.held, line.reached) == (None, None)


@pytest.mark.parametrize(("value", "expected"), [(0.97, 0.95), (0.93, 0.92), (0.905, 0.9),
                                                 (0.5, 0.9)])  # fmt: skip
def test_floors_are_raised_and_never_lowered(floors, floor, value, expected):
    held = floors.held([floors.Row("own texts", "found", value)], [floor])
    (raised_floor,) = floors.raised(held)
    assert raised_floor.floor == pytest.approx(expected)
    assert bool(raised_floor.reason) == (expected < 0.95)


def test_floors_are_read_as_they_were_written(floors, floor, tmp_path):
    path = tmp_path / "floors.toml"
    path.write_text("# A heading.\n", encoding="utf-8")
    floors.write([floor], path)
    assert floors.read(path) == [floor]
    assert path.read_text(encoding="utf-8").startswith("# A heading.\n\n[[floor]]\n")


def test_block_pages_are_named_by_id_and_digest_alone():
    rows = (BENCHMARKS / "block_pages.csv").read_text(encoding="utf-8").splitlines()
    assert rows[0] == "id,text,kind"
    assert all(len(row.split(",")[1]) == 16 for row in rows[1:])
