"""Evaluation of stories against labelled clusters: BCubed, pairs, the adjusted Rand index.

Intervals are bootstrapped over the true clusters, as the articles of one are not independent. A
cluster drawn twice counts as two clusters with stories of their own.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nearcopy.config import Policy, Recipe
from nearcopy.deduper.deduper import Deduper
from nearcopy.evaluate.labels import LabelledPair
from nearcopy.evaluate.metrics import (
    ROUNDS,
    SEED,
    Estimate,
    Floats,
    bootstrap,
    divide,
    estimate_share,
    weight_rows,
)
from nearcopy.evaluate.outcomes import (
    Cell,
    Evaluation,
    Outcome,
    Table,
    group_by_language,
    judge_labelled,
    worst_mistakes,
)
from nearcopy.models import Article, Member, Relation, Story

Indexes = NDArray[np.intp]
MAX_SPLIT_PAIRS = 2000  # pairs judged to find the worst misses


@dataclass(frozen=True, slots=True)
class Contingency:
    """The contingency table of true groups and stories: its cells that are not empty."""

    true: Indexes  # the number of the true group of each cell
    story: Indexes  # the number of its story
    counts: Floats  # the articles in it
    groups: int  # true groups in all
    stories: int  # stories in all


def count_cells(truth: Sequence[str], stories: Sequence[str]) -> Contingency:
    """The contingency table of the true group and the story of every article, in one order."""
    if len(truth) != len(stories):
        raise ValueError(f"{len(truth)} articles in groups, {len(stories)} in stories")
    true, group_count = _number_groups(truth)
    story, story_count = _number_groups(stories)
    cells, counts = np.unique(true * max(1, story_count) + story, return_counts=True)
    rows, columns = np.divmod(cells, max(1, story_count))
    return Contingency(rows, columns, counts.astype(np.float64), group_count, story_count)


def _number_groups(names: Sequence[str]) -> tuple[Indexes, int]:
    """The number of each article's group, and the number of groups."""
    numbers = {name: number for number, name in enumerate(dict.fromkeys(names))}
    return np.array([numbers[name] for name in names], np.intp), len(numbers)


def bcubed_precision(table: Contingency, weights: Floats | None = None) -> Floats:
    """The mean over articles of the share of the story that is of the article's group."""
    whole = _sum_by(table.story, table.counts, table.stories)
    return _mean(table, table.counts / whole[table.story], weights)


def bcubed_recall(table: Contingency, weights: Floats | None = None) -> Floats:
    """The mean over articles of the share of the group that is in the article's story."""
    whole = _sum_by(table.true, table.counts, table.groups)
    return _mean(table, table.counts / whole[table.true], weights)


def bcubed_f1(table: Contingency, weights: Floats | None = None) -> Floats:
    """The harmonic mean of precision and recall."""
    precision, recall = bcubed_precision(table, weights), bcubed_recall(table, weights)
    return divide(2 * precision * recall, precision + recall)


def pair_precision(table: Contingency, weights: Floats | None = None) -> Floats:
    """The share of pairs in one story that are of one group."""
    both, _, joined, _ = _pairs(table, weights)
    return divide(both, joined)


def pair_recall(table: Contingency, weights: Floats | None = None) -> Floats:
    """The share of pairs of one group that are in one story."""
    both, true, _, _ = _pairs(table, weights)
    return divide(both, true)


def pair_f1(table: Contingency, weights: Floats | None = None) -> Floats:
    """The harmonic mean of precision and recall."""
    both, true, joined, _ = _pairs(table, weights)
    return divide(2 * both, true + joined)


def adjusted_rand(table: Contingency, weights: Floats | None = None) -> Floats:
    """The adjusted Rand index: 1 for full agreement on pairs, about 0 by chance."""
    both, true, joined, every = _pairs(table, weights)
    chance = true * joined / np.where(every > 0, every, 1.0)
    most = (true + joined) / 2
    agree = np.isclose(most, chance)  # all articles apart, or all together, in both
    index = (both - chance) / np.where(agree, 1.0, most - chance)
    return np.where(agree, 1.0, index)


CLUSTER_METRICS = {
    "bcubed_precision": bcubed_precision,
    "bcubed_recall": bcubed_recall,
    "bcubed_f1": bcubed_f1,
    "ari": adjusted_rand,
    "pair_precision": pair_precision,
    "pair_recall": pair_recall,
    "pair_f1": pair_f1,
}


def bootstrap_clusters(
    table: Contingency, *, rounds: int = ROUNDS, seed: int = SEED
) -> dict[str, Estimate]:
    """All metrics, with bootstrap intervals over the true groups."""
    return bootstrap(
        {name: lambda rows, by=by: by(table, rows) for name, by in CLUSTER_METRICS.items()},  # type: ignore[misc]
        table.groups,
        rounds=rounds,
        seed=seed,
    )


def _mean(table: Contingency, scores: Floats, weights: Floats | None) -> Floats:
    """The mean over articles, each weighted as its group."""
    rows = weight_rows(weights, table.groups)
    total = _sum_by(table.true, table.counts * scores, table.groups)
    sizes = _sum_by(table.true, table.counts, table.groups)
    return divide(rows @ total, rows @ sizes)


def _pairs(table: Contingency, weights: Floats | None) -> tuple[Floats, Floats, Floats, Floats]:
    """The number of pairs in one cell, in one group, in one story, and in all, for each row."""
    rows = weight_rows(weights, table.groups)
    sizes = _sum_by(table.true, table.counts, table.groups)
    within = _sum_by(table.true, _choose_two(table.counts), table.groups)
    both, true = rows @ within, rows @ _choose_two(sizes)
    total = rows @ sizes
    across = np.array([_across(table, row) for row in rows]).reshape(len(rows))
    return both, true, both + across, _choose_two(total)


def _across(table: Contingency, row: Floats) -> float:
    """Pairs in one story but of two groups, for the weights of one row."""
    weighted = row[table.true] * table.counts
    whole = _sum_by(table.story, weighted, table.stories)
    own = _sum_by(table.story, weighted * weighted, table.stories)
    return float((whole * whole - own).sum() / 2)


def _sum_by(numbers: Indexes, values: Floats, count: int) -> Floats:
    return np.bincount(numbers, values, count).astype(np.float64)


def _choose_two(counts: Floats) -> Floats:
    return counts * (counts - 1) / 2


# The evaluation.


def evaluate_clusters(
    articles: Iterable[Article],
    clusters: Mapping[str, str],
    recipe: Recipe | None,
    policy: Policy,
    *,
    mistakes: int = 10,
) -> Evaluation:
    """How far the stories of the articles agree with their clusters.

    Articles without a cluster take part in stories and are not scored.

    Args:
        articles: The articles, in order of arrival.
        clusters: The label of the cluster of each article, by id.
        recipe: The recipe of the fingerprints.
        policy: The policy to evaluate.
        mistakes: The number of false alarms and of misses to explain.
    """
    clustering = _cluster_articles(articles, clusters, recipe, policy)
    labelled = clustering.labelled
    table = clustering.cells(labelled)
    return Evaluation(
        kind="clusters",
        about="stories of the Deduper against labelled clusters",
        counts={
            "articles": len(labelled),
            "clusters": table.groups,
            "stories": table.stories,
            "without_cluster": len(clustering.articles) - len(labelled),
            "with_unknown_ids": len(clusters) - len(labelled),
        },
        scores=bootstrap_clusters(table),
        resampled="clusters",
        tables=tuple(_tables(clustering)),
        mistakes=worst_mistakes(
            _find_mistakes(clustering, policy), clustering.recipe, policy, mistakes
        ),
        unknown=tuple(name for name in clusters if name not in clustering.articles),
    )


@dataclass(frozen=True, slots=True)
class _Clustering:
    """All articles by id, their labelled clusters, and their stories by one recipe."""

    articles: Mapping[str, Article]
    clusters: Mapping[str, str]
    stories: Sequence[Story]
    story_of: Mapping[str, str]
    recipe: Recipe

    @property
    def labelled(self) -> list[str]:
        """The ids of the articles with a cluster."""
        return [name for name in self.clusters if name in self.articles]

    def cells(self, names: Sequence[str]) -> Contingency:
        """The contingency table of these articles."""
        return count_cells([self.clusters[n] for n in names], [self.story_of[n] for n in names])

    def linked_members(self) -> Iterator[tuple[Member, str]]:
        """The members with the id of their kept copy, where both have a cluster."""
        for story in self.stories:
            for member in story.members:
                kept = member.duplicate_of or story.kept
                if member.id != kept and member.id in self.clusters and kept in self.clusters:
                    yield member, kept

    def same_cluster(self, a: str, b: str) -> bool:
        """Whether two articles have the same cluster."""
        return self.clusters[a] == self.clusters[b]


def _cluster_articles(
    articles: Iterable[Article], clusters: Mapping[str, str], recipe: Recipe | None, policy: Policy
) -> _Clustering:
    """The stories of a Deduper in memory."""
    by_id: dict[str, Article] = {}
    with Deduper("memory://", recipe, policy) as deduper:
        for _ in deduper.run(_collect(articles, by_id)):
            pass
        stories, used = list(deduper.stories()), deduper.recipe
    story_of = {member.id: story.id for story in stories for member in story.members}
    return _Clustering(by_id, clusters, stories, story_of, used)


def _collect(articles: Iterable[Article], by_id: dict[str, Article]) -> Iterator[Article]:
    """The articles, each also added to `by_id`."""
    for article in articles:
        by_id[article.id] = article
        yield article


# The tables.


def _tables(clustering: _Clustering) -> Iterator[Table]:
    yield _by_relation(clustering)
    yield from _by_language(clustering)


def _by_relation(clustering: _Clustering) -> Table:
    """For each relation of members, the share that is of the cluster of the kept copy."""
    flags: dict[Relation, list[bool]] = {}
    for member, kept in clustering.linked_members():
        relation = member.relation or Relation.DISTINCT
        flags.setdefault(relation, []).append(clustering.same_cluster(member.id, kept))
    rows: list[tuple[Cell, ...]] = [
        (relation.value, len(flags[relation]), estimate_share(flags[relation]))
        for relation in Relation
        if relation in flags
    ]
    title = "By relation to the kept copy: how many are of its cluster"
    return Table("by_relation", title, ("relation", "articles", "same"), tuple(rows))


def _by_language(clustering: _Clustering) -> Iterator[Table]:
    articles = clustering.articles
    groups = group_by_language(clustering.labelled, lambda name: articles[name].language)
    rows: list[tuple[Cell, ...]] = [
        (language, len(names), *bootstrap_clusters(clustering.cells(names)).values())
        for language, names in groups
    ]
    columns = ("language", "articles", *CLUSTER_METRICS)
    if rows:
        yield Table("by_language", "By language", columns, tuple(rows))


# The mistakes.


def _find_mistakes(clustering: _Clustering, policy: Policy) -> list[Outcome]:
    """Pairs of two clusters in one story, and pairs of one cluster in two stories."""
    merged = [
        _pair(kept, member.id, clustering)
        for member, kept in clustering.linked_members()
        if not clustering.same_cluster(kept, member.id)
    ]
    split = [_pair(a, b, clustering) for a, b in _split_pairs(clustering)]
    judged = judge_labelled([*merged, *split], clustering.recipe, policy, "event")
    return [outcome._replace(called_same=not outcome.pair.same) for outcome in judged]


def _pair(a: str, b: str, clustering: _Clustering) -> LabelledPair:
    same, label = clustering.same_cluster(a, b), clustering.clusters[a]
    both = label if same else f"{label} / {clustering.clusters[b]}"
    return LabelledPair(0, clustering.articles[a], clustering.articles[b], both, same)


def _split_pairs(clustering: _Clustering) -> list[tuple[str, str]]:
    """For each cluster in several stories, the first article of the largest and of each other."""
    parts: dict[str, dict[str, list[str]]] = {}
    for name in clustering.labelled:
        parts.setdefault(clustering.clusters[name], {}).setdefault(
            clustering.story_of[name], []
        ).append(name)
    pairs: list[tuple[str, str]] = []
    for stories in parts.values():
        first, *smaller = sorted(stories.values(), key=lambda names: -len(names))
        pairs += [(first[0], names[0]) for names in smaller]
    return pairs[:MAX_SPLIT_PAIRS]
