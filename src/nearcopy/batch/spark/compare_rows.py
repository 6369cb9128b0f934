"""Judging: what rows are to each other that share keys, with their texts joined to them."""

import json
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812

from nearcopy.batch.local.compare_rows import judge_candidates
from nearcopy.batch.local.job import Settings
from nearcopy.batch.local.text_relations import (
    measure_pairs,
    near_in_time,
    overlap_shares,
    relations,
    sources_differ,
)
from nearcopy.batch.spark.row_reader import PACKED, Batches, fingerprints_in
from nearcopy.match.judge_pairs import Judgement, comparable
from nearcopy.models.model import Article, Decision, Edge, Fingerprint, Relation

TEXT_EDGE_SCHEMA = (
    "later long, earlier long, relation int, overlap double, containment double, equal_bits int"
)
ARTICLE_EDGE_SCHEMA = (
    "later long, earlier long, link boolean, decision string, news double, copy double"
)
TEXT_COLUMNS = ("text", "html", "words", "digest", "simhash", "published", "seen", "source")
ARTICLE_COLUMNS = ("id", "text", "html", "words", "digest", *PACKED, "rest")
A, B = "_a", "_b"


def edges_by_text(pairs: DataFrame, articles: DataFrame, settings: Settings) -> DataFrame:
    """What the texts of each pair share, counted, and what they are to each other by it."""
    return _join_columns(pairs, articles, TEXT_COLUMNS).mapInArrow(
        _measure_batches(settings), TEXT_EDGE_SCHEMA
    )


def edges_by_all(pairs: DataFrame, articles: DataFrame, settings: Settings) -> DataFrame:
    """What the two of each pair are to each other, by all that is known of them."""
    return _join_columns(pairs, articles, ARTICLE_COLUMNS).mapInArrow(
        _judge_batches(settings), ARTICLE_EDGE_SCHEMA
    )


def _join_columns(pairs: DataFrame, articles: DataFrame, names: tuple[str, ...]) -> DataFrame:
    """The pairs with what is known of both; the larger side of a skewed join is split by Spark."""
    joined = pairs.select("later", "earlier")
    for row, end in (("later", A), ("earlier", B)):
        columns = (F.col(name).alias(f"{name}{end}") for name in names)
        joined = joined.join(articles.select(F.col("row").alias(row), *columns), row)
    return joined


def _measure_batches(settings: Settings) -> Callable[[Batches], Iterator[pa.RecordBatch]]:
    def count(batches: Batches) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            selected = batch.filter(pa.array(_fits(batch, settings)))
            if selected.num_rows:
                yield _measure_batch(selected, settings)

    return count


def _array(batch: pa.RecordBatch, name: str) -> NDArray[Any]:
    values: NDArray[Any] = batch.column(name).to_numpy(zero_copy_only=False)
    return values


def _fits(batch: pa.RecordBatch, settings: Settings) -> NDArray[np.bool_]:
    """Whether the policy compares such rows: near enough in time, and of fitting sources."""
    fits, policy = np.ones(batch.num_rows, np.bool_), settings.policy
    if policy.sources == "across":
        fits &= sources_differ(_array(batch, f"source{A}"), _array(batch, f"source{B}"))
    if policy.window is not None:
        later_times, earlier_times = (
            (_array(batch, f"published{end}"), _array(batch, f"seen{end}")) for end in (A, B)
        )
        fits &= near_in_time(later_times, earlier_times, policy.window)
    return fits


def _measure_batch(batch: pa.RecordBatch, settings: Settings) -> pa.RecordBatch:
    later, earlier = _array(batch, "later"), _array(batch, "earlier")
    rows, first = np.unique(np.concatenate([later, earlier]), return_index=True)
    texts, html = (
        pa.concat_arrays([batch.column(f"{name}{A}"), batch.column(f"{name}{B}")]).take(first)
        for name in ("text", "html")
    )
    places = np.stack([np.searchsorted(rows, later), np.searchsorted(rows, earlier)], axis=1)
    shares = overlap_shares(settings, texts.to_pylist(), html.to_pylist(), places)
    digests = [batch.column(f"digest{end}").to_pylist() for end in (A, B)]
    same = np.array([a == b for a, b in zip(*digests, strict=True)], np.bool_)
    words = (_array(batch, f"words{A}").astype(np.int64), _array(batch, f"words{B}"))
    simhashes = None
    if settings.recipe.simhash:
        a, b = (_array(batch, f"simhash{end}").astype(np.int64).view(np.uint64) for end in (A, B))
        simhashes = a, b
    measures = measure_pairs(same, (words[0], words[1].astype(np.int64)), shares, simhashes)
    return pa.RecordBatch.from_pydict(
        {
            "later": batch.column("later"),
            "earlier": batch.column("earlier"),
            "relation": pa.array(relations(measures, settings.policy).astype(np.int32)),
            "overlap": pa.array(measures.overlap),
            "containment": pa.array(measures.containment),
            "equal_bits": pa.array(measures.equal_bits.astype(np.int32)),
        }
    )


def _judge_batches(settings: Settings) -> Callable[[Batches], Iterator[pa.RecordBatch]]:
    from nearcopy.cluster.link_graph import is_link

    def judge(batches: Batches) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            later_side, texts = _load_side(batch, "later", A)
            earlier_side, more = _load_side(batch, "earlier", B)
            pairs = list(zip(later_side, earlier_side, strict=True))
            fits = [place for place, two in enumerate(pairs) if comparable(*two, settings.policy)]
            candidates = [pairs[place] for place in fits]
            results = judge_candidates(candidates, settings, _lookup(texts | more))
            kept = batch.take(pa.array([fits[place] for place, _ in results], pa.int64()))
            judgements = [judgement for _, judgement in results]
            yield pa.RecordBatch.from_pydict(
                {
                    "later": kept.column("later"),
                    "earlier": kept.column("earlier"),
                    "link": pa.array(
                        [is_link(judgement.decision, settings.policy) for judgement in judgements],
                        pa.bool_(),
                    ),
                    "decision": pa.array(
                        [decision_json(judgement) for judgement in judgements], pa.string()
                    ),
                    "news": pa.array([judgement.news for judgement in judgements], pa.float64()),
                    "copy": pa.array([judgement.copy for judgement in judgements], pa.float64()),
                }
            )

    return judge


def _load_side(
    batch: pa.RecordBatch, name: str, end: str
) -> tuple[list[Fingerprint], dict[str, Article]]:
    """One of each pair, and the texts of these; what is in many pairs is read once."""
    _, first, places = np.unique(_array(batch, name), return_index=True, return_inverse=True)
    distinct = batch.take(pa.array(first))
    fingerprints = list(fingerprints_in(distinct, end))
    texts, html = (distinct.column(f"{part}{end}").to_pylist() for part in ("text", "html"))
    articles = (
        Article(id=fingerprint.id, text=text, html=mark)
        for fingerprint, text, mark in zip(fingerprints, texts, html, strict=True)
    )
    return [fingerprints[place] for place in places.tolist()], {
        article.id: article for article in articles
    }


def _lookup(articles: Mapping[str, Article]) -> Callable[[Collection[str]], Mapping[str, Article]]:
    return lambda names: {name: articles[name] for name in names}


def decision_json(judgement: Judgement) -> str:
    """A decision as JSON."""
    return json.dumps(list(judgement.decision))


def edge_of(row: Mapping[str, Any], names: Mapping[int, str]) -> Edge:
    """An edge again, between rows of these names."""
    relation, rule, sure, duplicate, reason, flags = json.loads(row["decision"])
    decision = Decision(Relation(relation), rule, sure, duplicate, reason, tuple(flags))
    return Edge(names[row["later"]], names[row["earlier"]], decision, row["news"], row["copy"])
