"""The local pipeline: the same answers as a Deduper, whatever the memory limit."""

import json
import time
from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest
from tests.support.corpora import ARTICLES, COUNT, PRESETS, read

from nearcopy import POLICIES, RECIPES, Deduper
from nearcopy.batch.corpus_settings import Settings
from nearcopy.batch.local import (
    CorpusJob,
    compare,
    deduplicate,
    estimate,
)
from nearcopy.batch.local.article_clusters import read_article_edges
from nearcopy.kernels import words


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.usefixtures("unlimited_candidates")
def test_a_corpus_gets_the_verdicts_of_a_deduper(wire, tmp_path, preset):
    recipe, policy = RECIPES[preset], POLICIES[preset]
    ids = [article.id for article in ARTICLES]
    with Deduper(recipe=recipe, policy=policy) as deduper:
        arrived = list(deduper.run(ARTICLES, cluster=False))
        deduper.recluster()
        verdicts = list(deduper.verdicts(ids))
    deduplicate(CorpusJob(wire, tmp_path / "out", recipe=recipe, policy=policy))
    rows = read(tmp_path / "out" / "wire.jsonl")
    assert not any("candidate_limit" in verdict.flags for verdict in arrived)
    assert [row["id"] for row in rows] == ids
    assert [(row["duplicate_of"], row["story_id"]) for row in rows] == [
        (verdict.duplicate_of, verdict.story_id) for verdict in verdicts
    ]
    copies = [verdict for verdict in verdicts if verdict.is_duplicate]
    assert copies
    assert [row["relation"] for row in rows if row["is_duplicate"]] == [
        verdict.relation for verdict in copies
    ]


@pytest.mark.usefixtures("unlimited_candidates")
def test_the_edges_are_those_of_a_deduper(wire, tmp_path):
    recipe, policy = RECIPES["default"], POLICIES["default"]
    job = CorpusJob(wire, tmp_path / "out", recipe=recipe, policy=policy)
    deduplicate(job, keep_work=True)
    columns = read_article_edges(job)
    decoded = columns.decode(job, np.arange(len(columns.later))).values()
    edges = {frozenset(edge[:2]): edge[2:5] for edge in decoded}
    with Deduper(recipe=recipe, policy=policy) as deduper:
        list(deduper.run(ARTICLES, cluster=False))
        kept = deduper._store.edges([article.id for article in ARTICLES])
    assert edges == {frozenset(edge[:2]): edge[2:5] for edge in kept}


@pytest.mark.parametrize("settings", ["copies"], indirect=True)
def test_the_overlap_is_exact(annotated):
    """Counted once more with sets of words, without any hash."""

    def runs(text: str) -> set[tuple[str, ...]]:
        text_words = words(text)
        return {tuple(text_words[at : at + 5]) for at in range(max(1, len(text_words) - 4))}

    rows = {row["id"]: row for row in map(json.loads, annotated.splitlines())}
    near = [row for row in rows.values() if row["is_duplicate"] and row["rule"] == "near-text"]
    assert near
    for row in near:
        copy_runs, original_runs = runs(row["text"]), runs(rows[row["duplicate_of"]]["text"])
        share = len(copy_runs & original_runs) / len(copy_runs | original_runs)
        assert share >= 0.5
        assert row["overlap"] == pytest.approx(share, abs=1e-4)


@pytest.mark.parametrize("settings", ["copies"], indirect=True)
def test_texts_alone_get_the_same_relations_with_and_without_columns(
    wire, tmp_path, annotated, settings, monkeypatch
):
    monkeypatch.setattr("nearcopy.batch.corpus_settings.COLUMN_KEEP_RULES", frozenset())
    assert not Settings(recipe=RECIPES["copies"], policy=POLICIES["copies"]).by_text
    deduplicate(CorpusJob(wire, tmp_path / "out", **settings))
    assert (tmp_path / "out" / "wire.jsonl").read_bytes() == annotated


@pytest.mark.parametrize(
    "change", [{"window": timedelta(days=2)}, {"sources": "across"}, {"sources": "within"}]
)
def test_window_and_sources_hold_in_columns_too(wire, tmp_path, change):
    policy = replace(POLICIES["copies"], **change)
    ids = [article.id for article in ARTICLES]
    with Deduper(recipe=RECIPES["copies"], policy=policy) as deduper:
        list(deduper.run(ARTICLES, cluster=False))
        deduper.recluster()
        original_ids = [verdict.duplicate_of for verdict in deduper.verdicts(ids)]
    deduplicate(CorpusJob(wire, tmp_path / "out", recipe=RECIPES["copies"], policy=policy))
    rows = read(tmp_path / "out" / "wire.jsonl")
    assert [row["duplicate_of"] for row in rows] == original_ids
    assert len(set(original_ids)) > 5


def test_a_template_with_thousands_of_copies_is_fast(tmp_path):
    """Each differs from all others; every two of them would be a million pairs."""
    base = [f"word{place}" for place in range(120)]
    rows = []
    for number in range(1500):
        words = [*base]
        words[number % 120] = f"own{number}"
        rows.append(json.dumps({"id": f"{number:05d}", "text": " ".join(words)}) + "\n")
    (tmp_path / "in.jsonl").write_text("".join(rows))
    started = time.process_time()
    copies = {"recipe": RECIPES["copies"], "policy": POLICIES["copies"]}
    summary = deduplicate(CorpusJob(tmp_path / "in.jsonl", tmp_path / "out", **copies))
    assert time.process_time() - started < 30
    assert summary.kept == 1
    assert summary.oversized_keys.skipped_pairs > 0


def test_unit_size_and_memory_limit_do_not_change_the_output(small, annotated, monkeypatch):
    monkeypatch.setattr(compare, "TEXTS_PER_BATCH", 7)
    monkeypatch.setattr(CorpusJob, "memory_per_process", property(lambda _: 4096))
    deduplicate(small)
    assert (small.paths.output / "wire.jsonl").read_bytes() == annotated


def test_an_estimate_is_for_all_rows(wire, tmp_path):
    forecast = estimate(CorpusJob(wire, tmp_path / "out"))
    assert forecast.rows == forecast.sampled == COUNT
    assert forecast.disk > forecast.output > 0
    assert forecast.seconds > 0
    assert 0 < forecast.duplicates < 1
    assert not list(tmp_path.iterdir())
