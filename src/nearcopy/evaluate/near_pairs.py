"""Evaluating what is found among all articles, beside all pairs whose texts overlap.

Pairs are proposed as the Deduper does it, by keys, and judged by the policy. Those that it tells
apart, such as notices in one form, are found, but no copies.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import NamedTuple

from nearcopy.config import Policy, Recipe
from nearcopy.errors import NearcopyError
from nearcopy.evaluate import metrics
from nearcopy.evaluate.bootstrap import Measured, measured
from nearcopy.evaluate.labels import TEXT_COPIES, Asked, Values, number, scheme
from nearcopy.evaluate.outcomes import outcome, outcomes, worst
from nearcopy.evaluate.pairs import share
from nearcopy.evaluate.results import Cell, Evaluation, Labelled, Outcome, Table
from nearcopy.fingerprint import fingerprints
from nearcopy.judge import Judgement
from nearcopy.keys import VERSION, keys
from nearcopy.matching import REMEMBERED, matches
from nearcopy.model import Article, Relation
from nearcopy.stores import Entry, Store, open_store

BATCH = 512
BOUNDS = (0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3)
LEAST_WORDS = 30  # of both texts; such lists leave out what is shorter
BY_TEXT = TEXT_COPIES - {Relation.SAME_URL}
OVERLAPS = ("jaccard5", "jaccard", "overlap")
Names = tuple[str, str]


class Near(NamedTuple):
    """A pair of the list, by how much its texts overlap."""

    line: int
    a: str
    b: str
    overlap: float


class Found(NamedTuple):
    """All articles by id, their words, and the pairs that are something to each other."""

    articles: dict[str, Article]
    words: dict[str, int]
    pairs: dict[Names, Judgement]


def listed_pairs(
    rows: Sequence[tuple[int, Values]], asked: Asked, policy: Policy
) -> tuple[list[Near], float]:
    """The pairs of a table by their overlap, and the bound from which on they are to be found."""
    names = tuple(rows[0][1]) if rows else ()
    column = asked.grade or next((name for name in OVERLAPS if name in names), None)
    by = scheme(replace(asked, label=None, grade=column), rows, policy)
    if by.ids is None or by.grade is None:
        raise NearcopyError(f"listed pairs need the columns a, b, jaccard: got {', '.join(names)}")
    a, b = by.ids
    found = [
        Near(
            line,
            str(values[a]),
            str(values[b]),
            number(values[by.grade], f"line {line}: {by.grade}"),
        )
        for line, values in rows
    ]
    return found, 0.5 if by.bound is None else by.bound


def evaluate_near_pairs(
    articles: Iterable[Article],
    listed: Sequence[Near],
    recipe: Recipe | None,
    policy: Policy,
    *,
    bound: float = 0.5,
    mistakes: int = 10,
) -> Evaluation:
    """How many of the listed pairs are found, and how many copies that are found are listed.

    Intervals are from drawing the pairs again.
    """
    made, found = find(articles, recipe, policy)
    known = [near for near in listed if near.a in found.articles and near.b in found.articles]
    wanted = [near for near in known if near.overlap >= bound]
    unknown = {name for near in listed for name in (near.a, near.b)} - found.articles.keys()
    copies = [names for names, each in found.pairs.items() if _counts(names, each, found)]
    there = {_names(near.a, near.b) for near in known}
    return Evaluation(
        kind="near_pairs",
        about=f"pairs whose texts overlap by {bound:g} or more, found among all articles",
        counts={
            "articles": len(found.articles),
            "listed": len(listed),
            "at_the_bound": len(wanted),
            "copies_found": len(copies),
            "with_unknown_ids": len(listed) - len(known),
        },
        scores=_scores(wanted, copies, there, found),
        resampled="pairs",
        tables=(_by_overlap(known, found), _by_relation(there, found)),
        mistakes=worst(
            _wrong(wanted, copies, there, found, made, policy), made, policy, mistakes, _surest
        ),
        unknown=tuple(sorted(unknown)),
    )


# Finding.


def find(
    articles: Iterable[Article], recipe: Recipe | None, policy: Policy
) -> tuple[Recipe, Found]:
    """The recipe, and all pairs that the Deduper would find and remember, with what they are."""
    store = open_store("memory://")
    made = store.bind(recipe, VERSION)
    found = Found({}, {}, {})
    rest = iter(articles)
    while batch := list(islice(rest, BATCH)):
        _add(batch, store, made, policy, found)
    store.close()
    return made, found


def _add(
    batch: Sequence[Article], store: Store, recipe: Recipe, policy: Policy, found: Found
) -> None:
    prints = list(fingerprints(batch, recipe))
    entries = list(map(Entry, batch, prints, keys(prints, recipe)))
    found.articles.update((each.id, each) for each in batch)
    found.words.update((each.id, each.words) for each in prints)
    with store.writing():
        store.put(entries)
        for entry, each in zip(entries, matches(store, entries, recipe, policy), strict=True):
            for match in each.found[:REMEMBERED]:
                found.pairs[_names(entry.article.id, match.other.id)] = match.judgement


def _names(a: str, b: str) -> Names:
    return (a, b) if a <= b else (b, a)


def _judgement(near: Near, found: Found) -> Judgement | None:
    return found.pairs.get(_names(near.a, near.b))


def _copied(near: Near, found: Found) -> bool:
    each = _judgement(near, found)
    return each is not None and each.decision.relation in TEXT_COPIES


def _counts(names: Names, each: Judgement, found: Found) -> bool:
    """Whether a pair is a copy by its text that such a list would hold."""
    long = all(found.words[name] >= LEAST_WORDS for name in names)
    return long and each.decision.relation in BY_TEXT


# Measuring.


def _scores(
    wanted: Sequence[Near], copies: Sequence[Names], there: set[Names], found: Found
) -> dict[str, Measured]:
    recalled = {
        "recall": share([_copied(near, found) for near in wanted]),
        "found": share([_judgement(near, found) is not None for near in wanted]),
    }
    listed = [names in there for names in copies]
    right = partial(metrics.precision, [True] * len(copies), listed)
    return measured({"precision": right}, len(copies)) | recalled


def _by_overlap(known: Sequence[Near], found: Found) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for bound in BOUNDS:
        some = [near for near in known if near.overlap >= bound]
        judged = [_judgement(near, found) for near in some]
        apart = sum(each is not None and each.decision.rule == "vetoed" for each in judged)
        there = share([each is not None for each in judged])
        copies = share([_copied(near, found) for near in some])
        rows.append((f"{bound:g}", len(some), there, copies, apart))
    columns = ("overlap from", "pairs", "found", "called copies", "told apart by facts")
    return Table("by_overlap", "By overlap: how many are found", columns, tuple(rows))


def _by_relation(there: set[Names], found: Found) -> Table:
    held: dict[Relation, list[bool]] = {}
    for names, each in found.pairs.items():
        if all(found.words[name] >= LEAST_WORDS for name in names):
            held.setdefault(each.decision.relation, []).append(names in there)
    rows: list[tuple[Cell, ...]] = [
        (relation.value, len(held[relation]), share(held[relation]))
        for relation in Relation
        if relation in held
    ]
    title = f"By relation, texts of {LEAST_WORDS} words or more: how many are listed"
    return Table("by_relation", title, ("relation", "pairs", "listed"), tuple(rows))


def _wrong(
    wanted: Sequence[Near],
    copies: Sequence[Names],
    there: set[Names],
    found: Found,
    recipe: Recipe,
    policy: Policy,
) -> Iterator[Outcome]:
    """Copies that are not listed, and listed pairs that are not called copies."""
    for names in copies:
        if names not in there:
            a, b = (found.articles[name] for name in names)
            pair = Labelled(0, a, b, "not listed", False)
            yield outcome(pair, found.pairs[names], "copy", True)
    yield from _missed(wanted, found, recipe, policy)


def _missed(
    wanted: Sequence[Near], found: Found, recipe: Recipe, policy: Policy
) -> Iterator[Outcome]:
    missed = [near for near in wanted if not _copied(near, found)]
    pairs = [_labelled(near, found.articles, _judgement(near, found) is None) for near in missed]
    for each in outcomes(pairs, recipe, policy, "copy"):
        yield each._replace(said=False)  # also where it would be one, had it been proposed


def _surest(each: Outcome) -> float:
    """The more two texts have in common, the worse it is to miss that."""
    return each.score if each.said else -(each.pair.grade or 0.0)


def _labelled(near: Near, articles: Mapping[str, Article], lost: bool) -> Labelled:
    label = f"overlap {near.overlap:g}{', never proposed' if lost else ''}"
    return Labelled(near.line, articles[near.a], articles[near.b], label, True, near.overlap)
