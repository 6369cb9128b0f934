"""Compare candidate pairs on Spark, with both rows joined to each pair."""

import json
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812

from nearcopy.batch.column_rules import are_eligible, judge_texts, measure_pairs, overlap_shares
from nearcopy.batch.corpus_settings import Settings
from nearcopy.batch.linked_groups import decode_decision, judge_related
from nearcopy.batch.spark.row_reader import BLOBS, Batches, fingerprints_in, to_batch
from nearcopy.cluster.link_graph import is_link
from nearcopy.fingerprint.fingerprint_table import RowPairs
from nearcopy.match.eligibility import are_comparable
from nearcopy.models import Article, Edge, Fingerprint

TEXT_EDGE_SCHEMA = (
    "later long, earlier long, relation int, overlap double, containment double, hamming int"
)
ARTICLE_EDGE_SCHEMA = (
    "later long, earlier long, later_id string, earlier_id string, link boolean, "
    "decision string, event_score double, overlap double"
)
TEXT_COLUMNS = ("text", "html", "words", "digest", "simhash", "published", "seen", "source")
ARTICLE_COLUMNS = ("id", "text", "html", "words", "digest", *BLOBS, "rest")
A, B = "_a", "_b"


def compare_texts(pairs: DataFrame, articles: DataFrame, settings: Settings) -> DataFrame:
    """The exact overlap and the relation of the texts of each pair."""
    joined = _join_columns(pairs, articles, TEXT_COLUMNS)
    return joined.mapInArrow(partial(_measure_batches, settings), TEXT_EDGE_SCHEMA)


def compare_articles(pairs: DataFrame, articles: DataFrame, settings: Settings) -> DataFrame:
    """The judgement of each pair of articles."""
    joined = _join_columns(pairs, articles, ARTICLE_COLUMNS)
    return joined.mapInArrow(partial(_judge_batches, settings), ARTICLE_EDGE_SCHEMA)


def _join_columns(pairs: DataFrame, articles: DataFrame, names: tuple[str, ...]) -> DataFrame:
    """The pairs with the columns of both rows; Spark splits skewed joins itself."""
    joined = pairs.select("later", "earlier")
    for row, end in (("later", A), ("earlier", B)):
        columns = (F.col(name).alias(f"{name}{end}") for name in names)
        joined = joined.join(articles.select(F.col("row").alias(row), *columns), row)
    return joined


def _measure_batches(settings: Settings, batches: Batches) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        selected = batch.filter(pa.array(_fits(batch, settings)))
        if selected.num_rows:
            yield _measure_batch(selected, settings)


def _array(batch: pa.RecordBatch, name: str) -> NDArray[Any]:
    values: NDArray[Any] = batch.column(name).to_numpy(zero_copy_only=False)
    return values


def _sides(batch: pa.RecordBatch, name: str) -> tuple[NDArray[Any], NDArray[Any]]:
    """A column of the later and of the earlier rows."""
    return _array(batch, f"{name}{A}"), _array(batch, f"{name}{B}")


def _fits(batch: pa.RecordBatch, settings: Settings) -> NDArray[np.bool_]:
    """Whether the policy compares the rows, by time and source."""
    return are_eligible(batch.num_rows, lambda name: _sides(batch, name), settings.policy)


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
    words_a, words_b = (counts.astype(np.int64) for counts in _sides(batch, "words"))
    simhashes = None
    if settings.recipe.simhash:
        a, b = (hashes.astype(np.int64).view(np.uint64) for hashes in _sides(batch, "simhash"))
        simhashes = a, b
    measures = measure_pairs(same, (words_a, words_b), shares, simhashes)
    columns = {name: getattr(measures, name) for name in ("overlap", "containment", "hamming")}
    columns |= {"later": later, "earlier": earlier}
    columns["relation"] = judge_texts(measures, settings).decisions.relation.astype(np.int32)
    return to_batch(TEXT_EDGE_SCHEMA, columns)


def _judge_batches(settings: Settings, batches: Batches) -> Iterator[pa.RecordBatch]:
    policy = settings.policy
    for batch in batches:
        later_side, texts = _load_side(batch, "later", A)
        earlier_side, more = _load_side(batch, "earlier", B)
        pairs = list(zip(later_side, earlier_side, strict=True))
        fits = [place for place, pair in enumerate(pairs) if are_comparable(*pair, policy)]
        comparable = RowPairs.of(pairs[place] for place in fits)
        related = judge_related(comparable, settings, _lookup(texts | more))
        places = np.array(fits, np.int64)[related.places]
        yield to_batch(
            ARTICLE_EDGE_SCHEMA,
            {
                "later": _array(batch, "later")[places],
                "earlier": _array(batch, "earlier")[places],
                "later_id": [pairs[place][0].id for place in places],
                "earlier_id": [pairs[place][1].id for place in places],
                "link": [is_link(decision, policy) for decision in related.decisions],
                "decision": [json.dumps(list(decision)) for decision in related.decisions],
                "event_score": related.event_score,
                "overlap": [None if share != share else share for share in related.overlap],
            },
        )


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


def edge_of(row: Mapping[str, Any]) -> Edge:
    """The edge of a row."""
    decision = decode_decision(json.loads(row["decision"]))
    scores = (row["event_score"], row["overlap"])
    return Edge(row["later_id"], row["earlier_id"], decision, *scores)
