"""Stats: what is in a store, how it is doing, and what people found wrong with it."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from nearcopy.deduper.latency import EPOCH, Timing, added, timings, timings_by_day
from nearcopy.errors import BadPolicy
from nearcopy.models.feedback import Feedback
from nearcopy.models.model import Relation
from nearcopy.stores import Store
from nearcopy.stores.base import Copies, Counts


@dataclass(frozen=True, slots=True)
class Stats:
    """Counts of the articles that came since a day, of what was said of them, and times."""

    since: date | None  # None: all
    articles: int
    duplicates: int
    relations: dict[Relation, int]  # of those in stories to the kept copy
    relations_by_day: dict[date, dict[Relation, int]]  # the same, by the day that they came
    sources: dict[str | None, Copies]  # most articles first
    days: dict[date, Copies]  # of arrival
    stories: int
    sizes: dict[int, int]  # how many stories there are of so many articles
    told: int  # pairs that people spoke of
    false_alarms: int
    misses: int
    times: dict[str, Timing]  # of a "check" and an "add"
    times_by_day: dict[date, dict[str, Timing]]

    @property
    def duplicate_rate(self) -> float | None:
        """The share of duplicates among the articles; None where there are none."""
        return self.duplicates / self.articles if self.articles else None


def stats(store: Store, days: int | None, now: datetime, not_written: Counts) -> Stats:
    """The numbers of the last so many days, today among them, or of all."""
    first = _first_day(days, now)
    number = None if first is None else (first - EPOCH).days
    tally = store.tally(number)
    fresh = {key: n for key, n in not_written.items() if number is None or key[0] >= number}
    counts = added(store.times(number), fresh)
    told = [each for each in store.all_told() if first is None or each.when.date() >= first]
    return Stats(
        since=first,
        articles=sum(each.articles for each in tally.days.values()),
        duplicates=sum(each.duplicates for each in tally.days.values()),
        relations=tally.relations,
        relations_by_day=_by_day(tally.related),
        sources=dict(sorted(tally.sources.items(), key=_most_first)),
        days={EPOCH + timedelta(days=day): tally.days[day] for day in sorted(tally.days)},
        stories=sum(tally.sizes.values()),
        sizes=dict(sorted(tally.sizes.items())),
        told=len(told),
        false_alarms=_mistakes(told, "false alarm"),
        misses=_mistakes(told, "miss"),
        times=timings(counts),
        times_by_day=timings_by_day(counts),
    )


def _first_day(days: int | None, now: datetime) -> date | None:
    if days is None:
        return None
    if isinstance(days, bool) or not isinstance(days, int) or days < 1:
        raise BadPolicy(f"days is {days!r}: give a whole number above zero, or None for all")
    today = now.date()
    return today - timedelta(days=min(days - 1, (today - date.min).days))


def _by_day(related: dict[tuple[int, Relation], int]) -> dict[date, dict[Relation, int]]:
    found: dict[date, dict[Relation, int]] = {}
    place = {each: number for number, each in enumerate(Relation)}
    for day, relation in sorted(related, key=lambda each: (each[0], place[each[1]])):
        found.setdefault(EPOCH + timedelta(days=day), {})[relation] = related[day, relation]
    return found


def _most_first(source: tuple[str | None, Copies]) -> tuple[int, str]:
    return -source[1].articles, source[0] or ""


def _mistakes(told: Iterable[Feedback], kind: str) -> int:
    return sum(each.mistake == kind for each in told)
