"""Tables on narrow terminals: words stay whole, and what is left out is named."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console
from typer.testing import CliRunner

from nearcopy.cli import app
from nearcopy.cli.tables import add_row, make_table

HERE = Path(__file__).parents[2] / "examples"
WIRE, LABELS = str(HERE / "wire.jsonl"), str(HERE / "wire_relations.csv")
COMMANDS = [
    (("check", WIRE), "because"),
    (("stories",), "members"),
    (("stories", "en-01"), "title"),
    (("stories", "en-01", "--spread"), "after"),
    (("stats",), "duplicates"),
    (("similar", "en-06"), "score"),
    (("explain", "en-06", "en-08"), "overlap"),
    (("verify",), "detail"),
    (("presets",), "window"),
    (("eval", "--articles", WIRE, "--pairs", LABELS, "--mistakes", "1"), "precision"),
    (("copy-store", "seen.db", "new.db"), "sha256"),
]


@pytest.fixture(scope="module")
def filled(tmp_path_factory):
    folder = tmp_path_factory.mktemp("narrow")
    assert CliRunner().invoke(app, ["add", WIRE, "--store", str(folder / "seen.db")]).exit_code == 0
    return folder


@pytest.mark.parametrize("width", [80, 60])
@pytest.mark.parametrize(("words", "header"), COMMANDS)
def test_commands_print_tables_that_fit(filled, monkeypatch, words, header, width):
    monkeypatch.chdir(filled)
    (filled / "new.db").unlink(missing_ok=True)
    env = {"COLUMNS": str(width), "NEARCOPY_STORE": "seen.db"}
    result = CliRunner().invoke(app, list(words), env=env)
    assert result.exit_code in (0, 1), result.stderr
    assert header in result.stdout
    for line in result.stdout.splitlines():
        assert cell_len(line) <= width
        cells = [cell.strip() for cell in line.split("┃")[1:-1]]
        assert all(len(cell) > 1 or not cell for cell in cells), "a header is broken"


def drawn(made, width: int) -> list[str]:
    console = Console(width=width, color_system=None)
    with console.capture() as captured:
        console.print(made)
    return captured.get().splitlines()


def words_of(lines: list[str]) -> set[str]:
    return {word for line in lines for word in line.split()}


def test_optional_columns_are_left_out_and_named():
    table = make_table(
        "article", "number", "remark", numbers=["number"], optional=["remark", "number"]
    )
    add_row(table, "headline-of-it", 1234567, "extraordinarily")
    assert "no room for: remark" not in drawn(table, 80)
    assert drawn(table, 35)[-1] == "no room for: remark"
    assert " ".join(drawn(table, 20)).endswith("no room for: remark, number")
    assert "headline-of-it" in words_of(drawn(table, 20))


def test_other_columns_are_wrapped_as_a_last_resort():
    table = make_table("article")
    add_row(table, "abcdefghijklmnopqrstuvwxyz")
    assert "│ abcdef │" in drawn(table, 10)


@given(
    st.lists(st.tuples(*[st.text("abc ", max_size=40)] * 3), max_size=4),
    st.integers(30, 100),
)
def test_words_are_not_broken_where_there_is_room(rows, width):
    table = make_table("one", "two", "six", optional=["six"])
    for row in rows:
        add_row(table, *row)
    lines = drawn(table, width)
    assert all(cell_len(line) <= width for line in lines)
    longest = max((len(word) for row in rows for text in row for word in text.split()), default=0)
    if 3 * max(longest, 3) + 10 <= width and longest <= 24:
        assert {word for row in rows for text in row for word in text.split()} <= words_of(lines)
