"""Evaluating what is found among all articles, beside all pairs whose texts overlap.

Pairs are proposed as the Deduper does it, by keys, and judged by the policy. Those that it tells
apart, such as notices in one form, are found, but no duplicates.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import NamedTuple

from nearcopy.config import Policy, Recipe
from nearcopy.deduper.find_matches import Matched, matches
from nearcopy.errors import NearcopyError
from nearcopy.evaluate.bootstrap import share
from nearcopy.evaluate.label_schemes import Asked, Values, number, scheme
from nearcopy.evaluate.pair_outcomes import outcome, outcomes, worst
from nearcopy.evaluate.result_types import Cell, Evaluation, Labelled, Outcome, Table
from nearcopy.fingerprint.blocking_keys import VERSION, keys
from nearcopy.fingerprint.fingerprint import fingerprints
from nearcopy.match.judge_pairs import Judgement
from nearcopy.models.model import Article, Fingerprint, Relation
from nearcopy.stores import Entry, Store, open_store

BATCH = 512
BOUNDS = (0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3)
LEAST_WORDS = 30  # of both texts; such lists leave out what is shorter
BY_TEXT = frozenset({Relation.SAME_TEXT, Relation.NEAR_TEXT, Relation.CONTAINED})
OVERLAPS = ("jaccard5", "jaccard", "overlap")
Names = tuple[str, str]


class Near(NamedTuple):
    """A pair of the list, by how much its texts overlap."""

    line: int
    a: str
    b: str
    overlap: float


@dataclass(frozen=True, slots=True)
class Found:
    """What was found among all articles.

    Judgements are held of listed pairs and of copies by text; of the others there are too many.
    """

    recipe: Recipe
    articles: dict[str, Article] = field(default_factory=dict)
    pairs: dict[Names, Judgement] = field(default_factory=dict)
    copies: list[Names] = field(default_factory=list)  # of texts long enough for the list
    tally: Counter[tuple[Relation, bool]] = field(default_factory=Counter)  # and whether listed

    def judgement(self, near: Near) -> Judgement | None:
        """What a listed pair was found to be; None where it was not found."""
        return self.pairs.get(names(near.a, near.b))

    def duplicate(self, near: Near) -> bool:
        """Whether a listed pair was found to be a duplicate."""
        each = self.judgement(near)
        return each is not None and each.decision.duplicate


def names(a: str, b: str) -> Names:
    """The pair, in whichever order it is named."""
    return (a, b) if a <= b else (b, a)


def listed_pairs(
    rows: Sequence[tuple[int, Values]], asked: Asked, policy: Policy
) -> tuple[list[Near], float]:
    """The pairs of a table by their overlap, and the bound from which on they are to be found."""
    columns = tuple(rows[0][1]) if rows else ()
    column = asked.grade or next((name for name in OVERLAPS if name in columns), None)
    by = scheme(replace(asked, label=None, grade=column), rows, policy) if column else None
    if by is None or by.ids is None:
        raise NearcopyError(
            f"listed pairs need the columns a, b and jaccard, or one named with --grade: "
            f"there are {', '.join(columns)}"
        )
    found = [_near(line, row, *by.ids, column or "") for line, row in rows]
    return found, 0.5 if by.bound is None else by.bound


def _near(line: int, row: Values, a: str, b: str, column: str) -> Near:
    overlap = number(row.get(column), f"line {line}: {column}")
    return Near(line, str(row.get(a)), str(row.get(b)), overlap)


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
    there = {names(near.a, near.b) for near in listed}
    found = find(articles, recipe, policy, there)
    known = [near for near in listed if near.a in found.articles and near.b in found.articles]
    wanted = [near for near in known if near.overlap >= bound]
    unknown = {name for pair in there for name in pair} - found.articles.keys()
    wrong = _wrong(wanted, there, found, policy)
    return Evaluation(
        kind="near_pairs",
        about=f"pairs whose texts overlap by {bound:g} or more, found among all articles",
        counts={
            "articles": len(found.articles),
            "listed": len(listed),
            "at_the_bound": len(wanted),
            "copies_found": len(found.copies),
            "with_unknown_ids": len(listed) - len(known),
        },
        scores={
            "found": share(found.judgement(near) is not None for near in wanted),
            "recall": share(found.duplicate(near) for near in wanted),
            "precision": share(copy in there for copy in found.copies),
        },
        resampled="pairs",
        tables=(_by_overlap(known, found), _by_relation(found)),
        mistakes=worst(wrong, found.recipe, policy, mistakes, _surest),
        unknown=tuple(sorted(unknown)),
    )


# Finding.


def find(
    articles: Iterable[Article], recipe: Recipe | None, policy: Policy, listed: set[Names]
) -> Found:
    """All pairs that the Deduper would find and remember."""
    store = open_store("memory://")
    found = Found(store.bind(recipe, VERSION))
    rest = iter(articles)
    while batch := list(islice(rest, BATCH)):
        _add(batch, store, policy, found, listed)
    store.close()
    return found


def _add(
    batch: Sequence[Article], store: Store, policy: Policy, found: Found, listed: set[Names]
) -> None:
    prints = list(fingerprints(batch, found.recipe))
    entries = list(map(Entry, batch, prints, keys(prints, found.recipe)))
    found.articles.update((each.id, each) for each in batch)
    with store.writing():
        store.put(entries)
        every = matches(store, entries, found.recipe, policy)
    for entry, each in zip(entries, every, strict=True):
        for match in each.found:
            _note(entry.fingerprint, match, found, listed)


def _note(one: Fingerprint, match: Matched, found: Found, listed: set[Names]) -> None:
    pair, relation = names(one.id, match.other.id), match.judgement.decision.relation
    long = min(one.words, match.other.words) >= LEAST_WORDS
    if long:
        found.tally[relation, pair in listed] += 1
    if pair in listed or (long and relation in BY_TEXT):
        found.pairs[pair] = match.judgement
    if long and relation in BY_TEXT:
        found.copies.append(pair)


# Measuring.


def _by_overlap(known: Sequence[Near], found: Found) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for bound in BOUNDS:
        some = [near for near in known if near.overlap >= bound]
        judged = [found.judgement(near) for near in some]
        apart = sum(each is not None and each.decision.rule == "vetoed" for each in judged)
        there = share(each is not None for each in judged)
        rows.append((f"{bound:g}", len(some), there, share(map(found.duplicate, some)), apart))
    columns = ("overlap from", "pairs", "found", "called duplicates", "told apart")
    return Table("by_overlap", "By overlap: how many are found", columns, tuple(rows))


def _by_relation(found: Found) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for relation in Relation:
        yes, no = found.tally[relation, True], found.tally[relation, False]
        if yes or no:
            rows.append((relation.value, yes + no, yes, round(yes / (yes + no), 4)))
    title = f"By relation, texts of {LEAST_WORDS} words or more: how many are listed"
    return Table("by_relation", title, ("relation", "pairs", "listed", "share"), tuple(rows))


def _wrong(
    wanted: Sequence[Near], there: set[Names], found: Found, policy: Policy
) -> Iterator[Outcome]:
    """Copies that are not listed, and listed pairs that are not called duplicates."""
    for pair in found.copies:
        if pair not in there:
            a, b = (found.articles[name] for name in pair)
            unlisted = Labelled(0, a, b, "not listed", False)
            yield outcome(unlisted, found.pairs[pair], "copy", True)
    missed = [_labelled(near, found) for near in wanted if not found.duplicate(near)]
    for each in outcomes(missed, found.recipe, policy, "copy"):
        yield each._replace(said=False)  # also where it would be one, had it been proposed


def _labelled(near: Near, found: Found) -> Labelled:
    lost = ", never proposed" if found.judgement(near) is None else ""
    a, b = found.articles[near.a], found.articles[near.b]
    return Labelled(near.line, a, b, f"overlap {near.overlap:g}{lost}", True, near.overlap)


def _surest(each: Outcome) -> float:
    """The more two texts have in common, the worse it is to miss that."""
    return each.score if each.said else -(each.pair.grade or 0.0)
