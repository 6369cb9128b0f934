"""Judging: what rows are to each other that share keys, with their texts joined to them."""

import json
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812

from nearcopy.corpus.counting import apart, measured, near_in_time, relations, shares_of
from nearcopy.corpus.job import Settings
from nearcopy.corpus.judging import found_between
from nearcopy.judge import Judgement, comparable
from nearcopy.model import Article, Decision, Edge, Fingerprint, Relation
from nearcopy.spark.reading import PACKED, Batches, people_of

COUNTED = (
    "later long, earlier long, relation int, overlap double, containment double, equal_bits int"
)
JUDGED = "later long, earlier long, link boolean, decision string, news double, copy double"
TEXTS = ("text", "html", "words", "digest", "simhash", "published", "seen", "source")
PEOPLE = ("id", "text", "html", "words", "digest", *PACKED, "rest")
A, B = "_a", "_b"


def edges_by_text(pairs: DataFrame, people: DataFrame, settings: Settings) -> DataFrame:
    """What the texts of each pair share, counted, and what they are to each other by it."""
    return _joined(pairs, people, TEXTS).mapInArrow(_counted(settings), COUNTED)


def edges_by_all(pairs: DataFrame, people: DataFrame, settings: Settings) -> DataFrame:
    """What the two of each pair are to each other, by all that is known of them."""
    return _joined(pairs, people, PEOPLE).mapInArrow(_judged(settings), JUDGED)


def _joined(pairs: DataFrame, people: DataFrame, names: tuple[str, ...]) -> DataFrame:
    """The pairs with what is known of both; the larger side of a skewed join is split by Spark."""
    made = pairs.select("later", "earlier")
    for row, end in (("later", A), ("earlier", B)):
        columns = (F.col(name).alias(f"{name}{end}") for name in names)
        made = made.join(people.select(F.col("row").alias(row), *columns), row)
    return made


def _counted(settings: Settings) -> Callable[[Batches], Iterator[pa.RecordBatch]]:
    def count(batches: Batches) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            some = batch.filter(pa.array(_fits(batch, settings)))
            if some.num_rows:
                yield _measured(some, settings)

    return count


def _array(batch: pa.RecordBatch, name: str) -> NDArray[Any]:
    found: NDArray[Any] = batch.column(name).to_numpy(zero_copy_only=False)
    return found


def _fits(batch: pa.RecordBatch, settings: Settings) -> NDArray[np.bool_]:
    """Whether the policy compares such rows: near enough in time, and of fitting sources."""
    fits, policy = np.ones(batch.num_rows, np.bool_), settings.policy
    if policy.sources == "across":
        fits &= apart(_array(batch, f"source{A}"), _array(batch, f"source{B}"))
    if policy.window is not None:
        ours, theirs = (
            (_array(batch, f"published{end}"), _array(batch, f"seen{end}")) for end in (A, B)
        )
        fits &= near_in_time(ours, theirs, policy.window)
    return fits


def _measured(batch: pa.RecordBatch, settings: Settings) -> pa.RecordBatch:
    later, earlier = _array(batch, "later"), _array(batch, "earlier")
    rows, first = np.unique(np.concatenate([later, earlier]), return_index=True)
    texts, html = (
        pa.concat_arrays([batch.column(f"{name}{A}"), batch.column(f"{name}{B}")]).take(first)
        for name in ("text", "html")
    )
    places = np.stack([np.searchsorted(rows, later), np.searchsorted(rows, earlier)], axis=1)
    shares = shares_of(settings, texts.to_pylist(), html.to_pylist(), places)
    digests = [batch.column(f"digest{end}").to_pylist() for end in (A, B)]
    same = np.array([a == b for a, b in zip(*digests, strict=True)], np.bool_)
    words = (_array(batch, f"words{A}").astype(np.int64), _array(batch, f"words{B}"))
    simhashes = None
    if settings.recipe.simhash:
        a, b = (_array(batch, f"simhash{end}").astype(np.int64).view(np.uint64) for end in (A, B))
        simhashes = a, b
    found = measured(same, (words[0], words[1].astype(np.int64)), shares, simhashes)
    return pa.RecordBatch.from_pydict(
        {
            "later": batch.column("later"),
            "earlier": batch.column("earlier"),
            "relation": pa.array(relations(found, settings.policy).astype(np.int32)),
            "overlap": pa.array(found.overlap),
            "containment": pa.array(found.containment),
            "equal_bits": pa.array(found.equal_bits.astype(np.int32)),
        }
    )


def _judged(settings: Settings) -> Callable[[Batches], Iterator[pa.RecordBatch]]:
    from nearcopy.links import is_link

    def judge(batches: Batches) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            ours, texts = _known(batch, "later", A)
            theirs, more = _known(batch, "earlier", B)
            pairs = list(zip(ours, theirs, strict=True))
            fits = [place for place, two in enumerate(pairs) if comparable(*two, settings.policy)]
            some = [pairs[place] for place in fits]
            found = found_between(some, settings, _those(texts | more))
            kept = batch.take(pa.array([fits[place] for place, _ in found], pa.int64()))
            told = [each for _, each in found]
            yield pa.RecordBatch.from_pydict(
                {
                    "later": kept.column("later"),
                    "earlier": kept.column("earlier"),
                    "link": pa.array(
                        [is_link(each.decision, settings.policy) for each in told], pa.bool_()
                    ),
                    "decision": pa.array([packed(each) for each in told], pa.string()),
                    "news": pa.array([each.news for each in told], pa.float64()),
                    "copy": pa.array([each.copy for each in told], pa.float64()),
                }
            )

    return judge


def _known(
    batch: pa.RecordBatch, name: str, end: str
) -> tuple[list[Fingerprint], dict[str, Article]]:
    """One of each pair, and the texts of these; what is in many pairs is read once."""
    _, first, places = np.unique(_array(batch, name), return_index=True, return_inverse=True)
    some = batch.take(pa.array(first))
    made = list(people_of(some, end))
    texts, html = (some.column(f"{part}{end}").to_pylist() for part in ("text", "html"))
    articles = (
        Article(id=each.id, text=text, html=mark)
        for each, text, mark in zip(made, texts, html, strict=True)
    )
    return [made[place] for place in places.tolist()], {each.id: each for each in articles}


def _those(articles: Mapping[str, Article]) -> Callable[[Collection[str]], Mapping[str, Article]]:
    return lambda names: {name: articles[name] for name in names}


def packed(found: Judgement) -> str:
    """A decision as JSON."""
    return json.dumps(list(found.decision))


def edge_of(row: Mapping[str, Any], names: Mapping[int, str]) -> Edge:
    """An edge again, between rows of these names."""
    relation, rule, sure, duplicate, reason, flags = json.loads(row["decision"])
    decision = Decision(Relation(relation), rule, sure, duplicate, reason, tuple(flags))
    return Edge(names[row["later"]], names[row["earlier"]], decision, row["news"], row["copy"])
