"""Spread: which outlet had a story first, and how it went from outlet to outlet.

Times are publication times. Where an article has none, the time it was first seen represents it and
is marked as such: it was published then or earlier.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from types import MappingProxyType
from typing import Literal, NamedTuple

from nearcopy.extract.agencies import agency_of
from nearcopy.extract.titles.publishers import source_labels
from nearcopy.models import Member, Relation, Story

By = Literal["published", "seen"]
Times = Mapping[str, datetime]
Credits = Mapping[str, Sequence[str]]
NO_TIMES: Times = MappingProxyType({})
NO_CREDITS: Credits = MappingProxyType({})

HOUR = timedelta(hours=1)
LATEST = datetime.max.replace(tzinfo=UTC)
MAX_STEPS = 12  # of the timeline
STEPS = tuple(timedelta(minutes=m) for m in (10, 30, 60, 120, 180, 360, 720, 1440, 2880, 10080))


@dataclass(frozen=True, slots=True)
class First:
    """The first article, and those of the same moment."""

    article: str
    outlet: str | None
    when: datetime
    by: By
    tied: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Outlet:
    """An outlet: its first article of the story, and how many hours after the first of all.

    `relation` is that article's to the kept copy, None where it is the kept copy.
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
    """An agency, and how many articles credit it."""

    agency: str
    articles: int


@dataclass(frozen=True, slots=True)
class Step:
    """A time step: the outlets that joined in it, and the total by its end."""

    hours: float  # from the first article to the start of the step
    new: int
    total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """How a story spread; outlets by their first articles, those without a time last."""

    story: str
    articles: int
    first: First | None  # None where no article has a time
    outlets: tuple[Outlet, ...]
    syndicated: int  # articles that copy another outlet's text, or credit an agency
    credits: tuple[Credit, ...]  # most credited first
    hours: float | None  # from the first to the last article
    half_hours: float | None  # until half of the outlets with a time had it
    step_hours: float | None
    steps: tuple[Step, ...]
    undated: int  # articles without any time
    seen_only: int  # articles whose time is when they were first seen
    unnamed: int  # articles of unknown outlets


class _DatedMember(NamedTuple):
    """A member of the story with its time and credits."""

    member: Member
    when: datetime | None
    by: By | None
    credits: Sequence[str]

    @property
    def order(self) -> tuple[bool, datetime, str]:
        return self.when is None, self.when or LATEST, self.member.id


def spread(story: Story, *, seen: Times = NO_TIMES, credited: Credits = NO_CREDITS) -> Spread:
    """How a story spread; `seen` has by id when articles were first seen, `credited` the agencies
    they credit."""
    members = sorted(
        (_date(member, seen, credited) for member in story.members),
        key=lambda member: member.order,
    )
    dated = [member.when for member in members if member.when]
    copies = _syndicated(members)
    outlets = tuple(_outlets(members, dated[0] if dated else None, copies))
    delays = [outlet.when - dated[0] for outlet in outlets if outlet.when is not None]
    step = _step(delays[-1]) if delays else None
    return Spread(
        story=story.id,
        articles=len(members),
        first=_first(members),
        outlets=outlets,
        syndicated=len(copies),
        credits=_credits(members),
        hours=_in_hours(dated[-1] - dated[0]) if dated else None,
        half_hours=_in_hours(delays[(len(delays) - 1) // 2]) if delays else None,
        step_hours=_in_hours(step) if step else None,
        steps=tuple(_steps(delays, step)) if step else (),
        undated=len(members) - len(dated),
        seen_only=sum(member.by == "seen" for member in members),
        unnamed=sum(member.member.source is None for member in members),
    )


def count_outlets(story: Story) -> int:
    """The number of outlets of a story."""
    return len({member.source for member in story.members} - {None})


def count_syndicated(story: Story) -> int:
    """The number of articles that copy another outlet's text, by the story alone.

    Credits do not count, and articles without a publication time come last.
    """
    return spread(story).syndicated


def _date(member: Member, seen: Times, credited: Credits) -> _DatedMember:
    when = member.published or seen.get(member.id)
    by: By | None = "published" if member.published else ("seen" if when else None)
    return _DatedMember(member, when, by, credited.get(member.id, ()))


def _first(members: Sequence[_DatedMember]) -> First | None:
    """The earliest article; of several at one moment the first by id, the others are tied."""
    if not members or members[0].when is None or members[0].by is None:
        return None
    first, when, by = members[0].member, members[0].when, members[0].by
    tied = tuple(other.member.id for other in members[1:] if other.when == when)
    return First(first.id, first.source, when, by, tied)


def _syndicated(members: Sequence[_DatedMember]) -> set[str]:
    """The articles that copy one of an earlier outlet, or credit an agency they are not of."""
    first_source: dict[str, str | None] = {}
    ids: set[str] = set()
    for dated in members:
        member = dated.member
        first = first_source.setdefault(member.duplicate_of or member.id, member.source)
        copied = None not in (first, member.source) and first != member.source
        if copied or _credits_another(dated):
            ids.add(member.id)
    return ids


def _credits_another(dated: _DatedMember) -> bool:
    source = dated.member.source
    if source is None:
        return bool(dated.credits)
    own = agency_of(source)
    others = (name for name in dated.credits if name != own)
    return not all(name.casefold().replace(" ", "") in source_labels(source) for name in others)


def _outlets(
    members: Sequence[_DatedMember], first: datetime | None, copies: set[str]
) -> Iterator[Outlet]:
    """The outlets in the order of their first articles."""
    articles: dict[str, list[_DatedMember]] = {}
    for dated in members:
        if dated.member.source is not None:
            articles.setdefault(dated.member.source, []).append(dated)
    for name, (earliest, *later) in articles.items():
        yield Outlet(
            name=name,
            article=earliest.member.id,
            relation=earliest.member.relation,
            when=earliest.when,
            by=earliest.by,
            hours=_in_hours(earliest.when - first) if first and earliest.when else None,
            articles=1 + len(later),
            syndicated=sum(dated.member.id in copies for dated in (earliest, *later)),
        )


def _credits(members: Sequence[_DatedMember]) -> tuple[Credit, ...]:
    counts = Counter(name for dated in members for name in dict.fromkeys(dated.credits))
    ranked = sorted(counts.items(), key=lambda credit: (-credit[1], credit[0]))
    return tuple(Credit(name, articles) for name, articles in ranked)


def _in_hours(span: timedelta) -> float:
    return round(span / HOUR, 4)


def _step(span: timedelta) -> timedelta:
    """The shortest usual step that makes few enough steps; beyond them, a multiple of a week."""
    longest = STEPS[-1]
    fitting = (step for step in STEPS if span < MAX_STEPS * step)
    return next(fitting, longest * (1 + span // (MAX_STEPS * longest)))


def _steps(delays: Sequence[timedelta], step: timedelta) -> Iterator[Step]:
    """The time from the first outlet to the last in equal steps, empty ones included."""
    joined = Counter(delay // step for delay in delays)
    total = 0
    for number in range(max(joined) + 1):
        total += joined[number]
        yield Step(_in_hours(number * step), joined[number], total)
