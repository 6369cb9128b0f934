"""Telling: what feeds have that is new, each story once, with who else has it."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from nearcopy.deduper import Deduper
from nearcopy.errors import NotStored
from nearcopy.feeds.memory import UNKNOWN, FeedMemory, Memory
from nearcopy.feeds.polling import Polled, feed_of
from nearcopy.model import Article, Member, Relation, Story, Verdict
from nearcopy.streams.judging import judged_articles
from nearcopy.streams.messages import Message, Outcome

SURE = 0.5  # that two report one thing; below, each is told


@dataclass(frozen=True, slots=True)
class Told:
    """A story: its kept copy, or a new report of it, and those who have it, too."""

    story: Story
    kept: Article
    others: tuple[Article, ...] = ()


@dataclass(frozen=True, slots=True)
class Round:
    """What came of a poll of all feeds: the stories to tell, and what to remember then."""

    told: tuple[Told, ...]
    memory: Memory
    entries: int  # that were not seen before
    problems: tuple[str, ...] = ()


def take_in(deduper: Deduper, polled: Iterable[Polled], memory: Memory, now: datetime) -> Round:
    """What is new in feeds. It is in the store then; remember it once it is told.

    Until it is remembered, it is new: what was cut short is told the next time.
    """
    found = list(polled)
    new = _new(found, memory)
    given = sorted((a for each in found for a in each.articles), key=_arrival)
    outcomes = judged_articles(deduper, [Outcome(Message(a.id, b""), a) for a in given])
    problems = [f"{each.message.place}: {each.why}" for each in outcomes if each.why]
    repeats = _repeats([each for each in outcomes if each.message.place in new])
    told = stories_of(deduper, [a.id for a in given if a.id in new], new)
    feeds = dict(memory.feeds)
    for each in found:
        feeds[each.feed] = _remembered(each, new, repeats.get(each.feed, Counter()))
    after = replace(memory, feeds=feeds).with_told([each.kept.id for each in told], now)
    problems += [each for one in found for each in one.problems]
    return Round(tuple(told), after, len(new), tuple(problems))


def look(deduper: Deduper, polled: Iterable[Polled], memory: Memory) -> Round:
    """What `take_in` would tell; neither the store nor the memory is changed."""
    found = list(polled)
    new = _new(found, memory)
    given = sorted((a for each in found for a in each.articles if a.id in new), key=_arrival)
    judged = zip(given, deduper.check_all(given), strict=True)
    fresh = [a for a, v in judged if not v.is_duplicate and not _sure_report(v)]
    with Deduper("memory://", deduper.recipe, deduper.policy) as aside:
        list(aside.run(fresh))
        told = stories_of(aside, [a.id for a in fresh], {a.id for a in fresh})
    problems = tuple(each for one in found for each in one.problems)
    return Round(tuple(told), memory, len(new), problems)


def stories_of(deduper: Deduper, ids: Sequence[str], new: Collection[str]) -> list[Told]:
    """The stories of these articles, but for those that something else was in before.

    Of these the new articles are told that are in them by a report that is hardly sure.
    """
    told: list[Told] = []
    done: set[str] = set()
    for name in ids:
        if name in done:
            continue
        try:
            story = deduper.story(name)
        except NotStored:  # it could not be added, or is forgotten by now
            continue
        done.update(each.id for each in story.members)
        if all(each.id in new for each in story.members):
            told.append(told_story(deduper, story))
        else:
            found = deduper.articles([each.id for each in story.members if _unsure(each, new)])
            told += [Told(story, each) for each in found.values()]
    return told


def _unsure(member: Member, new: Collection[str]) -> bool:
    """Whether a new article may well be other news than the story that it was put into."""
    report = member.relation is Relation.SAME_EVENT
    return member.id in new and report and not _sure_report(member)


def _sure_report(found: Member | Verdict) -> bool:
    """Whether it reports what another did, and that is likely enough to leave it out."""
    return found.relation is Relation.SAME_EVENT and found.confidence >= SURE


def told_story(deduper: Deduper, story: Story) -> Told:
    """A story with its articles."""
    names = [each.id for each in story.members]
    found = deduper.articles(names)
    others = tuple(found[name] for name in names if name != story.kept and name in found)
    return Told(story, found[story.kept], others)


def _new(polled: Iterable[Polled], memory: Memory) -> set[str]:
    """The articles that were not told before."""
    seen = {name for each in memory.feeds.values() for name in each.seen}
    return {article.id for each in polled for article in each.articles} - seen


def _arrival(article: Article) -> tuple[bool, float, str]:
    """Earliest first, so that the first to have it is the original; undated ones last."""
    when = article.published
    return when is None, when.timestamp() if when else 0.0, article.id


def _repeats(outcomes: Iterable[Outcome]) -> dict[str, Counter[str]]:
    """Of each feed, how many entries another feed had before."""
    found: dict[str, Counter[str]] = {}
    for each in outcomes:
        verdict = each.verdict
        if verdict and verdict.is_duplicate and verdict.match:
            counts = found.setdefault(feed_of(each.message.place), Counter())
            counts[feed_of(verdict.match)] += 1
    return found


def _remembered(polled: Polled, new: Collection[str], repeats: Counter[str]) -> FeedMemory:
    mine = [article.id for article in polled.articles]
    before = polled.memory or UNKNOWN
    return replace(
        before.with_seen(mine),
        entries=before.entries + sum(name in new for name in mine),
        repeats=dict(Counter(before.repeats) + repeats),
    )
