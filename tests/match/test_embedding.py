"""The measure of meaning: off unless asked for, None where it cannot be taken, never downloaded."""

import logging
import subprocess
import sys
from dataclasses import replace
from importlib.util import find_spec

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearcopy import (
    Article,
    BadPolicy,
    Deduper,
    MissingExtra,
    Policy,
    compare,
    explain,
    fingerprints,
)
from nearcopy.match import embedding
from nearcopy.match.embedding import embedding_cosine, passage, vector

NEEDS_VECTORS = pytest.mark.skipif(
    find_spec("wordllama") is None, reason="the extra embed is not installed"
)
QUAY = Article(id="a", title="Harbour council closes the old quay", text="Boats wait outside.")
DOCK = Article(id="b", title="Port authority shuts the ancient dock", text="Ships queue at sea.")
TEA = Article(id="c", title="Tea prices rise at the morning auction", text="Buyers paid more.")


def test_it_is_off_unless_a_policy_asks_for_it():
    assert not Policy().embed
    assert "embedding" not in Policy().measures
    assert "embedding" in Policy(embed=True).measures
    assert explain(QUAY, DOCK).evidence.embedding_cosine is None
    assert compare(*fingerprints([QUAY, DOCK])).embedding_cosine is None


def test_a_policy_embeds_or_does_not():
    with pytest.raises(BadPolicy, match="embed"):
        Policy(embed=0.5)


@pytest.fixture
def without_the_extra(monkeypatch):
    embedding.model.cache_clear()
    vector.cache_clear()
    yield lambda found: monkeypatch.setattr(embedding, "find_spec", lambda _: found)
    embedding.model.cache_clear()
    vector.cache_clear()


def test_without_the_package_it_says_what_to_install(without_the_extra):
    without_the_extra(None)
    with pytest.raises(MissingExtra, match=r"pip install 'nearcopy\[embed\]'"):
        explain(QUAY, DOCK, policy=Policy(embed=True))


@NEEDS_VECTORS
def test_a_package_without_its_vectors_is_an_error_that_says_so(without_the_extra, tmp_path):
    spec = find_spec("wordllama")
    spec.submodule_search_locations = [str(tmp_path)]
    without_the_extra(spec)
    with pytest.raises(MissingExtra, match="without the vectors"):
        embedding_cosine(QUAY, DOCK)


@NEEDS_VECTORS
def test_other_words_for_one_thing_are_nearer_than_another_thing():
    assert embedding_cosine(QUAY, DOCK) > 2 * embedding_cosine(QUAY, TEA)
    assert embedding_cosine(QUAY, replace(QUAY, id="d")) == 1.0


@NEEDS_VECTORS
def test_figures_hardly_move_it_so_that_it_must_never_decide_alone():
    one = Article(id="a", title="Loomwise raises Series A $10M")
    other = Article(id="b", title="Loomwise raises Series B $50M")
    assert embedding_cosine(one, other) > 0.85
    assert not explain(one, other, policy=Policy(embed=True)).decision.duplicate


@NEEDS_VECTORS
def test_the_evidence_has_it_where_the_policy_embeds_and_nothing_else_changes():
    plain, embedded = (explain(QUAY, DOCK, policy=Policy(embed=flag)) for flag in (False, True))
    assert embedded.evidence.embedding_cosine == embedding_cosine(QUAY, DOCK)
    assert embedded.evidence._replace(embedding_cosine=None) == plain.evidence
    assert embedded.decision == plain.decision


@NEEDS_VECTORS
def test_a_deduper_measures_it():
    with Deduper(policy=Policy(embed=True)) as deduper:
        deduper.add(QUAY)
        verdict = deduper.check(replace(QUAY, id="again"))
    assert verdict.evidence.embedding_cosine == 1.0


@NEEDS_VECTORS
def test_an_article_that_takes_anothers_place_is_embedded_anew():
    before = embedding_cosine(QUAY, DOCK)
    assert embedding_cosine(QUAY, replace(TEA, id=DOCK.id)) != before


@NEEDS_VECTORS
def test_what_has_no_words_has_no_meaning():
    assert embedding_cosine(QUAY, Article(id="e")) is None
    assert embedding_cosine(Article(id="e", text=" \n"), QUAY) is None


def test_only_the_title_and_the_beginning_are_embedded():
    words = " ".join(f"w{n}" for n in range(1000))
    assert passage(Article(id="a", title="Title", text=words)).split() == (
        ["Title", *words.split()[:200]]
    )
    assert len(passage(Article(id="a", title="t" * 10**6, text="x" * 10**6))) <= 3001
    assert passage(Article(id="a", text="<p>One<br>two</p>", html=True)) == "One two"


@NEEDS_VECTORS
@given(st.text(max_size=300), st.text(max_size=300))
def test_it_is_a_share_the_same_both_ways(one, other):
    a, b = Article(id="a", text=one), Article(id="b", title=other)
    cosine = embedding_cosine(a, b)
    assert cosine == embedding_cosine(b, a)
    assert cosine is None or 0 <= cosine <= 1


@NEEDS_VECTORS
@pytest.mark.parametrize("text", ["\ud800", "a\0b", "\ufffe" * 50, "港口" * 900])
def test_no_text_breaks_it(text):
    assert embedding_cosine(Article(id="a", text=text), QUAY) is not None


OFFLINE = """
import logging, socket
def refuse(*_, **__): raise OSError("the network is off")
socket.socket.connect = socket.create_connection = socket.getaddrinfo = refuse
from nearcopy.match.embedding import vector
assert vector("the old quay").shape == (256,)
assert not logging.getLogger().handlers
import sys
assert "wordllama" not in sys.modules and "requests" not in sys.modules
"""


@NEEDS_VECTORS
def test_it_works_without_a_network_and_leaves_logging_alone():
    subprocess.run([sys.executable, "-c", OFFLINE], check=True, timeout=60)


@NEEDS_VECTORS
def test_the_vectors_are_those_of_the_package():
    import numpy as np

    handlers, level = list(logging.getLogger().handlers), logging.getLogger().level
    try:
        from wordllama import WordLlama
    finally:
        logging.getLogger().handlers[:] = handlers
        logging.getLogger().setLevel(level)
    folder = find_spec("wordllama").submodule_search_locations[0]
    model = WordLlama.load(cache_dir=folder, disable_download=True)
    text = passage(QUAY)
    np.testing.assert_allclose(vector(text), model.embed(text, norm=True)[0], atol=1e-6)
