"""Rules in columns: the same kept copy as `kept_copy`, the same relations as `decide`."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from nearcopy import Policy
from nearcopy.batch.column_rules import RELATIONS, Ranking, TextMeasures, relations
from nearcopy.cluster.kept_copy import rank_copies
from nearcopy.config.units import NO_TIME, from_micros
from nearcopy.match.decide import decide
from nearcopy.models import Evidence, Fingerprint

TIMES = st.sampled_from([NO_TIME, 1, 2, 3])


@given(
    st.lists(
        st.tuples(TIMES, TIMES, st.integers(1, 3)),
        min_size=1,
        max_size=6,
    ),
    st.sampled_from([("earliest",), ("latest",), ("longest", "earliest"), ("longest",)]),
)
def test_the_best_row_is_the_kept_copy(rows, keep):
    names = {row: f"n{-row % 7}" for row in range(len(rows))}
    columns = [np.array(column) for column in zip(*rows, strict=True)]
    ranking = Ranking(*columns, lambda some: {row: names[row] for row in some})
    every = np.arange(len(rows))
    (kept,) = ranking.best(np.zeros(len(rows), np.int64), every, keep)
    copies = [
        Fingerprint(
            id=names[row],
            words=words,
            published=None if out == NO_TIME else from_micros(out),
            seen=None if at == NO_TIME else from_micros(at),
        )
        for row, (out, at, words) in enumerate(rows)
    ]
    if all(out != NO_TIME or at != NO_TIME for out, at, _ in rows):  # else by row
        first = rank_copies(copies, Policy(keep=keep))[0].copy
        assert names[int(kept)] == first.id


@given(
    same=st.booleans(),
    words=st.integers(0, 80),
    overlap=st.floats(0, 1),
    held=st.floats(0, 1),
    hamming=st.integers(0, 32),
    policy=st.builds(
        Policy,
        compares=st.just("text"),
        min_words=st.sampled_from([0, 50]),
        near_overlap=st.sampled_from([None, 0.5]),
        max_hamming=st.sampled_from([None, 3]),
        containment=st.sampled_from([None, 0.8]),
        related_overlap=st.sampled_from([None, 0.1]),
        related_max_hamming=st.sampled_from([None, 14]),
    ),
)
def test_relations_of_columns_equal_those_of_decide(same, words, overlap, held, hamming, policy):
    column = TextMeasures(*(np.array([value]) for value in (same, words, overlap, held, hamming)))
    evidence = Evidence(
        same_text=same,
        words=words,
        overlap=overlap,
        containment=held,
        distance=hamming,
        exact=True,
        same_url=True,
        block_page="a wall",
        profile=0.9,
        event_score=0.9,
    )
    (code,) = relations(column, policy)
    assert RELATIONS[code] is decide(evidence, policy).relation
