"""A corpus and its output, shared by the tests of the local pipeline."""

from pathlib import Path

import pytest
from tests.support.corpora import ARTICLES, lines

from nearcopy import POLICIES, RECIPES
from nearcopy.batch.local import (
    CorpusJob,
    deduplicate,
)


@pytest.fixture(scope="module")
def wire(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("corpus") / "wire.jsonl"
    path.write_text("".join(lines(ARTICLES)), encoding="utf-8")
    return path


@pytest.fixture(scope="module", params=["copies", "default"])
def settings(request) -> dict:
    """Texts alone in columns, or whole articles."""
    return {"recipe": RECIPES[request.param], "policy": POLICIES[request.param]}


@pytest.fixture(scope="module")
def annotated(wire, settings, tmp_path_factory) -> bytes:
    """What is written of the wire in one go."""
    out = tmp_path_factory.mktemp("annotated") / "out"
    deduplicate(CorpusJob(wire, out, **settings))
    return (out / "wire.jsonl").read_bytes()


@pytest.fixture
def small(wire, tmp_path, settings):
    """The wire in many parts, judged in small blocks."""
    return CorpusJob(wire, tmp_path / "out", unit_bytes=20_000, **settings)


class Stop(Exception):
    """The work is stopped here."""
