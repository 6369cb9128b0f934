"""Spread: who had a story first, and how it went from outlet to outlet.

Times are those of publishing; where an article bears none, when it was taken in stands for it and
is marked so: it cannot have been published later than that, but earlier it can.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from types import MappingProxyType
from typing import Literal, NamedTuple

from nearcopy.extract.agencies.credit_lines import agency_of
from nearcopy.extract.titles.publishers import source_labels
from nearcopy.models.model import Member, Relation, Story

By = Literal["published", "seen"]
Times = Mapping[str, datetime]
Credits = Mapping[str, Sequence[str]]
NO_TIMES: Times = MappingProxyType({})
NO_CREDITS: Credits = MappingProxyType({})

HOUR = timedelta(hours=1)
LATEST = datetime.max.replace(tzinfo=UTC)
MOST_STEPS = 12  # of the picture
STEPS = tuple(timedelta(minutes=m) for m in (10, 30, 60, 120, 180, 360, 720, 1440, 2880, 10080))


@dataclass(frozen=True, slots=True)
class First:
    """The article that came first, and those that came at the same moment."""

    article: str
    outlet: str | None
    when: datetime
    by: By
    tied: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Outlet:
    """An outlet that had the story: its first article of it, and how long after the first of all.

    `relation` is what that article is to the kept copy, None where it is that itself.
    """

    name: str
    article: str
    relation: Relation | None
    when: datetime | None
    by: By | None
    hours: float | None
    articles: int
    syndicated: int


@dataclass(frozen=True, slots=True)
class Credit:
    """An agency, and how many articles of the story credit it."""

    agency: str
    articles: int


@dataclass(frozen=True, slots=True)
class Step:
    """A piece of the time since the first: the outlets that came in it, and all there were then."""

    hours: float  # after the first, where it begins
    new: int
    total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """How a story spread; the outlets in the order they came, those without a time last."""

    story: str
    articles: int
    first: First | None  # None where no article bears a time
    outlets: tuple[Outlet, ...]
    syndicated: int  # articles that copy another outlet's text, or credit an agency
    credits: tuple[Credit, ...]  # most credited first
    hours: float | None  # from the first to the last article
    half_hours: float | None  # until half of the outlets with a time had it
    step_hours: float | None
    steps: tuple[Step, ...]
    undated: int  # articles without any time
    seen_only: int  # articles whose time is when they were taken in
    unnamed: int  # articles of no known outlet, which count as none


class _Told(NamedTuple):
    """An article of the story with its time."""

    member: Member
    when: datetime | None
    by: By | None
    credits: Sequence[str]

    @property
    def order(self) -> tuple[bool, datetime, str]:
        return self.when is None, self.when or LATEST, self.member.id


def spread(story: Story, *, seen: Times = NO_TIMES, credited: Credits = NO_CREDITS) -> Spread:
    """How a story spread; `seen` and `credited` tell by id when articles were taken in, and whom
    they credit."""
    told = sorted((_told(m, seen, credited) for m in story.members), key=lambda each: each.order)
    dated = [each.when for each in told if each.when]
    copies = _syndicated(told)
    outlets = tuple(_outlets(told, dated[0] if dated else None, copies))
    late = [outlet.when - dated[0] for outlet in outlets if outlet.when is not None]
    step = _step(late[-1]) if late else None
    return Spread(
        story=story.id,
        articles=len(told),
        first=_first(told),
        outlets=outlets,
        syndicated=len(copies),
        credits=_credits(told),
        hours=_in_hours(dated[-1] - dated[0]) if dated else None,
        half_hours=_in_hours(late[(len(late) - 1) // 2]) if late else None,
        step_hours=_in_hours(step) if step else None,
        steps=tuple(_steps(late, step)) if step else (),
        undated=len(told) - len(dated),
        seen_only=sum(each.by == "seen" for each in told),
        unnamed=sum(each.member.source is None for each in told),
    )


def outlets_of(story: Story) -> int:
    """How many outlets had a story."""
    return len({member.source for member in story.members} - {None})


def syndicated(story: Story) -> int:
    """How many articles copy another outlet's text, by what a story itself tells: no text is read.

    Credits are not counted, and articles without a publishing time come last.
    """
    return spread(story).syndicated


def _told(member: Member, seen: Times, credited: Credits) -> _Told:
    when = member.published or seen.get(member.id)
    by: By | None = "published" if member.published else ("seen" if when else None)
    return _Told(member, when, by, credited.get(member.id, ()))


def _first(told: Sequence[_Told]) -> First | None:
    """The earliest; of several of one moment the first by id, the others are told as tied."""
    if not told or told[0].when is None or told[0].by is None:
        return None
    first = told[0]
    tied = tuple(each.member.id for each in told[1:] if each.when == first.when)
    return First(first.member.id, first.member.source, told[0].when, told[0].by, tied)


def _syndicated(told: Sequence[_Told]) -> set[str]:
    """The articles that copy what another outlet had first, or credit an agency they are not of."""
    origin: dict[str, str | None] = {}
    found: set[str] = set()
    for each in told:
        member = each.member
        first = origin.setdefault(member.duplicate_of or member.id, member.source)
        copied = None not in (first, member.source) and first != member.source
        if copied or _credits_another(each):
            found.add(member.id)
    return found


def _credits_another(told: _Told) -> bool:
    source = told.member.source
    if source is None:
        return bool(told.credits)
    own = agency_of(source)
    others = (name for name in told.credits if name != own)
    return not all(name.casefold().replace(" ", "") in source_labels(source) for name in others)


def _outlets(told: Sequence[_Told], first: datetime | None, copies: set[str]) -> Iterator[Outlet]:
    """The outlets in the order of their first articles."""
    articles: dict[str, list[_Told]] = {}
    for each in told:
        if each.member.source is not None:
            articles.setdefault(each.member.source, []).append(each)
    for name, (one, *more) in articles.items():
        yield Outlet(
            name=name,
            article=one.member.id,
            relation=one.member.relation,
            when=one.when,
            by=one.by,
            hours=_in_hours(one.when - first) if first and one.when else None,
            articles=1 + len(more),
            syndicated=sum(each.member.id in copies for each in (one, *more)),
        )


def _credits(told: Sequence[_Told]) -> tuple[Credit, ...]:
    count = Counter(name for each in told for name in dict.fromkeys(each.credits))
    ranked = sorted(count.items(), key=lambda each: (-each[1], each[0]))
    return tuple(Credit(name, articles) for name, articles in ranked)


def _in_hours(span: timedelta) -> float:
    return round(span / HOUR, 4)


def _step(span: timedelta) -> timedelta:
    """The shortest of the usual steps that leaves few enough; beyond them, as many weeks."""
    longest = STEPS[-1]
    fits = (step for step in STEPS if span < MOST_STEPS * step)
    return next(fits, longest * (1 + span // (MOST_STEPS * longest)))


def _steps(late: Sequence[timedelta], step: timedelta) -> Iterator[Step]:
    """The time from the first outlet to the last in equal steps, the empty ones too."""
    new = Counter(after // step for after in late)
    total = 0
    for place in range(max(new) + 1):
        total += new[place]
        yield Step(_in_hours(place * step), new[place], total)
