"""What the fuzz targets say holds of their seeds, of what was found, and of some of both mixed."""

import importlib.util
import random
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FOUND = ROOT / "tests" / "fuzz_findings"
FUZZ = ROOT / "fuzz"
# Changed inputs for each target, as many as take half a second; `make fuzz` has more.
CHANGED = {
    "addresses": 4000,
    "facts": 900,
    "headlines": 3000,
    "pages": 110,
    "feeds": 320,
    "rows": 150,
    "requests": 250,
}
NAMES = tuple(CHANGED)
# What mutations put in: ends of things, odd characters, numbers at their bounds.
PIECES = [
    *(b"\0", b"\n", b"\r\n", b"\xff", b"\xed\xa0\x80", b"\xef\xbb\xbf", b"\xe2\x80\xae", b" "),
    *(b"[", b"]", b"{", b"}", b'"', b"'", b"<", b">", b"&", b"%", b"%00", b"\\", b"#", b"?", b"/"),
    *(b"0", b"-1", b"1e999", b"9" * 20, b"null", b"<![CDATA[", b"<!--", b"&#0;", b"\xcc\x81" * 3),
]


@pytest.fixture(scope="module")
def targets():
    """fuzz/targets.py."""
    if not FUZZ.exists():
        pytest.skip("the fuzz targets are not part of this distribution")
    pytest.importorskip("fastapi")
    pytest.importorskip("feedparser")
    spec = importlib.util.spec_from_file_location("fuzz_targets", FUZZ / "targets.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    yield module
    module.begin_anew()


def inputs(name: str) -> list[Path]:
    """The seeds of a target, and what was found by it."""
    return [*sorted((FUZZ / "seeds" / name).glob("*")), *sorted(FOUND.glob(f"{name}-*"))]


def changed(data: bytes, other: bytes, dice: random.Random) -> bytes:
    """The bytes with a part left out, doubled, moved, replaced, or taken from another input."""
    for _ in range(dice.randint(1, 4)):
        start, end = sorted(dice.randrange(len(data) + 1) for _ in range(2))
        at = dice.randrange(len(other) + 1)
        piece = dice.choice([b"", data[start:end] * 2, dice.choice(PIECES), other[at : at + 40]])
        end = dice.choice([start, end, min(start + 4, len(data))])
        data = (data[:start] + piece + data[end:])[:5000]
    return data


def test_every_target_has_seeds(targets):
    assert tuple(targets.TARGETS) == NAMES
    assert all(len(inputs(name)) > 9 for name in NAMES)


@pytest.mark.parametrize(
    ("name", "path"),
    [(name, path) for name in NAMES for path in inputs(name)],
    ids=lambda each: each if isinstance(each, str) else each.name,
)
def test_it_holds_of_seeds_and_findings(targets, name, path):
    targets.TARGETS[name](path.read_bytes())


@pytest.mark.parametrize("name", NAMES)
def test_it_holds_of_changed_ones(targets, name):
    dice = random.Random(name)
    seeds = [path.read_bytes() for path in inputs(name)]
    for _ in range(CHANGED[name]):
        data = changed(dice.choice(seeds), dice.choice(seeds), dice)
        try:
            targets.TARGETS[name](data)
        except BaseException as wrong:
            wrong.add_note(f"keep this as tests/fuzz_findings/{name}-...: {data!r}")
            raise


def seconds(target, data: bytes) -> float:
    start = time.thread_time()
    target(data)
    return time.thread_time() - start


@pytest.mark.parametrize("name", ["addresses", "facts", "headlines", "pages", "feeds", "rows"])
def test_an_input_over_and_over_takes_no_longer_than_its_length(targets, name):
    """Quadratic work takes sixteen times as long for four times the input."""
    target = targets.TARGETS[name]
    for path in inputs(name):
        head, _, line = path.read_bytes().rpartition(b"\n")
        payloads = [head + b"\n" + line * (times * 2000 // (len(line) + 1) + 1) for times in (1, 4)]
        few, many = (seconds(target, payload) for payload in payloads)
        if many > 8 * few + 0.05:  # once more, as others may have been at work
            few, many = (min(seconds(target, payload) for _ in range(3)) for payload in payloads)
        assert many <= 8 * few + 0.05, path.name
