"""Evaluating stories: the groups that the Deduper makes, beside those that people made."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from nearcopy.config import Policy, Recipe
from nearcopy.deduper import Deduper
from nearcopy.evaluate.bootstrap import share
from nearcopy.evaluate.outcomes import outcomes, worst
from nearcopy.evaluate.partitions import cells, measured_cells
from nearcopy.evaluate.results import Cell, Evaluation, Labelled, Outcome, Table
from nearcopy.model import Article, Member, Relation, Story

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
    given: dict[str, Article] = {}
    with Deduper("memory://", recipe, policy) as deduper:
        for _ in deduper.run(_kept(articles, given)):
            pass
        stories, made = list(deduper.stories()), deduper.recipe
    known = [name for name in clusters if name in given]
    story_of = {member.id: story.id for story in stories for member in story.members}
    found = cells([clusters[name] for name in known], [story_of[name] for name in known])
    return Evaluation(
        kind="clusters",
        about="the stories of the Deduper beside the clusters",
        counts={
            "articles": len(known),
            "clusters": found.groups,
            "stories": found.stories,
            "without_cluster": len(given) - len(known),
            "with_unknown_ids": len(clusters) - len(known),
        },
        scores=measured_cells(found),
        resampled="clusters",
        tables=tuple(_tables(known, given, clusters, story_of, stories)),
        mistakes=worst(
            _wrong(given, clusters, story_of, stories, made, policy), made, policy, mistakes
        ),
        unknown=tuple(name for name in clusters if name not in given),
    )


def _kept(articles: Iterable[Article], given: dict[str, Article]) -> Iterator[Article]:
    """The articles as they pass, also kept by id."""
    for article in articles:
        given[article.id] = article
        yield article


# The tables.


def _tables(
    known: Sequence[str],
    given: Mapping[str, Article],
    clusters: Mapping[str, str],
    story_of: Mapping[str, str],
    stories: Sequence[Story],
) -> Iterator[Table]:
    yield _by_relation(stories, clusters)
    spoken: dict[str, list[str]] = {}
    for name in known:
        spoken.setdefault(given[name].language or "unknown", []).append(name)
    if set(spoken) - {"unknown"}:
        yield _by_language(spoken, clusters, story_of)


def _by_relation(stories: Sequence[Story], clusters: Mapping[str, str]) -> Table:
    """For each relation in which members are in a story, how many belong to its kept copy."""
    held: dict[Relation, list[bool]] = {}
    for story, member in _joined(stories, clusters):
        same = clusters[member.id] == clusters[_joined_to(story, member)]
        held.setdefault(member.relation or Relation.DISTINCT, []).append(same)
    rows: list[tuple[Cell, ...]] = [
        (relation.value, len(held[relation]), share(held[relation]))
        for relation in Relation
        if relation in held
    ]
    title = "By relation to the kept copy: how many are of its cluster"
    return Table("by_relation", title, ("relation", "articles", "same"), tuple(rows))


def _by_language(
    spoken: Mapping[str, list[str]], clusters: Mapping[str, str], story_of: Mapping[str, str]
) -> Table:
    rows: list[tuple[Cell, ...]] = []
    columns: tuple[str, ...] = ()
    for language, names in sorted(spoken.items(), key=lambda each: (-len(each[1]), each[0])):
        scores = measured_cells(
            cells([clusters[name] for name in names], [story_of[name] for name in names])
        )
        columns = tuple(scores)
        rows.append((language, len(names), *scores.values()))
    return Table("by_language", "By language", ("language", "articles", *columns), tuple(rows))


# The mistakes.


def _joined(
    stories: Sequence[Story], clusters: Mapping[str, str]
) -> Iterator[tuple[Story, Member]]:
    """The members of known cluster that were put behind a kept copy of known cluster."""
    for story in stories:
        for member in story.members:
            behind = _joined_to(story, member)
            if member.id != behind and member.id in clusters and behind in clusters:
                yield story, member


def _joined_to(story: Story, member: Member) -> str:
    return member.duplicate_of or story.kept


def _wrong(
    given: Mapping[str, Article],
    clusters: Mapping[str, str],
    story_of: Mapping[str, str],
    stories: Sequence[Story],
    recipe: Recipe,
    policy: Policy,
) -> list[Outcome]:
    """Pairs put together though of two clusters, and pairs of one cluster in two stories."""
    merged = [
        _pair(given[_joined_to(story, member)], given[member.id], clusters)
        for story, member in _joined(stories, clusters)
        if clusters[member.id] != clusters[_joined_to(story, member)]
    ]
    apart = [_pair(given[a], given[b], clusters) for a, b in _split(given, clusters, story_of)]
    judged = outcomes([*merged, *apart], recipe, policy, "news")
    return [each._replace(said=not each.pair.same) for each in judged]


def _pair(a: Article, b: Article, clusters: Mapping[str, str]) -> Labelled:
    same = clusters[a.id] == clusters[b.id]
    label = clusters[a.id] if same else f"{clusters[a.id]} / {clusters[b.id]}"
    return Labelled(0, a, b, label, same)


def _split(
    given: Mapping[str, Article], clusters: Mapping[str, str], story_of: Mapping[str, str]
) -> list[tuple[str, str]]:
    """For each cluster in several stories, the first article of the largest and of each other."""
    parts: dict[str, dict[str, list[str]]] = {}
    for name, cluster in clusters.items():
        if name in given:
            parts.setdefault(cluster, {}).setdefault(story_of[name], []).append(name)
    found: list[tuple[str, str]] = []
    for split in parts.values():
        first, *others = sorted(split.values(), key=lambda names: -len(names))
        found += [(first[0], names[0]) for names in others]
    return found[:SPLIT]
