"""Evaluating stories: the groups that the Deduper makes, beside those that people made."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from nearcopy.config import Policy, Recipe
from nearcopy.deduper.deduper import Deduper
from nearcopy.evaluate.bootstrap import share
from nearcopy.evaluate.cluster_metrics import MEASURES, Cells, cells, measured_cells
from nearcopy.evaluate.pair_outcomes import outcomes, worst
from nearcopy.evaluate.result_types import Cell, Evaluation, Labelled, Outcome, Table
from nearcopy.models.model import Article, Member, Relation, Story

SPLIT = 2000  # pairs looked at to find the worst misses


def evaluate_clusters(
    articles: Iterable[Article],
    clusters: Mapping[str, str],
    recipe: Recipe | None,
    policy: Policy,
    *,
    mistakes: int = 10,
) -> Evaluation:
    """How the stories of the articles agree with their clusters.

    Intervals are from drawing whole clusters again. Articles of no cluster take part in stories and
    are not scored.
    """
    told, made = _told(articles, clusters, recipe, policy)
    known = told.known
    found = told.cells(known)
    return Evaluation(
        kind="clusters",
        about="the stories of the Deduper beside the clusters",
        counts={
            "articles": len(known),
            "clusters": found.groups,
            "stories": found.stories,
            "without_cluster": len(told.given) - len(known),
            "with_unknown_ids": len(clusters) - len(known),
        },
        scores=measured_cells(found),
        resampled="clusters",
        tables=tuple(_tables(told)),
        mistakes=worst(_wrong(told, made, policy), made, policy, mistakes),
        unknown=tuple(name for name in clusters if name not in told.given),
    )


@dataclass(frozen=True, slots=True)
class _Told:
    """All articles, the clusters they are said to be in, and the stories they were put in."""

    given: Mapping[str, Article]
    clusters: Mapping[str, str]
    stories: Sequence[Story]
    story_of: Mapping[str, str]

    @property
    def known(self) -> list[str]:
        """The articles that are of a cluster."""
        return [name for name in self.clusters if name in self.given]

    def cells(self, names: Sequence[str]) -> Cells:
        """What clusters and stories have in common, as far as these articles go."""
        return cells([self.clusters[n] for n in names], [self.story_of[n] for n in names])

    def joined(self) -> Iterator[tuple[Member, str]]:
        """The members put behind a kept copy, and this one; both of known cluster."""
        for story in self.stories:
            for member in story.members:
                kept = member.duplicate_of or story.kept
                if member.id != kept and member.id in self.clusters and kept in self.clusters:
                    yield member, kept

    def together(self, a: str, b: str) -> bool:
        """Whether two articles are of one cluster."""
        return self.clusters[a] == self.clusters[b]


def _told(
    articles: Iterable[Article], clusters: Mapping[str, str], recipe: Recipe | None, policy: Policy
) -> tuple[_Told, Recipe]:
    """The articles run through a Deduper in memory, and its recipe."""
    given: dict[str, Article] = {}
    with Deduper("memory://", recipe, policy) as deduper:
        for _ in deduper.run(_kept(articles, given)):
            pass
        stories, made = list(deduper.stories()), deduper.recipe
    story_of = {member.id: story.id for story in stories for member in story.members}
    return _Told(given, clusters, stories, story_of), made


def _kept(articles: Iterable[Article], given: dict[str, Article]) -> Iterator[Article]:
    """The articles as they pass, also kept by id."""
    for article in articles:
        given[article.id] = article
        yield article


# The tables.


def _tables(told: _Told) -> Iterator[Table]:
    yield _by_relation(told)
    spoken: dict[str, list[str]] = {}
    for name in told.known:
        spoken.setdefault(told.given[name].language or "unknown", []).append(name)
    if set(spoken) - {"unknown"}:
        yield _by_language(told, spoken)


def _by_relation(told: _Told) -> Table:
    """For each relation in which members are in a story, how many belong to its kept copy."""
    held: dict[Relation, list[bool]] = {}
    for member, kept in told.joined():
        relation = member.relation or Relation.DISTINCT
        held.setdefault(relation, []).append(told.together(member.id, kept))
    rows: list[tuple[Cell, ...]] = [
        (relation.value, len(held[relation]), share(held[relation]))
        for relation in Relation
        if relation in held
    ]
    title = "By relation to the kept copy: how many are of its cluster"
    return Table("by_relation", title, ("relation", "articles", "same"), tuple(rows))


def _by_language(told: _Told, spoken: Mapping[str, list[str]]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for language, names in sorted(spoken.items(), key=lambda each: (-len(each[1]), each[0])):
        rows.append((language, len(names), *measured_cells(told.cells(names)).values()))
    return Table("by_language", "By language", ("language", "articles", *MEASURES), tuple(rows))


# The mistakes.


def _wrong(told: _Told, recipe: Recipe, policy: Policy) -> list[Outcome]:
    """Pairs put together though of two clusters, and pairs of one cluster in two stories."""
    merged = [
        _pair(kept, member.id, told)
        for member, kept in told.joined()
        if not told.together(kept, member.id)
    ]
    apart = [_pair(a, b, told) for a, b in _split(told)]
    judged = outcomes([*merged, *apart], recipe, policy, "news")
    return [each._replace(said=not each.pair.same) for each in judged]


def _pair(a: str, b: str, told: _Told) -> Labelled:
    same, label = told.together(a, b), told.clusters[a]
    both = label if same else f"{label} / {told.clusters[b]}"
    return Labelled(0, told.given[a], told.given[b], both, same)


def _split(told: _Told) -> list[tuple[str, str]]:
    """For each cluster in several stories, the first article of the largest and of each other."""
    parts: dict[str, dict[str, list[str]]] = {}
    for name in told.known:
        parts.setdefault(told.clusters[name], {}).setdefault(told.story_of[name], []).append(name)
    found: list[tuple[str, str]] = []
    for split in parts.values():
        first, *others = sorted(split.values(), key=lambda names: -len(names))
        found += [(first[0], names[0]) for names in others]
    return found[:SPLIT]
