"""The kept copy: which of several copies to keep, and why.

No clock is read: freshness is told from the newest copy, length from the longest. Junk sets no
mark for the others and is never kept while anything else is there.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from types import MappingProxyType
from typing import Any, NamedTuple

from nearcopy.config import Keep, Policy, Scoring
from nearcopy.errors import BadArticle
from nearcopy.models.model import Fingerprint

DAY = timedelta(days=1)
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
Preferred = Mapping[str, int]  # articles that people want to be kept; the highest number goes first
NOBODY: Preferred = MappingProxyType({})


class Score(NamedTuple):
    """The points of a copy in all, and how they came about, in one sentence."""

    total: float
    why: str


class ScoreCard(NamedTuple):
    """The points of one copy, and the same in one sentence."""

    id: str
    length: float
    details: float
    tier: float
    freshness: float
    total: float
    why: str

    @property
    def score(self) -> Score:
        """All points together, and why."""
        return Score(self.total, self.why)


class Standing(NamedTuple):
    """A copy in its place: `key` sorts the best first, one part for each rule."""

    key: tuple[Any, ...]
    copy: Fingerprint
    card: ScoreCard


@dataclass(frozen=True, slots=True)
class Election:
    """The copy to keep, why, and the cards of all copies, best first."""

    kept: str
    why: str
    cards: tuple[ScoreCard, ...]


def elect(members: Sequence[Fingerprint], policy: Policy) -> Election:
    """The copy to keep by the rules of `policy.keep`, the same in whatever order they come.

    >>> copies = [Fingerprint(id="a", words=80), Fingerprint(id="b", words=120)]
    >>> elect(copies, Policy(keep=("longest",))).why
    'longest of 2: 120 words'
    """
    return election(standings(members, policy), policy)


def standings(
    members: Sequence[Fingerprint], policy: Policy, preferred: Preferred = NOBODY
) -> list[Standing]:
    """The copies with their cards, best first; the last ties fall to the earlier, then by id.

    Those that people prefer come before all others, junk or not.
    """
    if policy.compares == "text":  # what is junk is told by more than the text
        members = [copy if copy.junk is None else replace(copy, junk=None) for copy in members]
    made = (
        _standing(copy, card, policy, preferred.get(copy.id, 0))
        for copy, card in zip(members, cards(members, policy), strict=True)
    )
    return sorted(made, key=lambda standing: standing.key)


def election(ranked: Sequence[Standing], policy: Policy) -> Election:
    """The first of those ranked, and the rule that put it there."""
    if not ranked:
        raise BadArticle("there is no copy to keep among none: give at least one")
    return Election(ranked[0].copy.id, _why(ranked, policy), tuple(s.card for s in ranked))


def cards(members: Sequence[Fingerprint], policy: Policy) -> list[ScoreCard]:
    """The points of every copy beside the others, in the order given.

    >>> [card.total for card in cards([Fingerprint(id="a", words=9, tier=1)], Policy())]
    [50.0]
    """
    field = [copy for copy in members if copy.junk is None] or members
    longest = max((copy.words for copy in field), default=0)
    newest = max((copy.published for copy in field if copy.published), default=None)
    return [_card(copy, longest, newest, policy.scoring) for copy in members]


def lone_card(copy: Fingerprint, policy: Policy) -> ScoreCard:
    """The points of a copy beside no other."""
    return _card(copy, copy.words, copy.published, policy.scoring)


class LoneScores:
    """The scores of copies beside no other, worked out once for all that are alike."""

    def __init__(self, policy: Policy) -> None:
        self.policy = policy
        self.made: dict[tuple[int, int, int | None, bool, str | None], Score] = {}

    def of(self, copy: Fingerprint) -> Score:
        """What the copy's own card says."""
        kind = (copy.words, copy.details, copy.tier, copy.published is None, copy.junk)
        score = self.made.get(kind)
        if score is None:
            score = self.made[kind] = lone_card(copy, self.policy).score
        return score


def age(copy: Fingerprint) -> datetime | None:
    """When the copy was published, else when it was taken in; None where neither is known."""
    return copy.published if copy.published is not None else copy.seen


def by_age(copy: Fingerprint) -> tuple[tuple[bool, timedelta], str]:
    """What sorts copies by age, unknown last, and then by id."""
    when = age(copy)
    return (when is None, timedelta(0) if when is None else when - EPOCH), copy.id


def _standing(copy: Fingerprint, card: ScoreCard, policy: Policy, preferred: int) -> Standing:
    rules = (_key(rule, copy, card, policy) for rule in policy.keep)
    return Standing(((-preferred, copy.junk is not None), *rules, by_age(copy)), copy, card)


def _earliest(copy: Fingerprint) -> tuple[bool, timedelta]:
    return copy.published is None, _since_epoch(copy)


def _since_epoch(copy: Fingerprint) -> timedelta:
    return timedelta(0) if copy.published is None else copy.published - EPOCH


def _latest(copy: Fingerprint) -> tuple[bool, timedelta]:
    return copy.published is None, -_since_epoch(copy)


def _source_rank(copy: Fingerprint, policy: Policy) -> tuple[int, bool, int]:
    """The place of the source, then its tier; sources and tiers that are unknown come last."""
    rank = policy.source_rank
    place = rank.index(copy.source) if copy.source in rank else len(rank)
    return place, copy.tier is None, copy.tier or 0


def _key(rule: Keep, copy: Fingerprint, card: ScoreCard, policy: Policy) -> Any:
    """What sorts the copies by one rule, the best first."""
    match rule:
        case "best":
            return -card.total
        case "earliest":
            return _earliest(copy)
        case "latest":
            return _latest(copy)
        case "longest":
            return -copy.words
        case "source-rank":
            return _source_rank(copy, policy)


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
    if copy.junk is not None:
        why = f"junk ({copy.junk}), kept only where all are; {why}"
    return ScoreCard(copy.id, length, details, tier, freshness, total, why)


def _length_share(words: int, longest: int, scoring: Scoring) -> float:
    """All for the longest and for those it does not surpass by enough to be called longer."""
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
    """Less for every day behind the newest; nothing for what bears no date."""
    if published is None or newest is None:
        return 0.0
    behind = max(0.0, (newest - published) / DAY)
    return max(0.0, scoring.freshness - scoring.stale_per_day * behind)


def _why(ranked: Sequence[Standing], policy: Policy) -> str:
    """In one sentence: the rule that left no other copy beside the first."""
    if len(ranked) == 1:
        return "the only copy"
    first, junk = ranked[0], sum(s.copy.junk is not None for s in ranked)
    if junk == len(ranked):
        return f"all {junk} are junk; {_deciding(ranked, policy)}"
    if junk == len(ranked) - 1:
        return f"the only one of {len(ranked)} that is not junk"
    aside = f", {junk} junk aside" if junk else ""
    return _deciding([s for s in ranked if s.key[0] == first.key[0]], policy) + aside


def _deciding(ranked: Sequence[Standing], policy: Policy) -> str:
    first, tied = ranked[0], list(ranked)
    for place, rule in enumerate(policy.keep, start=1):
        left = [s for s in tied if s.key[place] == first.key[place]]
        if len(left) == 1:
            return _sentence(rule, first, len(tied)) + _after(policy.keep[: place - 1])
        tied = left
    last = "earlier" if by_age(tied[1].copy)[0] != by_age(first.copy)[0] else "first by id"
    return f"{last} of {len(tied)} alike by {', '.join(policy.keep)}"


def _after(tied: Sequence[Keep]) -> str:
    return f" (alike by {', '.join(tied)})" if tied else ""


def _sentence(rule: Keep, first: Standing, count: int) -> str:
    copy = first.copy
    if rule == "best":
        return f"best of {count}: {first.card.why}"
    if rule == "longest":
        return f"longest of {count}: {copy.words} words"
    if rule == "source-rank":
        return f"best source of {count}: {copy.source or 'unnamed'}, {_tier_name(copy.tier)}"
    when = "no date" if copy.published is None else copy.published.isoformat(" ", "minutes")
    return f"{rule} of {count}: {when}"
