"""`nearcopy search-results`: a ranked list in, the same without its duplicates out."""

import json

import pytest
from typer.testing import CliRunner

from nearcopy.cli import app

QUAY = (
    "The harbour council voted on Tuesday evening to close the old quay after divers found that "
    "the oak piles under its northern end had been eaten away by shipworm over the winter. Boats "
    "that moor there have until the end of the month to find a berth on the other side."
)
RESULTS = [
    {"_id": 7, "_score": 9.1, "headline": "Old quay to close", "body": QUAY},
    {"_id": 8, "_score": 8.0, "headline": "Tea", "body": "The price of tea rose at the auction."},
    {"_id": 9, "_score": 7.5, "headline": "Quay shut", "body": QUAY.upper()},
]


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return lambda *words, **more: CliRunner().invoke(app, ["search-results", *words], **more)


def rows(text):
    return [json.loads(line) for line in text.splitlines()]


AS_LINES = "".join(json.dumps(row) + "\n" for row in RESULTS)


def test_an_unknown_file_suffix_is_refused(run):
    result = run("-", "--removed", "gone.xlsx", input=AS_LINES)
    assert result.exit_code == 2
    assert ".xlsx is not an output format" in result.stderr


@pytest.mark.parametrize("given", [json.dumps(RESULTS), json.dumps(RESULTS, indent=2), AS_LINES])
def test_kept_results_keep_their_order_and_list_their_duplicates(run, given):
    result = run("-", input=given)
    assert result.exit_code == 0
    kept = rows(result.stdout)
    assert [(row["_id"], row["duplicates"]) for row in kept] == [(7, ["9"]), (8, [])]
    assert all(row["_score"] for row in kept)
    assert "3 results: 2 kept, 1 duplicate" in result.stderr


def test_removed_results_can_be_written(run, tmp_path):
    assert run("-", "--removed", "gone.jsonl", input=AS_LINES).exit_code == 0
    (removed,) = rows((tmp_path / "gone.jsonl").read_text(encoding="utf-8"))
    assert (removed["_id"], removed["duplicate_of"], removed["relation"]) == (9, "7", "same_text")
    assert removed["reasons"]


def test_all_results_can_be_written_with_marks(run):
    marked = rows(run("-", "--mark", input=AS_LINES).stdout)
    assert [(row["_id"], row["duplicate_of"]) for row in marked] == [(7, None), (8, None), (9, "7")]
    assert marked[2]["rule"] == "identical-text"


def test_results_without_id_or_with_the_same_id_are_numbered(run):
    results = [{"id": "a", "text": QUAY}, {"id": "a", "text": QUAY}, {"text": QUAY}]
    first, second, third = rows(run("-", "--mark", input=json.dumps(results)).stdout)
    assert (first["id"], second["id"]) == ("a", "a#2")
    assert first["duplicates"] == ["a#2", third["id"]]


def test_an_empty_list_stays_empty(run):
    assert run("-", input="[]").stdout == ""


def test_a_result_that_cannot_be_read_is_named(run):
    result = run("-", input='{"id": "a", "text": "b"}\n{"id": "c", "date": "whenever"}\n')
    assert result.exit_code == 2
    assert ":2: " in result.stderr
    assert result.stdout == ""


def test_fields_of_the_same_name_are_replaced(run):
    results = json.dumps([{"id": "a", "text": QUAY, "duplicates": "x", "duplicate_of": "y"}])
    (row,) = rows(run("-", "--mark", input=results).stdout)
    assert (row["duplicates"], row["duplicate_of"]) == ([], None)
