"""The candidate index answers the same, whether its articles were added or attached as runs."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.examples import examples

from nearcopy import Article, Recipe
from nearcopy.fingerprint.blocking_keys import Keys
from nearcopy.fingerprint.fingerprint import fingerprints
from nearcopy.match import candidate_index
from nearcopy.match.candidate_index import CandidateIndex, IndexedArticle
from nearcopy.models import Fingerprint

HOUR = 3_600_000_000
(PRINT,) = fingerprints([Article(id="a", text="one two three")], Recipe())
# A few keys of each kind: strong ones are even, those of titles end in 01, those of terms in 11.
keys = st.lists(st.integers(0, 40), min_size=1, max_size=12, unique=True)
times = st.one_of(st.none(), st.integers(0, 200))
articles = st.lists(st.tuples(keys, times, times), max_size=40)


def pack(chosen: Sequence[int]) -> Keys:
    return np.array(sorted(chosen), np.uint64)


def entry(number: int, chosen: Sequence[int], published: int | None, seen: int | None):
    moments = (None if hours is None else hours * HOUR for hours in (published, seen))
    return IndexedArticle(number, *moments, pack(chosen).tobytes())


def probe(chosen: Sequence[int], hours: int) -> tuple[Fingerprint, Keys]:
    moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(hours=hours)
    return replace(PRINT, published=moment, seen=moment), pack(chosen)


@given(
    rows=articles,
    cuts=st.tuples(st.integers(0, 40), st.integers(0, 40)),
    removed=st.sets(st.integers(0, 40), max_size=8),
    asked=st.lists(st.tuples(keys, st.integers(0, 200)), min_size=1, max_size=5),
    limit=st.sampled_from([None, 1, 3]),
    terms=st.sampled_from([1, 4, 500]),
)
@examples(150)
def test_runs_and_added_articles_answer_as_one_index(rows, cuts, removed, asked, limit, terms):
    entries = [entry(number, *row) for number, row in enumerate(rows)]
    first, second = sorted(cuts)
    whole, parts = CandidateIndex(), CandidateIndex()
    whole.add(entries)
    for part in (entries[:first], entries[first:second]):
        source = CandidateIndex()
        source.add([*part, *entries[:2]])
        parts.attach(source.export(np.arange(len(source)) < len(part)))
    parts.add(entries[second:])
    for index in (whole, parts):
        index.remove(removed)
    probes = [probe(*question) for question in asked]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(candidate_index, "max_term_articles", lambda _: terms)
        answers = [
            index.find(probes, timedelta(hours=50), limit, lambda numbers: numbers)
            for index in (whole, parts)
        ]
    assert answers[0] == answers[1]
    np.testing.assert_array_equal(whole.partitions(), parts.partitions())


def test_candidates_that_tie_are_the_first_added_in_whatever_order_they_were_loaded():
    entries = [entry(number, [2], 0, 0) for number in range(6)]
    index = CandidateIndex()
    index.add(entries[3:])
    index.add(entries[:3])
    ask = [probe([2], 0)]
    assert index.find(ask, None, None, lambda numbers: numbers) == [([0, 1, 2, 3, 4, 5], 0)]
    assert index.find(ask, None, 4, lambda numbers: numbers) == [([0, 1, 2, 3], 2)]
