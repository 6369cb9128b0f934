"""Telling: what feeds have that is new, each story once, with who else has it."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from nearcopy.deduper.deduper import Deduper
from nearcopy.errors import NotStored
from nearcopy.io.feeds.poll import FeedPoll, feed_of
from nearcopy.io.feeds.poll_state import UNKNOWN, FeedState, PollState
from nearcopy.io.streams.messages import Message, Outcome
from nearcopy.io.streams.process import process_articles
from nearcopy.models.model import Article, Member, Relation, Story, Verdict

SURE = 0.5  # that two report one thing; below, each is told


@dataclass(frozen=True, slots=True)
class NewStory:
    """A story: its kept copy, or a new report of it, and those who have it, too."""

    story: Story
    kept: Article
    other_articles: tuple[Article, ...] = ()


@dataclass(frozen=True, slots=True)
class PollSummary:
    """What came of a poll of all feeds: the stories to tell, and what to remember then."""

    stories: tuple[NewStory, ...]
    state: PollState
    entries: int  # that were not seen before
    problems: tuple[str, ...] = ()


def ingest_polls(
    deduper: Deduper, polled: Iterable[FeedPoll], memory: PollState, now: datetime
) -> PollSummary:
    """What is new in feeds. It is in the store then; remember it once it is told.

    Until it is remembered, it is new: what was cut short is told the next time.
    """
    polls = list(polled)
    new = _new(polls, memory)
    articles = sorted((a for item in polls for a in item.articles), key=_arrival)
    outcomes = process_articles(deduper, [Outcome(Message(a.id, b""), a) for a in articles])
    problems = [f"{item.message.place}: {item.why}" for item in outcomes if item.why]
    repeats = _repeats([item for item in outcomes if item.message.place in new])
    stories = find_new_stories(deduper, [a.id for a in articles if a.id in new], new)
    feeds = dict(memory.feeds)
    for item in polls:
        feeds[item.feed] = _remembered(item, new, repeats.get(item.feed, Counter()))
    after = replace(memory, feeds=feeds).with_stories([item.kept.id for item in stories], now)
    problems += [item for one in polls for item in one.problems]
    return PollSummary(tuple(stories), after, len(new), tuple(problems))


def preview_polls(deduper: Deduper, polled: Iterable[FeedPoll], memory: PollState) -> PollSummary:
    """What `ingest_polls` would tell; neither the store nor the memory is changed."""
    polls = list(polled)
    new = _new(polls, memory)
    articles = sorted((a for item in polls for a in item.articles if a.id in new), key=_arrival)
    judged = zip(articles, deduper.check_all(articles), strict=True)
    fresh = [a for a, v in judged if not v.is_duplicate and not _sure_report(v)]
    with Deduper("memory://", deduper.recipe, deduper.policy) as aside:
        list(aside.run(fresh))
        stories = find_new_stories(aside, [a.id for a in fresh], {a.id for a in fresh})
    problems = tuple(item for one in polls for item in one.problems)
    return PollSummary(tuple(stories), memory, len(new), problems)


def find_new_stories(deduper: Deduper, ids: Sequence[str], new: Collection[str]) -> list[NewStory]:
    """The stories of these articles, but for those that something else was in before.

    Of these the new articles are told that are in them by a report that is hardly sure.
    """
    stories: list[NewStory] = []
    done: set[str] = set()
    for name in ids:
        if name in done:
            continue
        try:
            story = deduper.story(name)
        except NotStored:  # it could not be added, or is forgotten by now
            continue
        done.update(member.id for member in story.members)
        if all(member.id in new for member in story.members):
            stories.append(load_new_story(deduper, story))
        else:
            articles = deduper.articles(
                [member.id for member in story.members if _unsure(member, new)]
            )
            stories += [NewStory(story, article) for article in articles.values()]
    return stories


def _unsure(member: Member, new: Collection[str]) -> bool:
    """Whether a new article may well be other news than the story that it was put into."""
    report = member.relation is Relation.SAME_EVENT
    return member.id in new and report and not _sure_report(member)


def _sure_report(result: Member | Verdict) -> bool:
    """Whether it reports what another did, and that is likely enough to leave it out."""
    return result.relation is Relation.SAME_EVENT and result.confidence >= SURE


def load_new_story(deduper: Deduper, story: Story) -> NewStory:
    """A story with its articles."""
    names = [member.id for member in story.members]
    articles = deduper.articles(names)
    other_copies = tuple(
        articles[name] for name in names if name != story.kept and name in articles
    )
    return NewStory(story, articles[story.kept], other_copies)


def _new(polled: Iterable[FeedPoll], memory: PollState) -> set[str]:
    """The articles that were not told before."""
    seen = {name for item in memory.feeds.values() for name in item.seen}
    return {article.id for item in polled for article in item.articles} - seen


def _arrival(article: Article) -> tuple[bool, float, str]:
    """Earliest first, so that the first to have it is the original; undated ones last."""
    when = article.published
    return when is None, when.timestamp() if when else 0.0, article.id


def _repeats(outcomes: Iterable[Outcome]) -> dict[str, Counter[str]]:
    """Of each feed, how many entries another feed had before."""
    repeats: dict[str, Counter[str]] = {}
    for outcome in outcomes:
        verdict = outcome.verdict
        if verdict and verdict.is_duplicate and verdict.match:
            counts = repeats.setdefault(feed_of(outcome.message.place), Counter())
            counts[feed_of(verdict.match)] += 1
    return repeats


def _remembered(polled: FeedPoll, new: Collection[str], repeats: Counter[str]) -> FeedState:
    mine = [article.id for article in polled.articles]
    before = polled.state or UNKNOWN
    return replace(
        before.with_seen(mine),
        entries=before.entries + sum(name in new for name in mine),
        repeats=dict(Counter(before.repeats) + repeats),
    )
