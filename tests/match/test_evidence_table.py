"""Evidence in columns: the same as in rows, however it is taken apart and joined."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearcopy import Evidence
from nearcopy.match.evidence_table import EvidenceTable
from nearcopy.models import Fact

FACTS = ((Fact("count", "3"), Fact("count", "4")),)
SHARES = st.none() | st.floats(0, 1)
ANSWERS = st.none() | st.booleans()
COUNTS = st.integers(0, 10**6)
WORDS = st.none() | st.sampled_from(["storm", "stage a / stage b"])
EVIDENCE = st.fixed_dictionaries(
    {
        **dict.fromkeys(("same_url", "same_declared_url", "same_text", "same_source"), ANSWERS),
        **dict.fromkeys(("words", "title_chars", "title_words"), COUNTS),
        **dict.fromkeys(("distance", "numerals_changed"), st.none() | COUNTS),
        **dict.fromkeys(("title_swap", "contrast", "column", "block_page"), WORDS),
        **dict.fromkeys(("agreements", "clashes", "moved"), st.sampled_from([(), FACTS])),
        **dict.fromkeys(("overlap", "containment", "title_soft", "event_score"), SHARES),
    }
).map(lambda fields: Evidence(**fields))


@given(st.lists(EVIDENCE, max_size=5))
def test_columns_hold_what_rows_hold(rows):
    table = EvidenceTable.of(rows)
    assert list(table) == rows
    assert table[1:3] == rows[1:3]
    assert [table[place] for place in range(-len(rows), 0)] == rows


@given(st.lists(EVIDENCE, max_size=6), st.data())
def test_parts_are_taken_and_joined(rows, data):
    places = data.draw(
        st.lists(st.sampled_from(range(len(rows))), unique=True) if rows else st.just([])
    )
    taken = EvidenceTable.of(rows).take(np.array(places, np.int64))
    assert list(taken) == [rows[place] for place in places]
    joined = EvidenceTable.join([taken, EvidenceTable(1, {}, {}), EvidenceTable.of(rows)])
    assert list(joined) == [*taken, Evidence(), *rows]


def test_a_column_that_was_not_measured_is_unknown():
    table = EvidenceTable(2, {}, {})
    assert np.isnan(table.overlap).all()
    assert not table.clashes.any()
    assert list(table) == [Evidence(), Evidence()]
    with pytest.raises(AttributeError):
        _ = table.overlaps
