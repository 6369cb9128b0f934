"""The score card: what counted when the kept copy was chosen, of each member.

It is read from what was written down then: worked out anew, by another policy or beside others, it
might tell of another choice.
"""

import re
from collections.abc import Iterable
from typing import Any

from nearcopy.config import Scoring

NUMBER = r"(-?[\d.]+(?:e[+-]\d+)?)"
CARD = re.compile(
    rf"{NUMBER} points: length {NUMBER} for (\d+) words, details {NUMBER} for (\d+), "
    rf"source {NUMBER} for (an unknown tier|tier -?\d+), freshness {NUMBER}$"
)
JUNK = re.compile(r"junk \(([^()]*)\)")


def score_card(why: str) -> dict[str, Any] | None:
    """The points of a member by what they were given for; None where that is not told."""
    found = CARD.search(why[-400:])
    if found is None:
        return None
    total, length, words, details, count, source, tier, freshness = found.groups()
    junk = JUNK.match(why)
    return {
        "length": float(length),
        "words": int(words),
        "details": float(details),
        "detail_count": int(count),
        "source": float(source),
        "tier": None if tier.startswith("an") else int(tier.removeprefix("tier ")),
        "freshness": float(freshness),
        "total": float(total),
        "junk": junk[1] if junk else None,
    }


def most_points(scoring: Scoring) -> dict[str, float]:
    """What could be had for each."""
    return {
        "length": scoring.length,
        "details": scoring.details,
        "source": max(scoring.tiers, default=0.0),
        "freshness": scoring.freshness,
    }


def best_first(members: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """The members that have a card: the kept copy, then the others by points."""
    kept, *others = members
    ranked = sorted(others, key=lambda each: -each["score"])
    return [each for each in (kept, *ranked) if each["card"]]
