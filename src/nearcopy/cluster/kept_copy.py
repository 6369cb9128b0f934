"""The kept copy: the canonical copy among duplicates, and why it is the best.

Scores are relative to the other copies, not to the clock: freshness to the newest, length to the
longest. Block pages do not affect the others' scores, and are kept only where all are.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from types import MappingProxyType
from typing import Any, NamedTuple

from nearcopy.config import Keep, Policy, Scoring
from nearcopy.models import Fingerprint

DAY = timedelta(days=1)
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
Preferred = Mapping[str, int]  # copies chosen by users; the highest number takes precedence
NO_PREFERENCE: Preferred = MappingProxyType({})


class ScoreCard(NamedTuple):
    """The points of one copy by criterion, and in one sentence."""

    length: float
    details: float
    tier: float
    freshness: float
    total: float
    why: str


class RankedCopy(NamedTuple):
    """A copy with its sort key: the best first, one part for each rule."""

    key: tuple[Any, ...]
    copy: Fingerprint
    card: ScoreCard


def rank_copies(
    members: Sequence[Fingerprint], policy: Policy, preferred: Preferred = NO_PREFERENCE
) -> list[RankedCopy]:
    """The copies with their score cards, best first; ties go to the earlier one, then by id.

    Those chosen by users come before all others. The first is the kept copy.
    """
    if policy.compares == "text":  # block pages are detected by more than the text
        members = [
            copy if copy.block_page is None else replace(copy, block_page=None) for copy in members
        ]
    ranked = []
    for copy, card in zip(members, score_cards(members, policy), strict=True):
        rules = (_key(rule, copy, card, policy) for rule in policy.keep)
        first = -preferred.get(copy.id, 0), copy.block_page is not None
        ranked.append(RankedCopy((first, *rules, by_age(copy)), copy, card))
    return sorted(ranked, key=lambda copy: copy.key)


def score_cards(members: Sequence[Fingerprint], policy: Policy) -> list[ScoreCard]:
    """The score card of every copy relative to the others, in the same order.

    >>> [card.total for card in score_cards([Fingerprint(id="a", words=9, tier=1)], Policy())]
    [50.0]
    """
    proper = [copy for copy in members if copy.block_page is None] or members
    longest = max((copy.words for copy in proper), default=0)
    newest = max((copy.published for copy in proper if copy.published), default=None)
    return [_card(copy, longest, newest, policy.scoring) for copy in members]


def score_single_copy(copy: Fingerprint, policy: Policy) -> ScoreCard:
    """The score card of a copy without duplicates."""
    return _card(copy, copy.words, copy.published, policy.scoring)


class SingleCopyScores:
    """The score cards of copies without duplicates, cached by what they depend on."""

    def __init__(self, policy: Policy) -> None:
        self.policy = policy
        self._cards: dict[tuple[int, int, int | None, bool, str | None], ScoreCard] = {}

    def of(self, copy: Fingerprint) -> ScoreCard:
        """The score card of a copy."""
        key = (copy.words, copy.details, copy.tier, copy.published is None, copy.block_page)
        card = self._cards.get(key)
        if card is None:
            card = self._cards[key] = score_single_copy(copy, self.policy)
        return card


def age(copy: Fingerprint) -> datetime | None:
    """The publication time of a copy, else when it was seen; None where neither is known."""
    return copy.published if copy.published is not None else copy.seen


def by_age(copy: Fingerprint) -> tuple[tuple[bool, timedelta], str]:
    """A sort key: by age, unknown last, then by id."""
    date = age(copy)
    return (date is None, timedelta(0) if date is None else date - EPOCH), copy.id


def _since_epoch(copy: Fingerprint) -> timedelta:
    return timedelta(0) if copy.published is None else copy.published - EPOCH


def _key(rule: Keep, copy: Fingerprint, card: ScoreCard, policy: Policy) -> Any:
    """A sort key by one rule, the best first."""
    match rule:
        case "best":
            return -card.total
        case "earliest":
            return copy.published is None, _since_epoch(copy)
        case "latest":
            return copy.published is None, -_since_epoch(copy)
        case "longest":
            return -copy.words
        case "source-rank":  # then by tier; unknown sources and tiers come last
            rank = policy.source_rank
            place = rank.index(copy.source) if copy.source in rank else len(rank)
            return place, copy.tier is None, copy.tier or 0


def _card(copy: Fingerprint, longest: int, newest: datetime | None, scoring: Scoring) -> ScoreCard:
    length = round(scoring.length * _length_share(copy.words, longest, scoring), 2)
    details = min(scoring.details, scoring.detail * copy.details)
    tier = _tier(copy.tier, scoring.tiers)
    freshness = round(_freshness(copy.published, newest, scoring), 2)
    total = round(length + details + tier + freshness, 2)
    why = (
        f"{total:g} points: length {length:g} for {copy.words} words, details {details:g} for "
        f"{copy.details}, source {tier:g} for {_tier_name(copy.tier)}, freshness {freshness:g}"
    )
    if copy.block_page is not None:
        why = f"block page ({copy.block_page}), kept only where all are; {why}"
    return ScoreCard(length, details, tier, freshness, total, why)


def _length_share(words: int, longest: int, scoring: Scoring) -> float:
    """The full share for the longest, and for those that it does not exceed by enough."""
    if words <= 0:
        return 0.0
    return 1.0 if words * (1 + scoring.longer) > longest else min(1.0, words / longest)


def _tier(tier: int | None, points: tuple[float, ...]) -> float:
    if not points:
        return 0.0
    place = len(points) if tier is None else min(max(tier, 1), len(points))
    return points[place - 1]


def _tier_name(tier: int | None) -> str:
    return "an unknown tier" if tier is None else f"tier {tier}"


def _freshness(published: datetime | None, newest: datetime | None, scoring: Scoring) -> float:
    """Points that fall with every day behind the newest; none without a date."""
    if published is None or newest is None:
        return 0.0
    behind = max(0.0, (newest - published) / DAY)
    return max(0.0, scoring.freshness - scoring.stale_per_day * behind)


def explain_choice(ranked: Sequence[RankedCopy], policy: Policy) -> str:
    """The rule that decided for the first of the ranked copies, in one sentence.

    >>> copies = [Fingerprint(id="a", words=80), Fingerprint(id="b", words=120)]
    >>> policy = Policy(keep=("longest",))
    >>> explain_choice(rank_copies(copies, policy), policy)
    'longest of 2: 120 words'
    """
    if len(ranked) == 1:
        return "the only copy"
    block_pages = sum(ranked_copy.copy.block_page is not None for ranked_copy in ranked)
    if block_pages == len(ranked):
        return f"all {block_pages} are block pages; {_deciding_rule(ranked, policy)}"
    if block_pages == len(ranked) - 1:
        return f"the only one of {len(ranked)} that is no block page"
    aside = f", {block_pages} block pages aside" if block_pages else ""
    return _deciding_rule([c for c in ranked if c.key[0] == ranked[0].key[0]], policy) + aside


def _deciding_rule(ranked: Sequence[RankedCopy], policy: Policy) -> str:
    first, tied = ranked[0], list(ranked)
    for place, rule in enumerate(policy.keep, start=1):
        left = [copy for copy in tied if copy.key[place] == first.key[place]]
        if len(left) == 1:
            alike = f" (alike by {', '.join(policy.keep[: place - 1])})" if place > 1 else ""
            return _sentence(rule, first, len(tied)) + alike
        tied = left
    last = "earlier" if by_age(tied[1].copy)[0] != by_age(first.copy)[0] else "first by id"
    return f"{last} of {len(tied)} alike by {', '.join(policy.keep)}"


def _sentence(rule: Keep, first: RankedCopy, count: int) -> str:
    copy = first.copy
    if rule == "best":
        return f"best of {count}: {first.card.why}"
    if rule == "longest":
        return f"longest of {count}: {copy.words} words"
    if rule == "source-rank":
        return f"best source of {count}: {copy.source or 'unnamed'}, {_tier_name(copy.tier)}"
    when = "no date" if copy.published is None else copy.published.isoformat(" ", "minutes")
    return f"{rule} of {count}: {when}"
