"""Fitted models of titles: whether two report one piece of news, and how alike in meaning."""

from datetime import UTC, datetime, timedelta
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearcopy import (
    Article,
    Evidence,
    Fingerprint,
    Policy,
    compare,
    decide,
    explain,
    fingerprints,
)
from nearcopy.fingerprint.fingerprint_table import RowPairs
from nearcopy.match.compare import compare_pairs
from nearcopy.match.evidence_table import EvidenceTable
from nearcopy.match.same_event_model import (
    MIN_TITLE_SIMILARITY,
    TITLE_WEIGHTS,
    title_event_features,
    title_event_scores,
)
from nearcopy.match.titles.similarity import title_grade

NOON = datetime(2025, 5, 5, 12, tzinfo=UTC)
FERRY = "Harbour council approves new ferry terminal after long debate"
ANY = st.text(max_size=60)
WORDS = """
ferry ferries Harbour council 12 $3m approves rejects Oslo 港 口 x storm
"""
TITLES = st.lists(st.sampled_from(WORDS.split()), max_size=12).map(" ".join)


def made(title: str, hours: float | None = None) -> Fingerprint:
    published = None if hours is None else NOON + timedelta(hours=hours)
    (fingerprint,) = fingerprints(
        [Article(id=f"{title} {hours}", title=title, published=published)]
    )
    return fingerprint


def news(a: str, b: str, hours: float | None = None) -> float:
    score = compare(made(a, None if hours is None else 0), made(b, hours)).title_event_score
    assert score is not None
    return score


def grade(a: str, b: str) -> float:
    score = title_grade(made(a), made(b))
    assert score is not None
    return score


# One piece of news.


def test_signs_and_weights_go_together():
    pair = RowPairs.of([(made(FERRY), made(FERRY))])
    signs = title_event_features(pair, compare_pairs(pair), np.array([0]))
    assert signs.shape == (1, len(TITLE_WEIGHTS))


@pytest.mark.parametrize(
    ("sign", "likelier", "less_likely"),
    [
        (
            "an agreeing fact",
            ("Tarvane buys $40m harbour crane", "Harbour crane: Tarvane pays $40m"),
            ("Tarvane buys harbour crane", "Harbour crane: Tarvane pays"),
        ),
        (
            "as many words alike in longer titles",
            (f"{FERRY} over costs and noise", f"{FERRY} over costs and smoke"),
            ("Council approves ferry terminal noise", "Council approves ferry terminal smoke"),
        ),
        (
            "the same beginning",
            ("Nordell union backs ferry strike plan", "Nordell union backs ferry strike vote"),
            ("Nordell union backs ferry strike plan", "Tarvane guild backs ferry strike plan"),
        ),
        (
            "no stage that only one is at",
            ("Ferry captain on quay collision report", "Ferry captain at quay collision report"),
            (
                "Ferry captain arrested, quay collision report",
                "Ferry captain, quay collision report",
            ),
        ),
    ],
)
def test_signs_of_one_piece_of_news(sign, likelier, less_likely):
    assert news(*likelier) > news(*less_likely), sign


def test_the_longer_apart_the_less_likely_one_piece_of_news():
    likely = [news(FERRY, FERRY + " in May", hours) for hours in (0, 12, 24, 48, 96, 200, 336)]
    assert all(sooner > later for sooner, later in pairwise(likely))


def test_past_two_weeks_days_count_no_more():
    assert news(FERRY, FERRY + " in May", 14 * 24) == news(FERRY, FERRY + " in May", 400 * 24)


def test_titles_with_little_in_common_have_no_likelihood():
    a, b = made(FERRY), made("Bakers of Oslo open a second oven")
    assert compare(a, b).title_event_score is None
    soft = (MIN_TITLE_SIMILARITY - 0.01, None, MIN_TITLE_SIMILARITY)
    evidence = EvidenceTable.of([Evidence(title_soft=similarity) for similarity in soft])
    scores = title_event_scores(RowPairs.of([(a, b)] * 3), evidence)
    assert np.isnan(scores).tolist() == [True, True, False]


def test_the_likelihood_decides_like_titles():
    a, b = made(FERRY, 0), made("New ferry terminal approved by harbour council", 3)
    evidence = compare(a, b)
    assert decide(evidence, Policy()).rule == "like-titles"
    assert not decide(evidence, Policy(title_event_score=0.999)).duplicate
    assert decide(evidence._replace(title_event_score=None), Policy()).rule != "like-titles"


def test_facts_that_clash_win_over_any_likelihood():
    evidence = compare(
        made("Tarvane raises Series A of $10M for harbour cranes", 0),
        made("Tarvane raises Series B of $50M for harbour cranes", 1),
    )
    assert not decide(evidence, Policy(title_event_score=0.0)).duplicate


@given(TITLES, TITLES, st.none() | st.floats(0, 1000))
def test_the_likelihood_is_a_share_in_either_order(a, b, hours):
    first, second = made(a, 0), made(b, hours)
    forward, back = (
        compare(first, second).title_event_score,
        compare(second, first).title_event_score,
    )
    assert forward == back
    assert forward is None or 0 <= forward <= 1


# Alike in meaning.


@pytest.mark.parametrize(
    ("title", "closer", "farther"),
    [
        (FERRY, "Council of the harbour approves a ferry terminal", "Council opens library"),
        ("Shares of Tarvane jump", "Shares of Tarvane climb", "Shares of Tarvane debut"),
        ("Ferries collide near Oslo", "Ferry collides near Oslo", "Trams collide near Oslo"),
        ("Minister Nordell resigns", "Minister Nordel resigns", "Minister Tarvane resigns"),
        ("Port fined $30m for spill", "Port fined $30m for oil spill", "Port fined $9m for spill"),
        ("Oslo bakers strike", "Bakers strike in Oslo", "Bakers strike in Turin"),
    ],
)
def test_titles_closer_in_meaning_have_the_higher_grade(title, closer, farther):
    assert grade(title, closer) > grade(title, farther)


def test_the_same_title_has_the_highest_grade():
    assert grade(FERRY, FERRY.upper()) == 1.0


def test_titles_about_different_things_have_a_low_grade():
    assert grade(FERRY, "Bakers of Oslo open a second oven") < 0.2


def test_a_title_without_words_has_no_grade():
    assert title_grade(made(""), made(FERRY)) is None
    assert title_grade(Fingerprint(id="a", title=" "), made(FERRY)) is not None


@given(TITLES | ANY, TITLES | ANY)
def test_the_grade_is_a_share_in_either_order(a, b):
    first, second = made(a), made(b)
    forward = title_grade(first, second)
    assert forward == title_grade(second, first)
    assert forward is None or 0 <= forward <= 1


@pytest.mark.parametrize("piece", ["ferry ", "港", "\ud800", "a1 ", "x" * 50 + " "])
def test_a_megabyte_of_title_is_graded_in_no_time(piece):
    long, other = piece * (1_000_000 // len(piece)), f"harbour {piece * 20_000}"
    evidence = compare(made(long), made(other))
    assert 0 <= (evidence.title_grade or 0.0) <= 1
    assert 0 <= (evidence.title_event_score or 0.0) <= 1


def test_the_grade_is_measured_where_it_is_asked_for():
    pair = (made(FERRY), made(FERRY + " on Monday"))
    (ungraded,) = compare_pairs(RowPairs.of([pair]), measures=Policy().measures)
    (graded,) = compare_pairs(RowPairs.of([pair]), measures={"grade"})
    assert (ungraded.title_grade, graded.title_event_score) == (None, None)
    assert graded.title_grade == title_grade(*pair)


def test_an_explanation_shows_the_grade():
    a, b = Article(id="a", title=FERRY), Article(id="b", title=FERRY + " on Monday")
    assert explain(a, b).evidence.title_grade == grade(a.title, b.title)
