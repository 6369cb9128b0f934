"""`nearcopy pairs`: every pair that overlaps enough, exactly."""

import json
from itertools import combinations
from pathlib import Path

import pytest
from typer.testing import CliRunner

from nearcopy import Article, Features, overlap
from nearcopy.cli import app

WIRE = str(Path(__file__).parents[3] / "examples" / "wire.jsonl")


@pytest.fixture
def run():
    return lambda *words, **more: CliRunner().invoke(app, ["pairs", *words], **more)


@pytest.mark.parametrize(("least", "shingle"), [(0.5, None), (0.8, None), (0.3, 5)])
def test_exactly_the_overlapping_pairs_are_found(run, least, shingle):
    words = ["--min-overlap", str(least), *(["--shingle", str(shingle)] if shingle else [])]
    result = run(WIRE, *words, "--words", "folded")
    assert result.exit_code == 0, result.stderr
    pairs = [json.loads(line) for line in result.stdout.splitlines()]
    wire = [json.loads(line) for line in Path(WIRE).read_text("utf-8").splitlines()]
    articles = [
        Article(id=row["id"], text=row["text"], html=row.get("html", False)) for row in wire
    ]
    features = Features("words", shingle) if shingle else None
    expected = {
        frozenset((a.id, b.id)): measures.jaccard
        for a, b in combinations(articles, 2)
        if ((measures := overlap(a, b, features=features)).jaccard or 0) >= least
    }
    assert {frozenset((row["a"], row["b"])): row["overlap"] for row in pairs} == expected
    assert all(list(row) == ["a", "b", "overlap", "containment", "relation"] for row in pairs)


def test_the_relation_is_that_of_compare(run):
    pairs = [json.loads(line) for line in run(WIRE).stdout.splitlines()]
    relations = {frozenset((row["a"], row["b"])): row["relation"] for row in pairs}
    assert relations[frozenset(("en-24", "en-25"))] == "distinct"
    assert relations[frozenset(("en-12", "en-13"))] == "near_text"


@pytest.mark.parametrize("least", ["0", "1.5", "-1", "nan"])
def test_an_invalid_threshold_is_refused(run, least):
    assert run(WIRE, "--min-overlap", least).exit_code == 2
