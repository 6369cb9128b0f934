"""Stories and current verdicts, read from the store; stories also page by page."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import cast, get_args

from nearcopy.cluster.outlet_spread import Spread, spread
from nearcopy.cluster.stories import own_story_id
from nearcopy.deduper.recluster import singleton_story
from nearcopy.deduper.session import ID_BATCH_SIZE, Session
from nearcopy.deduper.verdicts import current_verdicts, flag_block_page
from nearcopy.errors import BadPolicy, NotStored
from nearcopy.extract.agencies import credited_agencies
from nearcopy.models import Story, Verdict
from nearcopy.models.batches import batches
from nearcopy.stores.base import StoryCursor, StoryFilter, StoryOrder
from nearcopy.stores.retry import retry_transient

MAX_NUMBER = 1 << 62


@retry_transient
def read_verdicts(session: Session, ids: list[str]) -> list[Verdict]:
    """The current verdicts on stored articles."""
    with session.snapshot():
        fingerprints = session.require(ids)
        verdicts = current_verdicts(session.store, ids, session.policy, session.judge)
        return [flag_block_page(verdict, fingerprints[verdict.id]) for verdict in verdicts]


def all_stories(session: Session) -> Iterator[Story]:
    """All stories, those of several articles first."""
    store = session.store
    articles, story_ids = session.read(lambda: (list(store.ids()), sorted(store.story_ids())))
    listed: set[str] = set()
    for ids in batches(story_ids, ID_BATCH_SIZE):
        for story in session.read(partial(store.stories, ids)).values():
            listed.update(member.id for member in story.members)
            yield story
    for ids in batches((id_ for id_ in articles if id_ not in listed), ID_BATCH_SIZE):
        yield from _stories_with(session, ids)


@retry_transient
def _stories_with(session: Session, articles: list[str]) -> list[Story]:
    """The stories that these articles are in by now; most are singletons."""
    with session.snapshot():
        members = session.store.members(articles)
        stories = session.store.stories({story for story, _ in members.values()})
        single = session.store.fingerprints(set(articles) - members.keys())
    singletons = (singleton_story(single[id_], session.policy) for id_ in articles if id_ in single)
    return [*stories.values(), *singletons]


def find_story(session: Session, id: str) -> Story:  # noqa: A002
    """A story by its id, a former id, or the id of a member; within a snapshot."""
    store = session.store
    article = store.fingerprints([id])
    story_id = session.story_ids_of(article)[id] if article else store.resolve_story(id)
    stories = store.stories([story_id])
    if stories:
        return stories[story_id]
    single = article or store.fingerprints(_singletons_with_id(session, story_id))
    if not single:
        raise NotStored(
            f"no story {id!r} in {session.address}: give the id of a listed story or of a member"
        )
    return singleton_story(next(iter(single.values())), session.policy)


def _singletons_with_id(session: Session, story_id: str) -> set[str]:
    """The article that is a singleton story of this id, which is not stored."""
    articles = {id_ for id_ in session.store.ids() if own_story_id(id_) == story_id}
    return articles - session.store.members(articles).keys()


@retry_transient
def read_spread(session: Session, id: str) -> Spread:  # noqa: A002
    """How a story spread over outlets and hours."""
    with session.snapshot():
        story = find_story(session, id)
        members = [member.id for member in story.members]
        fingerprints = session.store.fingerprints(members)
        articles = session.store.articles(members)
    seen = {id_: f.seen for id_, f in fingerprints.items() if f.seen is not None}
    credits_ = {id_: credited_agencies(article) for id_, article in articles.items()}
    return spread(story, seen=seen, credited=credits_)


@dataclass(frozen=True, slots=True)
class StoryPage:
    """A page of stories; `after` is the cursor of the next page, None at the end."""

    stories: tuple[Story, ...]
    after: str | None


@retry_transient
def list_stories(
    session: Session, query: StoryFilter, *, order: str, after: str | None, limit: int
) -> StoryPage:
    """The stories that match the filter, in order, after a cursor."""
    query, cursor = _check_filter(query, limit), _parse_cursor(after)
    if order not in get_args(StoryOrder):
        raise BadPolicy(f"order is {order!r:.60}: choose newest or largest")
    with session.snapshot():
        store = session.store
        places = store.list_stories(query, cast(StoryOrder, order), cursor, limit + 1)
        page = places[:limit]
        stories = store.stories([place.story for place in page if place.story is not None])
        single = store.fingerprints([p.article for p in page if p.article is not None])
    listed = (
        stories[place.story]
        if place.story
        else singleton_story(single[place.article or ""], session.policy)
        for place in page
    )
    more = f"{page[-1].size}-{page[-1].latest}" if len(places) > limit else None
    return StoryPage(tuple(listed), more)


def _check_filter(query: StoryFilter, limit: int) -> StoryFilter:
    """The filter with the source as fingerprints have it; raises BadPolicy on a wrong value."""
    for name, moment in (("since", query.since), ("until", query.until)):
        if moment is not None and moment.utcoffset() is None:
            raise BadPolicy(f"{name} is {moment.isoformat()} without a time zone: make it aware")
    for name, value in (("least", query.least), ("limit", limit)):
        if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value < MAX_NUMBER:
            raise BadPolicy(f"{name} is {value!r:.60}: give a whole number above zero")
    source = None if query.source is None else query.source.casefold().strip()
    return query._replace(source=source, text=query.text or None)


def _parse_cursor(after: str | None) -> StoryCursor | None:
    if after is None:
        return None
    size, hyphen, latest = after.partition("-")
    if not (hyphen and _is_number(size) and _is_number(latest)):
        raise BadPolicy(f"unknown page {after!r:.60}: give the `after` of the page before")
    return StoryCursor(int(size), int(latest))


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= 18
