"""Polling: what feeds have now, as articles; asked politely, and never trusted."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from hashlib import sha256
from itertools import islice
from threading import Lock
from time import monotonic, sleep
from typing import Any, NamedTuple
from urllib.parse import urljoin, urlsplit

from nearcopy.errors import BadArticle, StreamError, WebError
from nearcopy.io.feeds.parse import feed_kind, feed_rows
from nearcopy.io.feeds.poll_state import UNKNOWN, FeedState
from nearcopy.io.files.dates import read_time
from nearcopy.io.http_client import Limits, Request, Response, fetch
from nearcopy.io.streams.parse import check_storable
from nearcopy.models.model import Article

ACCEPT = "application/rss+xml, application/atom+xml, application/feed+json, */*;q=0.5"
MOST_ENTRIES = 1000
LONGEST_ID = 300
LONGEST_TAG = 1024  # of an answer, to be sent back
LONGEST_WAIT = timedelta(days=1)
AHEAD = timedelta(days=1)  # what claims to be of later is taken to bear no date
NOT_MODIFIED = 304
OK = 200
AT_ONCE = 8  # feeds that are asked at the same time


def _now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class PollSettings:
    """How feeds are asked."""

    limits: Limits = field(default_factory=Limits)
    pause_seconds: float = 1.0  # between two requests to one host
    clock: Callable[[], datetime] = _now


class FeedPoll(NamedTuple):
    """What a feed has now, oldest first, what to remember of it, and what went wrong."""

    feed: str
    state: FeedState
    articles: tuple[Article, ...] = ()
    problems: tuple[str, ...] = ()
    read: bool = True  # whether it answered, also that nothing is new


class HostRateLimiter:
    """Has requests to one host wait for each other."""

    def __init__(self, seconds: float) -> None:
        self._seconds, self._lock = seconds, Lock()
        self._next: dict[str, float] = {}

    def wait(self, host: str) -> None:
        """Wait until this host may be asked."""
        with self._lock:
            turn = max(monotonic(), self._next.get(host, 0.0))
            self._next[host] = turn + self._seconds
        sleep(max(0.0, turn - monotonic()))


def poll(
    feeds: Iterable[str], states: Mapping[str, FeedState], polite: PollSettings
) -> Iterator[FeedPoll]:
    """What each feed has now, in order; one that fails stops no other."""
    paces = HostRateLimiter(polite.pause_seconds)

    def one(feed: str) -> FeedPoll:
        memory = states.get(feed, UNKNOWN)
        try:
            return _polled(feed, memory, polite, paces)
        except WebError as exc:
            return FeedPoll(feed, memory, problems=(str(exc),), read=False)

    with ThreadPoolExecutor(AT_ONCE) as pool:
        yield from pool.map(one, feeds)


def _polled(feed: str, memory: FeedState, polite: PollSettings, paces: HostRateLimiter) -> FeedPoll:
    now = polite.clock()
    if memory.wait_until and datetime.fromisoformat(memory.wait_until) > now:
        why = f"{feed}: asked to be left alone until {memory.wait_until}"
        return FeedPoll(feed, memory, problems=(why,), read=False)
    answer = fetch(Request(address=feed, headers=_asking(memory)), polite.limits, paces.wait)
    if answer.status == NOT_MODIFIED:
        return FeedPoll(feed, replace(memory, wait_until=None), problems=_moved(feed, answer))
    if answer.status != OK:
        wait = replace(memory, wait_until=_wait(answer, now))
        why = f"{feed}: answered {answer.status}"
        return FeedPoll(feed, wait, problems=(why,), read=False)
    return _read(feed, memory, answer, now)


def _asking(memory: FeedState) -> dict[str, str]:
    headers = {
        "Accept": ACCEPT,
        "If-None-Match": memory.etag,
        "If-Modified-Since": memory.modified,
    }
    return {name: value for name, value in headers.items() if value}


def _wait(answer: Response, now: datetime) -> str | None:
    """Until when not to ask, as the answer says."""
    retry_after = answer.headers.get("retry-after", "").strip()
    try:
        when = (
            now + timedelta(seconds=int(retry_after))
            if retry_after[:9].isdigit()
            else _date(retry_after)
        )
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    return min(when, now + LONGEST_WAIT).isoformat()


def _date(text: str) -> datetime:
    when = parsedate_to_datetime(text)
    return when if when.tzinfo else when.replace(tzinfo=UTC)


def _moved(feed: str, answer: Response) -> tuple[str, ...]:
    return (f"{feed}: is at {answer.moved} for good",) if answer.moved else ()


def _read(feed: str, memory: FeedState, answer: Response, now: datetime) -> FeedPoll:
    data = answer.body
    if feed_kind(data) != "feed":
        raise WebError(f"{feed}: neither RSS, Atom nor JSON Feed")
    problems = list(_moved(feed, answer))
    rows = _rows(feed, answer)
    if len(rows) > MOST_ENTRIES:
        problems.append(f"{feed}: only the first {MOST_ENTRIES:,} entries are read")
    articles: dict[str, Article] = {}
    for row in rows[:MOST_ENTRIES]:
        try:
            article = _article(feed, answer.address, row, now)
        except BadArticle as exc:
            problems.append(f"{feed}: an entry cannot be read: {exc}")
        else:
            articles.setdefault(article.id, article)
    remembered = replace(
        memory,
        title=next((str(row["source"])[:200] for row in rows if row["source"]), memory.title),
        etag=_tag(answer, "etag"),
        modified=_tag(answer, "last-modified"),
        wait_until=None,
    )
    return FeedPoll(feed, remembered, tuple(sorted(articles.values(), key=_age)), tuple(problems))


def _rows(feed: str, answer: Response) -> list[dict[str, Any]]:
    """The entries, and one more where they are too many."""
    entries = feed_rows(answer.body, answer.headers.get("content-type"))
    try:
        return list(islice(entries, MOST_ENTRIES + 1))
    except StreamError as exc:
        raise WebError(f"{feed}: {exc}") from exc


def _tag(answer: Response, name: str) -> str | None:
    value = answer.headers.get(name)
    return value if value and len(value) <= LONGEST_TAG else None


def _age(article: Article) -> tuple[datetime, str]:
    return article.published or datetime.max.replace(tzinfo=UTC), article.id


def _article(feed: str, base: str, row: Mapping[str, Any], now: datetime) -> Article:
    url = _link(base, row["url"])
    article = Article(
        id=_id(feed, row, url),
        title=_whole(row["title"]) or "",
        text=_whole(row["text"]) or "",
        html=row["html"],
        url=url,
        source=_whole(row["source"]) or urlsplit(feed).hostname,
        language=_whole(row["language"]),
        published=_published(row["published"], now),
    )
    check_storable(article)
    return article


def _id(feed: str, row: Mapping[str, Any], url: str | None) -> str:
    """Of an entry of a feed the same each time; `feed_of` tells the feed."""
    content = f"{row['title']}\n{row['text']}".encode("utf-8", "replace")
    name = _whole(row["id"]) or url or sha256(content).hexdigest()[:16]
    if len(name) > LONGEST_ID:
        name = sha256(name.encode()).hexdigest()
    return f"{feed}#{name}"


def feed_of(article_id: str) -> str:
    """The feed that an article of this id is from.

    >>> feed_of("https://coast.example/feed#coast-1")
    'https://coast.example/feed'
    """
    return article_id.partition("#")[0]


def _link(base: str, link: object) -> str | None:
    """The address of an entry, whole; None where it is none that one can go to."""
    try:
        address = urljoin(base, str(link).strip()) if link else ""
        return _whole(address) if urlsplit(address).scheme in ("http", "https") else None
    except ValueError:
        return None


def _whole(value: str | None) -> str | None:
    """The text without halves of surrogate pairs."""
    return value.encode("utf-8", "replace").decode() if value else value


def _published(value: object, now: datetime) -> datetime | None:
    try:
        when = read_time(value)
        return when if when is None or when <= now + AHEAD else None
    except (BadArticle, OverflowError):
        return None
