"""Compare candidate pairs on Spark, with both rows joined to each pair."""

import json
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812

from nearcopy.batch.linked_groups import decode_decision, judge_candidates
from nearcopy.batch.output_columns import Settings
from nearcopy.batch.spark.row_reader import BLOBS, Batches, fingerprints_in
from nearcopy.batch.text_relations import measure_pairs, overlap_shares, relations
from nearcopy.match.eligibility import are_comparable, sources_differ, within_window
from nearcopy.match.judgement import Judgement
from nearcopy.models import Article, Edge, Fingerprint

TEXT_EDGE_SCHEMA = (
    "later long, earlier long, relation int, overlap double, containment double, hamming int"
)
ARTICLE_EDGE_SCHEMA = (
    "later long, earlier long, link boolean, decision string, event_score double, overlap double"
)
TEXT_COLUMNS = ("text", "html", "words", "digest", "simhash", "published", "seen", "source")
ARTICLE_COLUMNS = ("id", "text", "html", "words", "digest", *BLOBS, "rest")
A, B = "_a", "_b"


def compare_texts(pairs: DataFrame, articles: DataFrame, settings: Settings) -> DataFrame:
    """The exact overlap and the relation of the texts of each pair."""
    return _join_columns(pairs, articles, TEXT_COLUMNS).mapInArrow(
        _measure_batches(settings), TEXT_EDGE_SCHEMA
    )


def compare_articles(pairs: DataFrame, articles: DataFrame, settings: Settings) -> DataFrame:
    """The judgement of each pair of articles."""
    return _join_columns(pairs, articles, ARTICLE_COLUMNS).mapInArrow(
        _judge_batches(settings), ARTICLE_EDGE_SCHEMA
    )


def _join_columns(pairs: DataFrame, articles: DataFrame, names: tuple[str, ...]) -> DataFrame:
    """The pairs with the columns of both rows; Spark splits skewed joins itself."""
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
    """Whether the policy compares the rows, by time and source."""
    fits, policy = np.ones(batch.num_rows, np.bool_), settings.policy
    if policy.sources == "across":
        fits &= sources_differ(_array(batch, f"source{A}"), _array(batch, f"source{B}"))
    if policy.window is not None:
        later_times, earlier_times = (
            (_array(batch, f"published{end}"), _array(batch, f"seen{end}")) for end in (A, B)
        )
        fits &= within_window(later_times, earlier_times, policy.window)
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
            "hamming": pa.array(measures.hamming.astype(np.int32)),
        }
    )


def _judge_batches(settings: Settings) -> Callable[[Batches], Iterator[pa.RecordBatch]]:
    from nearcopy.cluster.link_graph import is_link

    def judge(batches: Batches) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            later_side, texts = _load_side(batch, "later", A)
            earlier_side, more = _load_side(batch, "earlier", B)
            pairs = list(zip(later_side, earlier_side, strict=True))
            fits = [
                place for place, two in enumerate(pairs) if are_comparable(*two, settings.policy)
            ]
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
                    "event_score": pa.array(
                        [judgement.event_score for judgement in judgements], pa.float64()
                    ),
                    "overlap": pa.array(
                        [judgement.overlap for judgement in judgements], pa.float64()
                    ),
                }
            )

    return judge


def _load_side(
    batch: pa.RecordBatch, name: str, end: str
) -> tuple[list[Fingerprint], dict[str, Article]]:
    """One side of each pair, and its articles; repeated ones are decoded once."""
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


def edge_of(row: Mapping[str, Any], ids: Mapping[int, str]) -> Edge:
    """The edge of a row, between articles of these ids."""
    decision = decode_decision(json.loads(row["decision"]))
    scores = (row["event_score"], row["overlap"])
    return Edge(ids[row["later"]], ids[row["earlier"]], decision, *scores)
