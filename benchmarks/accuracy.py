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
from nearcopy.fingerprint.fingerprint_table import RowPairs
from nearcopy.match.judgement import Judgement, JudgementTable, judge_pairs

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


def judgements(pairs: Sequence[Pair], also: frozenset[str] = frozenset()) -> JudgementTable:
    """What is judged of each pair; `also` names measures that the policy does not read."""
    flat = [
        replace(article, id=f"{n}") for n, article in enumerate(e for pair in pairs for e in pair)
    ]
    prints, texts = list(fingerprints(flat)), {article.id: article for article in flat}
    couples = RowPairs.of(zip(prints[::2], prints[1::2], strict=True))
    return judge_pairs(
        couples, Recipe(), POLICY, lambda ids: {name: texts[name] for name in ids}, also=also
    )


# Pairs.


@cache
def near_relations() -> list[tuple[str, Judgement]]:
    """The pairs of one wire that were read, by label."""
    articles = {row["id"]: relations.article(row) for row in corpora.articles("reuters21578")}
    labels = relations.rows("near-relations")
    judged = judgements([(articles[row["a"]], articles[row["b"]]) for row in labels])
    return [(row["relation"], judgement) for row, judgement in zip(labels, judged, strict=True)]


def notices() -> Iterator[Row]:
    """Notices of one form kept apart, copies found."""
    pairs = near_relations()
    apart = [not judgement.decision.duplicate for label, judgement in pairs if label == "template"]
    copies = [judgement.decision.duplicate for label, judgement in pairs if label in COPIES]
    yield row("near-relations", "notices of one form kept apart", share(apart), len(apart))
    yield row("near-relations", "copies found", share(copies), len(copies))


@cache
def headlines(*, timed: bool) -> list[tuple[str, str, Judgement]]:
    """The hard headline pairs by label and trap, with the times where known or without."""
    labels = [row for row in relations.rows("headline-pairs") if row["label"] != "unsure"]
    pairs = [(_headline(row, "a", timed), _headline(row, "b", timed)) for row in labels]
    judged = judgements(pairs)
    return [(x["label"], x["trap"], y) for x, y in zip(labels, judged, strict=True)]


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
        pairs = headlines(timed=timed)
        said, same = [is_same(e) for *_, e in pairs], [label == "same" for label, *_ in pairs]
        scores = bootstrap({"f1": lambda w, s=said, t=same: f1(s, t, w)}, len(pairs))  # type: ignore[misc]
        yield row("headline-pairs", name, scores["f1"], len(pairs))
    traps: dict[str, list[bool]] = defaultdict(list)
    for label, trap, judgement in headlines(timed=True):
        if label == "different" and trap in FACT_TRAPS:
            traps[trap].append(is_same(judgement))
    mistakes = [flag for flags in traps.values() for flag in flags]
    yield row(
        "headline-pairs", "other facts called the same", share(mistakes), len(mistakes),
        {trap: f"{sum(flags)} of {len(flags)}" for trap, flags in sorted(traps.items())},
    )  # fmt: skip


def graded_headlines() -> Iterator[Row]:
    """The title measure against human grades."""
    labels = relations.rows("sts-headlines")
    pairs = [
        (Article(id="a", title=row["title_a"]), Article(id="b", title=row["title_b"]))
        for row in labels
    ]
    judged = judgements(pairs, frozenset(("grade",)))
    scores = [judgement.evidence.title_grade or 0.0 for judgement in judged]
    grades = [float(row["similarity"]) for row in labels]
    yield row(
        "sts-headlines", "Pearson of the titles", _pearson(scores, grades), len(labels),
        {"measure": "title_grade"},
    )  # fmt: skip


@cache
def news_pairs() -> list[tuple[str, float, Judgement]]:
    """The pairs of semeval22 in one language: the language, the human grade, the judgement."""
    articles = {row["id"]: relations.article(row) for row in corpora.articles("semeval22")}
    labels = [
        row
        for row in relations.rows("semeval22")
        if row["lang_a"] == row["lang_b"] and row["a"] in articles and row["b"] in articles
    ]
    judged = judgements([(articles[row["a"]], articles[row["b"]]) for row in labels])
    return [
        (label["lang_a"], float(label["overall"]), judgement)
        for label, judgement in zip(labels, judged, strict=True)
    ]


def news() -> Iterator[Row]:
    """The event score against human grades, in total and by language."""
    pairs = news_pairs()
    scores, grades = (
        [judgement.event_score for *_, judgement in pairs],
        [-grade for _, grade, _ in pairs],
    )
    yield row("semeval22", "Pearson of the event score", _pearson(scores, grades), len(pairs))
    for language in sorted({language for language, *_ in pairs}):
        points = [
            (judgement.event_score, -grade) for lang, grade, judgement in pairs if lang == language
        ]
        yield row(
            "semeval22", f"Pearson of the event score, {language}",
            _pearson([a for a, _ in points], [b for _, b in points]), len(points),
        )  # fmt: skip
    sure = [(e.event_score, g <= SAME_NEWS) for _, g, e in pairs if not SAME_NEWS < g < OTHER_NEWS]
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
        return {member.id: story.id for story in deduper.stories() for member in story.members}


def told(name: str) -> Iterator[Row]:
    """How the stories of a set agree with its events."""
    events, story = relations.clusters(name), stories(name)
    ids = [article_id for article_id in events if article_id in story]
    scores = bootstrap_clusters(count_cells([events[n] for n in ids], [story[n] for n in ids]))
    details = {n: round(scores[n].value or 0.0, 4) for n in ("bcubed_precision", "bcubed_recall")}
    of = f"{len(ids)} articles, {len(set(events.values()))} events"
    yield row(name, "BCubed F1 of the stories", scores["bcubed_f1"], of, details)


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
        pairs = [
            tuple(sorted((verdict.id, str(verdict.match)), key=lambda name: int(name[1:])))
            for verdict in deduper.run(articles)
            if verdict.is_duplicate
        ]
    unread = [pair for pair in pairs if pair not in LOOKED_AT]
    yield Row(
        "allsides", "articles wrongly merged", len(unread), of=f"{len(pairs)} merged of 12,000",
        details={"unread": [" ".join(pair) for pair in unread]},
    )  # fmt: skip


def scripted() -> Iterator[Row]:
    """Copies made by script that a Deduper finds."""
    texts = edits.texts()
    for name in edits.EDITS:
        yield _copies(f"found: {name}", edits.found(name, texts))
        yield _copies(f"judged a copy: {name}", edits.judged_copies(name, texts))


def _copies(measure: str, found: Sequence[edits.Found]) -> Row:
    by: dict[str, list[bool]] = defaultdict(list)
    for finding in found:
        by[finding.language].append(finding.found)
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
