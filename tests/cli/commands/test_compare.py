"""`nearcopy compare`: two articles, or many pairs, and what they are to each other."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from nearcopy.cli import app

WIRE = str(Path(__file__).parents[3] / "examples" / "wire.jsonl")
FIELDS = [
    *("a", "b", "relation", "confidence", "is_duplicate"),
    *("event_score", "overlap", "rule", "reasons", "flags", "evidence"),
]
QUAY = (
    "The harbour council voted on Tuesday evening to close the old quay after divers found that "
    "the oak piles under its northern end had been eaten away by shipworm over the winter. Boats "
    "that moor there have until the end of the month to find a berth on the other side."
)


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("NEARCOPY_STORE", raising=False)
    return lambda *words, **more: CliRunner().invoke(app, ["compare", *words], **more)


def rows(result):
    assert result.exit_code == 0, result.stderr
    return [json.loads(line) for line in result.stdout.splitlines()]


def lines(*pairs):
    return "".join(json.dumps({"a": a, "b": b}) + "\n" for a, b in pairs)


def test_two_ids_in_a_file_as_json(run):
    (row,) = rows(run("en-12", "en-13", "--in", WIRE, "--json"))
    assert list(row) == FIELDS
    assert (row["a"], row["b"], row["relation"]) == ("en-12", "en-13", "near_text")
    assert row["is_duplicate"]
    assert 0.5 < row["overlap"] < 0.9
    assert row["evidence"]["exact"]


def test_two_ids_in_a_file_as_text(run):
    shown = run("en-24", "en-25", "--in", WIRE).stdout
    assert "distinct, no duplicate" in shown
    assert "the facts clash: Series A / Series B" in shown
    assert "overlap" in shown


def test_two_files_of_one_article_each(run, tmp_path):
    (tmp_path / "one.txt").write_text(f"Old quay to close\n\n{QUAY}\n", encoding="utf-8")
    page = f"<html><title>Old quay to close &amp; soon</title><p>{QUAY}</p></html>"
    (tmp_path / "other.html").write_text(page, encoding="utf-8")
    (tmp_path / "third.json").write_text(json.dumps({"body": QUAY, "headline": "Quay"}), "utf-8")
    (row,) = rows(run("one.txt", "third.json", "--json"))
    assert (row["a"], row["b"], row["relation"]) == ("one.txt", "third.json", "same_text")
    (row,) = rows(run("one.txt", "other.html", "--json"))
    assert row["relation"] in ("same_text", "near_text")


@pytest.mark.parametrize(
    "given", [f"Quay\n{QUAY}", json.dumps({"id": "x", "text": QUAY}), f"<p>{QUAY}</p>"]
)
def test_one_article_can_come_from_stdin(run, tmp_path, given):
    (tmp_path / "one.txt").write_text(f"Quay\n{QUAY}", encoding="utf-8")
    (row,) = rows(run("one.txt", "-", "--json", input=given))
    assert row["relation"] == "same_text"
    assert row["b"] in ("stdin", "x")


def test_two_files_with_one_id_are_two_articles(run, tmp_path):
    for name, text in (("a.json", QUAY), ("b.json", "The price of tea rose at the auction.")):
        (tmp_path / name).write_text(json.dumps({"id": "same", "text": text}), encoding="utf-8")
    (row,) = rows(run("a.json", "b.json", "--json"))
    assert (row["a"], row["b"], row["relation"]) == ("same", "same#2", "distinct")


def test_pairs_come_back_in_order_each_with_ids(run):
    pairs = lines(
        ({"id": "x", "text": QUAY}, {"id": "y", "text": QUAY.upper()}),
        ({"text": QUAY}, {"text": QUAY}),
        ({"id": "x", "title": "The price of tea rises"}, {"id": "y", "title": "Old quay closes"}),
    )
    comparisons = rows(run("--pairs", "-", input=pairs))
    assert [(row["a"], row["b"]) for row in comparisons] == [("x", "y"), ("2a", "2b"), ("x", "y")]
    assert [row["relation"] for row in comparisons] == ["same_text", "same_text", "distinct"]
    assert all(list(row) == FIELDS for row in comparisons)


def test_pairs_are_judged_like_two_articles(run, tmp_path):
    wire = [json.loads(line) for line in Path(WIRE).read_text("utf-8").splitlines()]
    by_id = {row["id"]: row for row in wire}
    pairs = [("en-01", "en-02"), ("en-24", "en-25"), ("zt-01", "zs-02"), ("en-15", "en-16")]
    file = tmp_path / "pairs.jsonl"
    file.write_text(lines(*((by_id[a], by_id[b]) for a, b in pairs)), encoding="utf-8")
    for (a, b), row in zip(pairs, rows(run("--pairs", str(file))), strict=True):
        assert [row] == rows(run(a, b, "--in", WIRE, "--json"))


BROKEN = [
    ("{", "not JSON"),
    ("[1]", "expected an object"),
    ('{"a": {"text": "x"}}', "no article 'b'"),
    ('{"a": {"text": "x"}, "b": {}}', "2b: neither an id nor"),
    ('{"a": {"text": "x"}, "b": {"id": "y", "published": "yesterday"}}', "yesterday"),
]


@pytest.mark.parametrize(("line", "message"), BROKEN)
def test_an_invalid_line_stops_the_run_before_anything_is_written(run, line, message):
    good = lines(({"text": QUAY}, {"text": QUAY}))
    result = run("--pairs", "-", input=good + line + "\n" + good)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert "1 row cannot be read" in result.stderr
    assert ":2: " in result.stderr
    assert message in result.stderr


@pytest.mark.parametrize("name", ["lab.csv", "lab.TSV", "lab.parquet"])
def test_a_table_of_pairs_is_refused_once(run, name):
    Path(name).write_text("a,b,relation\n" + "x,y,same_text\n" * 30, encoding="utf-8")
    result = run("--pairs", name, "--rejected", "bad.jsonl")
    assert result.exit_code == 2
    kind = name.partition(".")[2].upper()
    (line,) = result.stderr.splitlines()
    assert line.startswith(f"error: {name} is {kind}: --pairs takes JSON lines")
    assert "`nearcopy eval --pairs`" in line
    assert not Path("bad.jsonl").exists()


def test_json_lines_are_pairs_whatever_their_name(run):
    Path("pairs.csv").write_text(lines(({"text": QUAY}, {"text": QUAY})), encoding="utf-8")
    assert len(rows(run("--pairs", "pairs.csv"))) == 1


def test_invalid_lines_can_be_set_aside(run, tmp_path):
    good = lines(({"text": QUAY}, {"text": QUAY}))
    result = run(
        "--pairs", "-", "--rejected", "bad.jsonl", input=good + "".join(b + "\n" for b, _ in BROKEN)
    )
    assert len(rows(result)) == 1
    bad = [json.loads(line) for line in (tmp_path / "bad.jsonl").read_text("utf-8").splitlines()]
    assert [row["line"] for row in bad] == [2, 3, 4, 5, 6]
    assert all(row["why"] and row["raw"] for row in bad)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "give two articles"),
        (["one.txt"], "give two articles"),
        (["one.txt", "other.txt"], "no file 'one.txt': give two files, or two ids"),
        (["-", "-"], "stdin holds one article"),
        (["en-1", "en-02", "--in", WIRE], "no article 'en-1' in"),
        (["en-1", "en-02", "--in", WIRE], "did you mean en-"),
        (["en-01", "en-02", "--store", "none.db"], "no store at none.db"),
        (["en-01", "--pairs", "x.jsonl"], "--pairs FILE is used alone"),
        (["--pairs", "nowhere.jsonl"], "nowhere.jsonl"),
        (["en-01", "en-02", "--in", WIRE, "--preset", "fed"], "did you mean feed?"),
    ],
)
def test_usage_errors_exit_with_2_and_say_what_to_do(run, words, message):
    result = run(*words, input="")
    assert result.exit_code == 2
    assert message in " ".join(result.stderr.split())
    assert result.stdout == ""


def test_a_file_that_is_not_utf8_is_named(run, tmp_path):
    (tmp_path / "a.txt").write_bytes(b"Caf\xe9 closes")
    result = run(str(tmp_path / "a.txt"), "-", input="Tea")
    assert result.exit_code == 2
    assert "a.txt is not UTF-8: invalid continuation byte at 3" in " ".join(result.stderr.split())
