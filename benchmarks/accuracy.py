"""How the default policy judges the labelled news: a row for each promise.

Pairs go the way of all pairs, from fingerprints to `judged`, and stories are those that a Deduper
tells; nothing is measured by a way of its own.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

import block_pages
import corpora
import edits
import relations
from calibration import calibration_rows
from floors import Row, is_there, share
from held_out import held_out_rows
from nearcopy import POLICIES, Article, Deduper, Recipe, Relation, fingerprints
from nearcopy.evaluate.clusters import bootstrap_clusters, count_cells
from nearcopy.evaluate.metrics import Estimate, auc, bootstrap, f1, pearson
from nearcopy.match.judgement import Judgement, judge_pairs

POLICY = POLICIES["default"]
COPIES = {"same", "revision", "excerpt"}
FACT_TRAPS = {"number", "amount", "date", "ordinal", "name", "place"}
SAME_NEWS, OTHER_NEWS = 1.5, 2.5  # of four, where annotators surely mean so

# What the default policy merges in allsides, each pair looked at: what they share, and what not.
LOOKED_AT = {
    ("l725", "l9564"): "a post of a sentence or two over a quotation of nearly all of the other",
    ("l967", "l4145"): "one agency's story in two papers, retitled",
    ("l2148", "l2191"): "one address, and the one text holds all of the other",
    ("l8351", "l10317"): "one column in two papers, edited and retitled",
}

Pair = tuple[Article, Article]


def judgements(pairs: Sequence[Pair], also: frozenset[str] = frozenset()) -> list[Judgement]:
    """What is judged of each pair; `also` names measures that the policy does not read."""
    flat = [replace(each, id=f"{n}") for n, each in enumerate(e for pair in pairs for e in pair)]
    made, texts = list(fingerprints(flat)), {each.id: each for each in flat}
    couples = list(zip(made[::2], made[1::2], strict=True))
    return judge_pairs(
        couples, Recipe(), POLICY, lambda ids: {each: texts[each] for each in ids}, also=also
    )


# Pairs.


@cache
def near_relations() -> list[tuple[str, Judgement]]:
    """The pairs of one wire that were read, by label."""
    known = {row["id"]: relations.article(row) for row in corpora.articles("reuters21578")}
    labels = relations.rows("near-relations")
    found = judgements([(known[row["a"]], known[row["b"]]) for row in labels])
    return [(row["relation"], each) for row, each in zip(labels, found, strict=True)]


def notices() -> Iterator[Row]:
    """Notices of one form kept apart, copies found."""
    found = near_relations()
    apart = [not each.decision.duplicate for label, each in found if label == "template"]
    copies = [each.decision.duplicate for label, each in found if label in COPIES]
    yield row("near-relations", "notices of one form kept apart", share(apart), len(apart))
    yield row("near-relations", "copies found", share(copies), len(copies))


@cache
def headlines(*, timed: bool) -> list[tuple[str, str, Judgement]]:
    """The hard headline pairs by label and trap, with the times where known or without."""
    labels = [each for each in relations.rows("headline-pairs") if each["label"] != "unsure"]
    pairs = [(_headline(each, "a", timed), _headline(each, "b", timed)) for each in labels]
    found = judgements(pairs)
    return [(x["label"], x["trap"], y) for x, y in zip(labels, found, strict=True)]


def _headline(labelled: Mapping[str, str], side: str, timed: bool) -> Article:
    published = labelled[f"published_{side}"] if timed else None
    return relations.article(
        {"id": side, "title": labelled[f"title_{side}"], "published": published}
    )


def is_same(each: Judgement) -> bool:
    """Whether a headline is called the same: a duplicate, and no new version."""
    return each.decision.duplicate and each.decision.relation is not Relation.REVISION


def hard_headlines() -> Iterator[Row]:
    """F1 of the same, and how many with other facts are called the same."""
    for name, timed in (("F1 of the same", True), ("F1 of the same, without times", False)):
        found = headlines(timed=timed)
        said, same = [is_same(e) for *_, e in found], [label == "same" for label, *_ in found]
        scores = bootstrap({"f1": lambda w, s=said, t=same: f1(s, t, w)}, len(found))  # type: ignore[misc]
        yield row("headline-pairs", name, scores["f1"], len(found))
    traps: dict[str, list[bool]] = defaultdict(list)
    for label, trap, each in headlines(timed=True):
        if label == "different" and trap in FACT_TRAPS:
            traps[trap].append(is_same(each))
    wrong = [each for flags in traps.values() for each in flags]
    yield row(
        "headline-pairs", "other facts called the same", share(wrong), len(wrong),
        {trap: f"{sum(flags)} of {len(flags)}" for trap, flags in sorted(traps.items())},
    )  # fmt: skip


def graded_headlines() -> Iterator[Row]:
    """The title measure against human grades."""
    labels = relations.rows("sts-headlines")
    pairs = [
        (Article(id="a", title=each["title_a"]), Article(id="b", title=each["title_b"]))
        for each in labels
    ]
    found = judgements(pairs, frozenset(("grade",)))
    scores = [each.evidence.title_grade or 0.0 for each in found]
    grades = [float(each["similarity"]) for each in labels]
    yield row(
        "sts-headlines", "Pearson of the titles", _pearson(scores, grades), len(labels),
        {"measure": "title_grade"},
    )  # fmt: skip


@cache
def news_pairs() -> list[tuple[str, float, Judgement]]:
    """The pairs of semeval22 in one language: the language, the human grade, the judgement."""
    known = {each["id"]: relations.article(each) for each in corpora.articles("semeval22")}
    labels = [
        each
        for each in relations.rows("semeval22")
        if each["lang_a"] == each["lang_b"] and each["a"] in known and each["b"] in known
    ]
    found = judgements([(known[each["a"]], known[each["b"]]) for each in labels])
    return [
        (label["lang_a"], float(label["overall"]), each)
        for label, each in zip(labels, found, strict=True)
    ]


def news() -> Iterator[Row]:
    """The event score against human grades, in total and by language."""
    found = news_pairs()
    scores, grades = [each.event_score for *_, each in found], [-grade for _, grade, _ in found]
    yield row("semeval22", "Pearson of the event score", _pearson(scores, grades), len(found))
    for language in sorted({language for language, *_ in found}):
        some = [(each.event_score, -grade) for known, grade, each in found if known == language]
        yield row(
            "semeval22", f"Pearson of the event score, {language}",
            _pearson([a for a, _ in some], [b for _, b in some]), len(some),
        )  # fmt: skip
    sure = [(e.event_score, g <= SAME_NEWS) for _, g, e in found if not SAME_NEWS < g < OTHER_NEWS]
    values, same = [score for score, _ in sure], [flag for _, flag in sure]
    scores_of = bootstrap({"auc": lambda weights: auc(values, same, weights)}, len(sure))
    yield row("semeval22", "AUC of the event score", scores_of["auc"], len(sure))


# Stories.


@cache
def stories(name: str) -> dict[str, str]:
    """The story of each article when a Deduper clusters a whole set, without a window."""
    with Deduper(policy=replace(POLICY, window=None)) as deduper:
        for _ in deduper.run(map(relations.article, corpora.articles(name))):
            pass
        return {each.id: story.id for story in deduper.stories() for each in story.members}


def told(name: str) -> Iterator[Row]:
    """How the stories of a set agree with its events."""
    events, story = relations.clusters(name), stories(name)
    known = [each for each in events if each in story]
    found = bootstrap_clusters(count_cells([events[n] for n in known], [story[n] for n in known]))
    details = {n: round(found[n].value or 0.0, 4) for n in ("bcubed_precision", "bcubed_recall")}
    of = f"{len(known)} articles, {len(set(events.values()))} events"
    yield row(name, "BCubed F1 of the stories", found["bcubed_f1"], of, details)


def look_alikes() -> Iterator[Row]:
    """Articles on two events of one kind that are in one story."""
    events, story = relations.clusters("ecbplus"), stories("ecbplus")
    halves: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for name, event in events.items():
        halves[event.split("_")[0]][event].append(story[name])
    pairs = [list(both.values()) for both in halves.values() if len(both) == 2]
    merged = [one == other for first, second in pairs for one in first for other in second]
    yield row("ecbplus", "look-alike events merged", share(merged), f"{len(merged):,} pairs")


def merges() -> Iterator[Row]:
    """False positives: articles on the same subjects called duplicates without a label."""
    articles = map(relations.article, corpora.articles("allsides"))
    with Deduper(policy=replace(POLICY, window=None)) as deduper:
        found = [
            tuple(sorted((each.id, str(each.match)), key=lambda name: int(name[1:])))
            for each in deduper.run(articles)
            if each.is_duplicate
        ]
    wrong = [pair for pair in found if pair not in LOOKED_AT]
    yield Row(
        "allsides", "articles wrongly merged", len(wrong), of=f"{len(found)} merged of 12,000",
        details={"unread": [" ".join(pair) for pair in wrong]},
    )  # fmt: skip


def scripted() -> Iterator[Row]:
    """Copies made by script that a Deduper finds."""
    known = edits.texts()
    for name in edits.EDITS:
        yield _copies(f"found: {name}", edits.found(name, known))
        yield _copies(f"judged a copy: {name}", edits.judged_copies(name, known))


def _copies(measure: str, found: Sequence[edits.Found]) -> Row:
    by: dict[str, list[bool]] = defaultdict(list)
    for each in found:
        by[each.language].append(each.found)
    shares = {language: round(float(np.mean(flags)), 3) for language, flags in by.items()}
    return row("own texts", measure, share(e.found for e in found), f"{len(found)} texts", shares)


def calibrated() -> Iterator[Row]:
    """How far the confidence is from how often it is right."""
    pairs = near_relations(), headlines(timed=True), news_pairs()
    yield from calibration_rows(*pairs)
    yield from held_out_rows(*pairs)


SECTIONS: Mapping[str, tuple[str, Callable[[], Iterator[Row]]]] = {
    "copies and notices": ("near-relations", notices),
    "hard headlines": ("headline-pairs", hard_headlines),
    "graded headlines": ("sts-headlines", graded_headlines),
    "stories of wikinews": ("wikinews", lambda: told("wikinews")),
    "stories of ecbplus": ("ecbplus", lambda: told("ecbplus")),
    "look-alike events": ("ecbplus", look_alikes),
    "the same news": ("semeval22", news),
    "block pages": ("block pages", block_pages.rows),
    "merges": ("allsides", merges),
    "copies by script": ("own texts", scripted),
    "confidence": ("labelled pairs", calibrated),
}


def present() -> list[str]:
    """The sections whose sets are there."""
    return [name for name, (needed, _) in SECTIONS.items() if is_there(needed)]


def row(
    name: str, measure: str, found: Estimate, of: int | str, details: dict[str, Any] | None = None
) -> Row:
    """A measurement as a row."""
    count = f"{of:,} pairs" if isinstance(of, int) else of
    value = float("nan") if found.value is None else found.value
    return Row(name, measure, value, found.low, found.high, count, details or {})


def _pearson(one: Sequence[float], other: Sequence[float]) -> Estimate:
    return bootstrap({"r": lambda weights: pearson(one, other, weights)}, len(one))["r"]
