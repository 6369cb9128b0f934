"""A corpus and its output, shared by the tests of the local pipeline."""

from pathlib import Path

import pytest
from tests.support.corpora import ARTICLES, COUNT, lines

from nearcopy.batch.local import (
    CorpusJob,
    deduplicate,
)
from nearcopy.match import candidate_index


@pytest.fixture(scope="module")
def wire(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("corpus") / "wire.jsonl"
    path.write_text("".join(lines(ARTICLES)), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def annotated(wire) -> bytes:
    """What is written of the wire in one go."""
    out = wire.parent / "annotated"
    deduplicate(CorpusJob(wire, out))
    return (out / "wire.jsonl").read_bytes()


@pytest.fixture
def unlimited_candidates(monkeypatch):
    """All that share a key are looked at, however many they are."""
    monkeypatch.setattr(candidate_index, "MAX_PAIRS", COUNT * COUNT)


@pytest.fixture
def small(wire, tmp_path):
    """The wire in many parts, judged in small blocks."""
    return CorpusJob(wire, tmp_path / "out", unit_bytes=20_000)


class Stop(Exception):
    """The work is stopped here."""
