"""How the default policy judges labelled pairs and whole sets of the shared news.

Run by itself it also lists what went wrong: the merges to look at, the pairs judged otherwise than
their readers did.
"""

import csv
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import combinations
from typing import Any

from rich.console import Console
from rich.table import Table

import corpora
from nearcopy import POLICIES, Article, Decision, Evidence, Fingerprint, Policy, Recipe, Relation
from nearcopy.fingerprint.blocking_keys import blocking_keys
from nearcopy.fingerprint.fingerprint import fingerprints
from nearcopy.fingerprint.fingerprint_table import RowPairs
from nearcopy.match.compare import compare_pairs, overlaps
from nearcopy.match.decide import decide

COPIES = {"same", "revision", "excerpt"}
LARGEST_GROUP = 200  # a key that more articles share proposes no pairs here; it is reported


@dataclass(frozen=True, slots=True)
class Judged:
    """A pair, its label, and what we make of it."""

    a: Article
    b: Article
    label: str
    trap: str
    evidence: Evidence
    decision: Decision


def article(row: dict[str, Any]) -> Article:
    """An article of the shared form."""
    published = row.get("published")
    return Article(
        id=row["id"],
        title=row.get("title") or "",
        text=row.get("text") or "",
        url=row.get("url") or None,
        source=row.get("source") or None,
        published=_aware(published) if published else None,
    )


def _aware(text: str) -> datetime | None:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.astimezone()


def judged(
    pairs: Sequence[tuple[Article, Article]],
    labels: Sequence[tuple[str, str]],
    policy: Policy,
    *,
    exact: bool = True,
) -> list[Judged]:
    """Each pair with its decision under the policy."""
    recipe = Recipe()
    flat = [article for pair in pairs for article in pair]
    prints = list(fingerprints(flat, recipe))
    couples = list(zip(prints[::2], prints[1::2], strict=True))
    places = [(2 * number, 2 * number + 1) for number in range(len(pairs))]
    counted = overlaps(flat, places, recipe) if exact else [None] * len(pairs)
    exact_overlaps = [
        count if a.words and b.words else None
        for count, (a, b) in zip(counted, couples, strict=True)
    ]
    comparisons = compare_pairs(RowPairs.of(couples), exact_overlaps)
    return [
        Judged(a, b, *label, evidence, decide(evidence, policy))
        for (a, b), label, evidence in zip(pairs, labels, comparisons, strict=True)
    ]


def near_relations(policy: Policy) -> list[Judged]:
    """The labelled pairs of one wire: copies, and notices in one form."""
    articles = {row["id"]: article(row) for row in corpora.articles("reuters21578")}
    labels = rows("near-relations")
    pairs = [(articles[row["a"]], articles[row["b"]]) for row in labels]
    return judged(pairs, [(row["relation"], row["certain"]) for row in labels], policy)


def headline_pairs(policy: Policy, *, timed: bool = False) -> list[Judged]:
    """The labelled pairs of hard headlines, by their titles, and by their times where known."""
    labels = [row for row in rows("headline-pairs") if row["label"] != "unsure"]
    pairs = [
        (
            _titled("a", row, timed=timed),
            _titled("b", row, timed=timed),
        )
        for row in labels
    ]
    return judged(pairs, [(row["label"], row["trap"]) for row in labels], policy)


def _titled(side: str, row: dict[str, str], *, timed: bool) -> Article:
    return article(
        {
            "id": side + row[f"id_{side}"],
            "title": row[f"title_{side}"],
            "published": row[f"published_{side}"] if timed else None,
        }
    )


def f1(found: Sequence[Judged]) -> dict[str, float]:
    """Precision, recall and F1 of "same": all that is a duplicate and no revision."""
    said = list(map(said_same, found))
    same = [pair.label == "same" for pair in found]
    hits = sum(a and b for a, b in zip(said, same, strict=True))
    precision, recall = hits / max(1, sum(said)), hits / max(1, sum(same))
    return {
        "precision": precision,
        "recall": recall,
        "f1": 2 * precision * recall / max(1e-9, precision + recall),
    }


def said_same(pair: Judged) -> bool:
    """Whether a pair is called the same news: a duplicate and no revision."""
    return pair.decision.duplicate and pair.decision.relation is not Relation.REVISION


def apart_and_kept(found: Sequence[Judged]) -> dict[str, float]:
    """The share of templates kept apart, and of copies found as duplicates."""
    templates = [not pair.decision.duplicate for pair in found if pair.label == "template"]
    copies = [pair.decision.duplicate for pair in found if pair.label in COPIES]
    return {
        "templates_apart": sum(templates) / len(templates),
        "templates": len(templates),
        "copies_kept": sum(copies) / len(copies),
        "copies": len(copies),
    }


def merges(name: str, policy: Policy) -> tuple[list[Judged], int]:
    """All pairs of a set that the policy calls duplicates, and how many keys were too common."""
    recipe = Recipe()
    articles = [article(row) for row in corpora.articles(name)]
    prints = list(fingerprints(articles, recipe, threads=0))
    pairs, common = candidates(prints, recipe)
    judgements: list[Judged] = []
    for start in range(0, len(pairs), 4096):
        batch = pairs[start : start + 4096]
        judgements += _duplicates(batch, articles, prints, policy)
    return judgements, common


def _duplicates(
    pairs: Sequence[tuple[int, int]],
    articles: Sequence[Article],
    made: Sequence[Fingerprint],
    policy: Policy,
) -> Iterator[Judged]:
    places = sorted({place for pair in pairs for place in pair})
    number = {place: n for n, place in enumerate(places)}
    counted = overlaps([articles[p] for p in places], [(number[a], number[b]) for a, b in pairs])
    exact_overlaps = [
        count if made[a].words and made[b].words else None
        for count, (a, b) in zip(counted, pairs, strict=True)
    ]
    comparisons = compare_pairs(RowPairs.of((made[a], made[b]) for a, b in pairs), exact_overlaps)
    for (a, b), evidence in zip(pairs, comparisons, strict=True):
        decision = decide(evidence, policy)
        if decision.duplicate:
            yield Judged(articles[a], articles[b], "", "", evidence, decision)


def candidates(made: Sequence[Fingerprint], recipe: Recipe) -> tuple[list[tuple[int, int]], int]:
    """All pairs that share a key, and how many keys were shared by too many."""
    filed: dict[int, list[int]] = {}
    for place, row in enumerate(blocking_keys(made, recipe)):
        for key in row.tolist():
            filed.setdefault(key, []).append(place)
    groups = [group for group in filed.values() if len(group) > 1]
    small = [group for group in groups if len(group) <= LARGEST_GROUP]
    pairs = {pair for group in small for pair in combinations(group, 2)}
    return sorted(pairs), len(groups) - len(small)


def clusters(name: str) -> dict[str, str]:
    """The story of each article of a set."""
    with (corpora.DATA / name / "clusters.csv").open(encoding="utf-8", newline="") as lines:
        return {row["id"]: row["cluster"] for row in csv.DictReader(lines)}


def rows(name: str) -> list[dict[str, str]]:
    """The labelled pairs of a set."""
    with (corpora.DATA / name / "pairs.csv").open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def mistakes(found: Sequence[Judged], console: Console) -> None:
    """The pairs that were judged otherwise than their readers did, for looking at."""
    table = Table("label", "we say", "rule", "titles")
    for pair in found:
        mistaken = pair.decision.duplicate != (pair.label in COPIES)
        if mistaken:
            shown = f"{pair.a.title}\n{pair.b.title}"
            rule = f"{pair.decision.rule}: {pair.decision.reason}"
            table.add_row(f"{pair.label} {pair.trap}", pair.decision.relation, rule, shown)
    console.print(table)


def main() -> None:
    """Judge one set, and list what went wrong."""
    console = Console(width=180)
    policy = POLICIES["default"]
    for name in sys.argv[1:] or ["near-relations", "headline-pairs", "allsides"]:
        if name == "near-relations":
            pairs = near_relations(policy)
            mistakes(pairs, console)
            console.print(apart_and_kept(pairs))
        elif name == "headline-pairs":
            pairs = headline_pairs(policy)
            mistakes(pairs, console)
            console.print(f1(pairs), "with times:", f1(headline_pairs(policy, timed=True)))
        else:
            pairs, common = merges(name, policy)
            for pair in pairs:
                e = pair.evidence
                console.print(
                    f"{pair.decision.relation} {pair.decision.confidence:.2f} "
                    f"{pair.a.id} {pair.b.id} overlap {e.overlap or 0:.2f} "
                    f"soft {e.title_soft or 0:.2f}, {e.words}: {pair.a.title} | {pair.b.title}",
                    markup=False,
                )
            console.print(name, Counter(pair.decision.relation for pair in pairs), common)


if __name__ == "__main__":
    main()
