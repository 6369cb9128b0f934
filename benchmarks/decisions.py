"""Pairs a second: fingerprints compared into evidence, and decided."""

from collections.abc import Iterator, Sequence
from itertools import islice

import corpora
import relations
from context import Context
from nearcopy import POLICIES, Fingerprint, Policy, Recipe, fingerprints
from nearcopy.fingerprint.fingerprint_table import RowPairs
from nearcopy.match.compare import compare_pairs
from nearcopy.match.decide import decide_pairs
from results import Bar, Measurement, Work, rate
from timing import one_core, timed

BATCH = 4096
MOST_PAIRS = 20_000
PRESETS = ("default", "tracker", "digest")

Pairs = Sequence[tuple[Fingerprint, Fingerprint]]


def decisions(context: Context) -> Iterator[Measurement]:
    """Candidate pairs of a stream of headlines and of long articles, on one core."""
    pairs_by_kind = {
        "headlines": candidates("headline-stream", context.sizes.articles),
        "articles": candidates("reuters21578", context.sizes.articles),
    }
    for name, pairs in pairs_by_kind.items():
        if not pairs:
            context.say(f"no {name} in {corpora.DATA}: not measured")
            continue
        for preset in PRESETS:
            title = f"candidate {name} compared and decided, {preset}"
            work = Work(f"decisions/{name}/{preset}", title, "pairs/s", len(pairs))
            bar = Bar(">=", 1_000_000) if preset == "default" else None
            yield _speed(work, pairs, POLICIES[preset], context.sizes.rounds, bar)


def candidates(name: str, count: int) -> Pairs:
    """Pairs of a set that share a key, as a store would propose them."""
    if not (corpora.DATA / name).is_dir():
        return []
    articles = [relations.article(row) for row in islice(corpora.articles(name), count)]
    prints = list(fingerprints(articles))
    pairs, _ = relations.candidates(prints, Recipe())
    step = max(1, len(pairs) // MOST_PAIRS)
    return [(prints[a], prints[b]) for a, b in pairs[::step]]


def _speed(work: Work, pairs: Pairs, policy: Policy, rounds: int, bar: Bar | None) -> Measurement:
    all_pairs = RowPairs.of(pairs)
    batches = [all_pairs.take(slice(at, at + BATCH)) for at in range(0, len(pairs), BATCH)]

    def judged() -> object:
        return [
            decide_pairs(compare_pairs(batch, measures=policy.measures), policy).confidence
            for batch in batches
        ]

    with one_core():
        return rate(work, [timed(judged) for _ in range(rounds)], bar=bar)
