"""New stories in feeds: each is reported once, with the other feeds that have it."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from nearcopy.deduper.deduper import Deduper
from nearcopy.errors import NotStored
from nearcopy.io.feeds.poll import FeedPoll, FeedState, PollState, feed_of
from nearcopy.io.streams.consumer import process_articles
from nearcopy.io.streams.messages import Message, Outcome
from nearcopy.models import Article, Member, Relation, Story, Verdict

MIN_CONFIDENCE = 0.5  # of a same-event match, below which both articles are reported


@dataclass(frozen=True, slots=True)
class NewStory:
    """A story with its kept copy, or a new article about it, and its other articles."""

    story: Story
    kept: Article
    other_articles: tuple[Article, ...] = ()


@dataclass(frozen=True, slots=True)
class PollSummary:
    """The new stories of all feeds, and the state to save once they are reported."""

    stories: tuple[NewStory, ...]
    state: PollState
    entries: int  # that are new
    problems: tuple[str, ...] = ()


def ingest_polls(
    deduper: Deduper, polls: Sequence[FeedPoll], state: PollState, now: datetime
) -> PollSummary:
    """Add all articles to the store, and find the new stories.

    Save the state once they are reported: after an interruption they are new again.
    """
    new = _new_ids(polls, state)
    articles = sorted((a for item in polls for a in item.articles), key=_by_date)
    outcomes = process_articles(deduper, [Outcome(Message(a.id, b""), a) for a in articles])
    problems = [f"{item.message.place}: {item.why}" for item in outcomes if item.why]
    repeats = _repeats([item for item in outcomes if item.message.place in new])
    stories = find_new_stories(deduper, [a.id for a in articles if a.id in new], new)
    feeds = dict(state.feeds)
    for item in polls:
        feeds[item.feed] = _update_feed(item, new, repeats.get(item.feed, Counter()))
    after = replace(state, feeds=feeds).with_stories([item.kept.id for item in stories], now)
    problems += [problem for item in polls for problem in item.problems]
    return PollSummary(tuple(stories), after, len(new), tuple(problems))


def preview_polls(deduper: Deduper, polls: Sequence[FeedPoll], state: PollState) -> PollSummary:
    """What `ingest_polls` would report, without changing the store or the state."""
    new = _new_ids(polls, state)
    articles = sorted((a for item in polls for a in item.articles if a.id in new), key=_by_date)
    judged = zip(articles, deduper.check_all(articles), strict=True)
    new_articles = [a for a, v in judged if not v.is_duplicate and not _is_confident_report(v)]
    ids = [article.id for article in new_articles]
    with Deduper("memory://", deduper.recipe, deduper.policy) as temporary:
        list(temporary.run(new_articles))
        stories = find_new_stories(temporary, ids, frozenset(ids))
    problems = tuple(problem for item in polls for problem in item.problems)
    return PollSummary(tuple(stories), state, len(new), problems)


def find_new_stories(deduper: Deduper, ids: Sequence[str], new: Collection[str]) -> list[NewStory]:
    """The stories of these articles that have no earlier article.

    Of other stories, the new articles are reported that match them with low confidence.
    """
    stories: list[NewStory] = []
    visited: set[str] = set()
    for name in ids:
        if name in visited:
            continue
        try:
            story = deduper.story(name)
        except NotStored:  # rejected, or removed since
            continue
        visited.update(member.id for member in story.members)
        if all(member.id in new for member in story.members):
            stories.append(load_new_story(deduper, story))
        else:
            articles = deduper.articles(
                [member.id for member in story.members if _is_doubtful(member, new)]
            )
            stories += [NewStory(story, article) for article in articles.values()]
    return stories


def _is_doubtful(member: Member, new: Collection[str]) -> bool:
    """Whether a new article may be about another event than its story."""
    is_report = member.relation is Relation.SAME_EVENT
    return member.id in new and is_report and not _is_confident_report(member)


def _is_confident_report(result: Member | Verdict) -> bool:
    """Whether it reports the same event as another article, with enough confidence to omit it."""
    return result.relation is Relation.SAME_EVENT and result.confidence >= MIN_CONFIDENCE


def load_new_story(deduper: Deduper, story: Story) -> NewStory:
    """A story with its articles."""
    names = [member.id for member in story.members]
    articles = deduper.articles(names)
    other_copies = tuple(
        articles[name] for name in names if name != story.kept and name in articles
    )
    return NewStory(story, articles[story.kept], other_copies)


def _new_ids(polls: Iterable[FeedPoll], state: PollState) -> set[str]:
    """The articles that were not reported before."""
    seen = {name for item in state.feeds.values() for name in item.seen}
    return {article.id for item in polls for article in item.articles} - seen


def _by_date(article: Article) -> tuple[bool, float, str]:
    """Earliest first, so that the first publisher is the original; undated ones last."""
    when = article.published
    return when is None, when.timestamp() if when else 0.0, article.id


def _repeats(outcomes: Iterable[Outcome]) -> dict[str, Counter[str]]:
    """For each feed, how many of its entries each other feed had first."""
    repeats: dict[str, Counter[str]] = {}
    for outcome in outcomes:
        verdict = outcome.verdict
        if verdict and verdict.is_duplicate and verdict.match:
            counts = repeats.setdefault(feed_of(outcome.message.place), Counter())
            counts[feed_of(verdict.match)] += 1
    return repeats


def _update_feed(poll: FeedPoll, new: Collection[str], repeats: Counter[str]) -> FeedState:
    ids = [article.id for article in poll.articles]
    before = poll.state
    return replace(
        before.with_seen(ids),
        entries=before.entries + sum(name in new for name in ids),
        repeats=dict(Counter(before.repeats) + repeats),
    )
