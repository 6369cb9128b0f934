"""Copies made by script of the repository's own texts are found, as often as the bars ask."""

import importlib
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"
pytestmark = pytest.mark.skipif(
    not BENCHMARKS.is_dir(), reason="the benchmarks are not part of this distribution"
)


@pytest.fixture
def edits(monkeypatch):
    """benchmarks/edits.py."""
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    return importlib.import_module("edits")


@pytest.fixture
def known(edits):
    """All the texts."""
    return edits.texts()


def share(lines):
    return sum(line.found for line in lines) / len(lines)


def test_the_texts_are_the_same_every_time_and_no_two_alike(edits, known):
    edits.texts.cache_clear()
    assert edits.texts() == known
    assert len({text.text for text in known}) == len(known) >= 200
    assert all(edits.length(text.text) >= edits.SHORTEST for text in known)


@pytest.mark.parametrize(
    "name",
    ["5 % of the words edited", "2 % of the characters misread", "in the other Chinese script"],
)
def test_a_copy_is_found_among_the_others(edits, known, name):
    assert share(edits.found(name, known)) >= edits.EDITS[name][1]


def test_an_excerpt_is_judged_a_copy(edits, known):
    name = "an excerpt of one third"
    assert share(edits.judged_copies(name, known)) >= edits.EDITS[name][1]


def test_a_copy_with_a_third_of_its_words_edited_is_judged_one_where_words_are_spaced(edits, known):
    spaced = [text for text in known if not text.language.startswith("zh")]
    name = "30 % of the words edited"
    assert share(edits.judged_copies(name, spaced)) >= edits.EDITS[name][1]


def test_texts_that_are_no_copies_of_each_other_are_not_merged(edits, known):
    with edits.Deduper() as deduper:
        articles = [edits.Article(id=str(n), text=text.text) for n, text in enumerate(known)]
        assert not any(verdict.is_duplicate for verdict in deduper.run(articles))


def test_edits_leave_the_figures_alone(edits, known):
    for name in ("5 % of the words edited", "30 % of the words edited"):
        for place, copy in edits.copies(name, known):
            figures = [u for u in edits.units(known[place].text) if u[:1].isdigit()]
            kept = [u for u in edits.units(copy.text) if u[:1].isdigit()]
            assert sorted(figures) == sorted(kept)


def test_a_script_there_and_back_is_the_text_again(edits):
    text = "環湖線通車"
    assert edits.traditional(edits.simplified(text)) == text
