"""What the tests of batch jobs share."""

import pytest
from tests.support.corpora import COUNT

from nearcopy.match import candidate_index


@pytest.fixture
def unlimited_candidates(monkeypatch):
    """All that share a key are looked at, however many they are."""
    monkeypatch.setattr(candidate_index, "MAX_PAIRS", COUNT * COUNT)
