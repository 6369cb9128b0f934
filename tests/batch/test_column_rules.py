"""Rules in columns: the same kept copy as `kept_copy`."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from nearcopy import Policy
from nearcopy.batch.column_rules import Ranking
from nearcopy.cluster.kept_copy import rank_copies
from nearcopy.config.units import NO_TIME, from_micros
from nearcopy.models import Fingerprint

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
    first = rank_copies(copies, Policy(keep=keep))[0].copy
    assert names[int(kept)] == first.id
