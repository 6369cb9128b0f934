"""The same news in other words: what speaks for it, and how sure it is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearcopy import Article, fingerprints
from nearcopy.fingerprint.fingerprint_table import RowPairs
from nearcopy.match.compare import compare, compare_pairs
from nearcopy.match.evidence_table import EvidenceTable
from nearcopy.match.same_event_model import event_confidence, event_features, event_scores
from nearcopy.models import Evidence

SHARE = st.none() | st.floats(0, 1)
BASE = Evidence(
    words=300, profile=0.6, title_coverage=0.7, term_coverage_max=0.6, term_coverage_min=0.5,
    same_source=False, hours_apart=2.0,
)  # fmt: skip


def news(evidence: Evidence) -> float | None:
    (score,) = event_scores(EvidenceTable.of([evidence])).tolist()
    return None if score != score else score


@pytest.mark.parametrize(
    "worse",
    [
        {"same_source": True},
        {"hours_apart": 24.0 * 60},
        {"profile": 0.3},
        {"term_coverage_min": 0.2},
        {"term_coverage_max": 0.5},
        {"title_coverage": 0.2},
    ],
)
def test_what_speaks_against_the_same_news(worse):
    assert news(BASE) > 0.6
    assert news(BASE._replace(**worse)) < news(BASE)


@given(
    st.builds(
        Evidence, profile=SHARE, title_coverage=SHARE,
        term_coverage_max=SHARE, term_coverage_min=SHARE,
        numerals_shared=SHARE, hours_apart=st.none() | st.floats(0, 1e9),
        words=st.integers(0, 10**9), same_source=st.none() | st.booleans(),
    )
)  # fmt: skip
def test_it_is_a_share_wherever_profiles_were_compared(evidence):
    likely = news(evidence)
    assert (likely is None) == (evidence.profile is None)
    assert likely is None or 0 <= likely <= 1
    assert event_features(EvidenceTable.of([evidence])).shape == (1, 15)


@given(st.floats(0, 1), st.floats(0, 1))
def test_the_likelier_the_surer(a, b):
    low, high = sorted((a, b))
    assert 0 <= event_confidence(low) <= event_confidence(high) <= 1


def test_reports_in_other_words_are_likelier_than_other_news():
    report = (
        "Divers have raised the trawler Vattenholm, which sank off Skagerrund in a storm last week "
        "with a load of herring. The harbour master said that nobody was hurt and that the wreck "
        "would be towed to the yard at Norrbacken, where the cause of the leak is looked into."
    )
    retold = (
        "The Vattenholm is afloat again: a week after the trawler went down in heavy seas near "
        "Skagerrund, salvage divers lifted her on Monday. She goes to Norrbacken for repairs, "
        "said the harbour master; the crew had been saved unhurt, the herring was lost."
    )
    other = (
        "The council of Norrbacken has voted to rebuild the old library. Work begins in spring and "
        "takes two years, the mayor said, and costs four million. Until then the books are lent "
        "out from the town hall, where readers find a smaller room on the second floor."
    )
    prints = list(
        fingerprints(
            Article(id=str(n), text=text) for n, text in enumerate((report, retold, other))
        )
    )
    same, different = compare_pairs(RowPairs.of([(prints[0], prints[1]), (prints[0], prints[2])]))
    assert same.event_score > 0.5 > 0.25 > different.event_score
    assert compare(prints[1], prints[0]).event_score == same.event_score


def test_pairs_of_nothing_have_no_likelihood():
    assert event_scores(EvidenceTable.of([])).tolist() == []
