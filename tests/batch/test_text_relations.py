"""Relations in columns: the same as `decide` for texts alone."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from nearcopy import Policy
from nearcopy.batch.text_relations import RELATIONS, TextMeasures, relations
from nearcopy.match.decide import decide
from nearcopy.models import Evidence


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
    column = TextMeasures(*(np.array([each]) for each in (same, words, overlap, held, hamming)))
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
