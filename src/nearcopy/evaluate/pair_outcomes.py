"""Outcomes: labelled pairs as the library judges them, and the worst of its mistakes."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice

from nearcopy.config import Policy, Recipe
from nearcopy.evaluate.label_schemes import Target, relations
from nearcopy.evaluate.result_types import Labelled, Mistake, Outcome
from nearcopy.fingerprint.fingerprint import fingerprints
from nearcopy.match.explain import explain
from nearcopy.match.judge_pairs import NOT_COMPARED, Judgement, comparable, judged
from nearcopy.models.model import Article, Evidence

BATCH = 2048  # pairs judged at once
OUTSIDE = Judgement(Evidence(), NOT_COMPARED, 0.0, None)


def outcomes(
    pairs: Iterable[Labelled], recipe: Recipe, policy: Policy, target: Target
) -> Iterator[Outcome]:
    """What we make of each pair, in order."""
    called = relations(target, policy)
    rest = iter(pairs)
    while batch := list(islice(rest, BATCH)):
        for pair, found in zip(batch, _judged(batch, recipe, policy), strict=True):
            yield outcome(pair, found, target, found.decision.relation in called)


def outcome(pair: Labelled, found: Judgement, target: Target, said: bool) -> Outcome:
    """The pair beside what was found."""
    return Outcome(pair, found, said, score(found, target))


def score(found: Judgement, target: Target) -> float:
    """How surely the two are what is asked for, 0..1.

    For duplicates that is the confidence; of what is no duplicate half of `news`, so that it ranks
    below.
    """
    if target == "news":
        return found.news
    if target == "copy":
        return found.copy or 0.0
    return found.decision.confidence if found.decision.duplicate else found.news / 2


def _judged(batch: Sequence[Labelled], recipe: Recipe, policy: Policy) -> list[Judgement]:
    """Judged under ids of their own, as one id may stand for other articles in other rows."""
    names: dict[Article, str] = {}
    for article in (each for pair in batch for each in (pair.a, pair.b)):
        names.setdefault(article, str(len(names)))
    articles = {name: replace(each, id=name) for each, name in names.items()}
    made = dict(zip(articles, fingerprints(articles.values(), recipe), strict=True))
    pairs = [(made[names[pair.a]], made[names[pair.b]]) for pair in batch]
    found = judged(
        pairs, recipe, policy, lambda ids: {name: articles[name] for name in sorted(ids)}
    )
    return [
        each if comparable(*pair, policy) else OUTSIDE
        for each, pair in zip(found, pairs, strict=True)
    ]


def worst(
    found: Iterable[Outcome],
    recipe: Recipe,
    policy: Policy,
    limit: int,
    surest: Callable[[Outcome], float] = lambda each: each.score,
) -> tuple[Mistake, ...]:
    """At most so many false alarms, surest first, then as many misses, least sure first."""
    wrong = [each for each in found if each.pair.same is not None and each.said != each.pair.same]
    alarms = sorted((each for each in wrong if each.said), key=lambda each: -surest(each))
    misses = sorted((each for each in wrong if not each.said), key=surest)
    return tuple(_explained(each, recipe, policy) for each in (*alarms[:limit], *misses[:limit]))


def _explained(each: Outcome, recipe: Recipe, policy: Policy) -> Mistake:
    why = replace(explain(each.pair.a, each.pair.b, recipe, policy), judgement=each.judgement)
    return Mistake("false alarm" if each.said else "miss", each, why)
