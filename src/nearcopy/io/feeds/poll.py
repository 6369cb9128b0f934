"""Poll feeds: conditional requests, rate-limited by host; the answers are not trusted.

The state of feeds between two polls is a small file, written atomically.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from hashlib import sha256
from itertools import islice
from pathlib import Path
from threading import Lock
from time import monotonic, sleep
from typing import Any, NamedTuple
from urllib.parse import urljoin, urlsplit

from nearcopy.errors import BadArticle, StreamError, WebError
from nearcopy.io.feeds.parse import feed_kind, feed_rows
from nearcopy.io.files.atomic_write import lock_file, write_atomic
from nearcopy.io.files.dates import read_time
from nearcopy.io.http_client import Limits, Request, Response, fetch
from nearcopy.io.streams.consumer import check_storable
from nearcopy.models import Article

ACCEPT = "application/rss+xml, application/atom+xml, application/feed+json, */*;q=0.5"
MAX_ENTRIES = 1000
MAX_ID = 300
MAX_TAG = 1024  # characters of an ETag or date that is sent back
MAX_WAIT = timedelta(days=1)
MAX_AHEAD = timedelta(days=1)  # a later date is treated as missing
NOT_MODIFIED = 304
OK = 200
THREADS = 8
STATE_VERSION = 1
MAX_SEEN = 5000  # entries of a feed that are remembered, the latest
MAX_REPORTED = 200  # stories in an Atom feed


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedState:
    """The state of one feed."""

    title: str | None = None
    etag: str | None = None
    modified: str | None = None
    wait_until: str | None = None  # from its Retry-After
    seen: tuple[str, ...] = ()  # the ids of its articles that were reported
    entries: int = 0  # in total
    repeats: Mapping[str, int] = field(default_factory=dict)  # entries that another feed had first

    def with_seen(self, ids: list[str]) -> "FeedState":
        """The state with these articles reported; the oldest are dropped beyond the limit."""
        new = frozenset(ids)
        before = [name for name in self.seen if name not in new]
        return replace(self, seen=(*before, *ids)[-MAX_SEEN:])


NEVER_POLLED = FeedState()


@dataclass(frozen=True, slots=True, kw_only=True)
class PollState:
    """The state of all feeds, and the last stories reported: an article of each, and when."""

    feeds: Mapping[str, FeedState] = field(default_factory=dict)
    stories: tuple[tuple[str, str], ...] = ()

    def with_stories(self, ids: list[str], when: datetime) -> "PollState":
        """The state with these stories reported."""
        new = tuple((name, when.isoformat()) for name in ids)
        return replace(self, stories=(*self.stories, *new)[-MAX_REPORTED:])


# The file of the state.


def read_state(path: Path) -> PollState:
    """The state in a file; empty where there is none."""
    try:
        values = json.loads(path.read_bytes())
        if values["version"] != STATE_VERSION:
            raise ValueError(f"version {values['version']}")
        feeds = {
            name: FeedState(**{**feed, "seen": tuple(feed["seen"])})
            for name, feed in values["feeds"].items()
        }
        return PollState(feeds=feeds, stories=tuple((str(a), str(b)) for a, b in values["stories"]))
    except FileNotFoundError:
        return PollState()
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as exc:
        raise StreamError(
            f"{path} is no state of feeds ({exc}): move it away to start over, "
            "which reports everything in the feeds again"
        ) from None


def write_state(path: Path, state: PollState) -> None:
    """Replace the state in a file."""
    feeds = {name: asdict(feed) for name, feed in state.feeds.items()}
    values = {"version": STATE_VERSION, "feeds": feeds, "stories": state.stories}
    write_atomic(path, json.dumps(values, indent=1))


@contextmanager
def lock_state(path: Path) -> Iterator[None]:
    """Lock the state against other processes."""
    with path.with_name(f"{path.name}.lock").open("wb") as file:
        try:
            lock_file(file)
        except OSError:
            raise StreamError(f"{path} is in use: another poll is running") from None
        yield


# Requests.


@dataclass(frozen=True, slots=True, kw_only=True)
class PollSettings:
    """Limits of requests, and the pause between two to one host."""

    limits: Limits = field(default_factory=Limits)
    pause_seconds: float = 1.0  # between two requests to one host
    clock: Callable[[], datetime] = lambda: datetime.now(UTC)


class FeedPoll(NamedTuple):
    """The articles of a feed, oldest first, its new state, and problems."""

    feed: str
    state: FeedState
    articles: tuple[Article, ...] = ()
    problems: tuple[str, ...] = ()
    read: bool = True  # whether it answered, be it that nothing changed


class HostRateLimiter:
    """Spaces out requests to one host."""

    def __init__(self, seconds: float) -> None:
        self._seconds, self._lock = seconds, Lock()
        self._next: dict[str, float] = {}

    def wait(self, host: str) -> None:
        """Wait for the turn of a request to this host."""
        with self._lock:
            turn = max(monotonic(), self._next.get(host, 0.0))
            self._next[host] = turn + self._seconds
        sleep(max(0.0, turn - monotonic()))


def poll(
    feeds: Iterable[str], states: Mapping[str, FeedState], settings: PollSettings
) -> Iterator[FeedPoll]:
    """Poll each feed, in order; a failure of one does not affect others."""
    limiter = HostRateLimiter(settings.pause_seconds)

    def poll_safely(feed: str) -> FeedPoll:
        state = states.get(feed, NEVER_POLLED)
        try:
            return _poll_feed(feed, state, settings, limiter)
        except WebError as exc:
            return FeedPoll(feed, state, problems=(str(exc),), read=False)

    with ThreadPoolExecutor(THREADS) as pool:
        yield from pool.map(poll_safely, feeds)


def _poll_feed(
    feed: str, state: FeedState, settings: PollSettings, limiter: HostRateLimiter
) -> FeedPoll:
    now = settings.clock()
    if state.wait_until and datetime.fromisoformat(state.wait_until) > now:
        why = f"{feed}: not to be polled until {state.wait_until}"
        return FeedPoll(feed, state, problems=(why,), read=False)
    request = Request(address=feed, headers=_request_headers(state))
    response = fetch(request, settings.limits, limiter.wait)
    if response.status == NOT_MODIFIED:
        unchanged = replace(state, wait_until=None)
        return FeedPoll(feed, unchanged, problems=_redirect_problem(feed, response))
    if response.status != OK:
        wait = replace(state, wait_until=_wait_until(response, now))
        why = f"{feed}: answered {response.status}"
        return FeedPoll(feed, wait, problems=(why,), read=False)
    return _parse_response(feed, state, response, now)


def _request_headers(state: FeedState) -> dict[str, str]:
    headers = {
        "Accept": ACCEPT,
        "If-None-Match": state.etag,
        "If-Modified-Since": state.modified,
    }
    return {name: value for name, value in headers.items() if value}


def _wait_until(response: Response, now: datetime) -> str | None:
    """The time that the Retry-After of the response says."""
    retry_after = response.headers.get("retry-after", "").strip()
    try:
        when = (
            now + timedelta(seconds=int(retry_after))
            if retry_after[:9].isdigit()
            else _date(retry_after)
        )
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    return min(when, now + MAX_WAIT).isoformat()


def _date(text: str) -> datetime:
    when = parsedate_to_datetime(text)
    return when if when.tzinfo else when.replace(tzinfo=UTC)


def _redirect_problem(feed: str, response: Response) -> tuple[str, ...]:
    return (f"{feed}: has moved permanently to {response.moved}",) if response.moved else ()


def _parse_response(feed: str, state: FeedState, response: Response, now: datetime) -> FeedPoll:
    data = response.body
    if feed_kind(data) != "feed":
        raise WebError(f"{feed}: neither RSS, Atom nor JSON Feed")
    problems = list(_redirect_problem(feed, response))
    rows = _rows(feed, response)
    if len(rows) > MAX_ENTRIES:
        problems.append(f"{feed}: only the first {MAX_ENTRIES:,} entries are read")
    articles: dict[str, Article] = {}
    for row in rows[:MAX_ENTRIES]:
        try:
            article = _article(feed, response.address, row, now)
        except BadArticle as exc:
            problems.append(f"{feed}: an entry is invalid: {exc}")
        else:
            articles.setdefault(article.id, article)
    new_state = replace(
        state,
        title=next((str(row["source"])[:200] for row in rows if row["source"]), state.title),
        etag=_tag(response, "etag"),
        modified=_tag(response, "last-modified"),
        wait_until=None,
    )
    return FeedPoll(
        feed, new_state, tuple(sorted(articles.values(), key=_date_order)), tuple(problems)
    )


def _rows(feed: str, response: Response) -> list[dict[str, Any]]:
    """The entries, and one beyond the limit where there are too many."""
    entries = feed_rows(response.body, response.headers.get("content-type"))
    try:
        return list(islice(entries, MAX_ENTRIES + 1))
    except StreamError as exc:
        raise WebError(f"{feed}: {exc}") from exc


def _tag(response: Response, name: str) -> str | None:
    value = response.headers.get(name)
    return value if value and len(value) <= MAX_TAG else None


def _date_order(article: Article) -> tuple[datetime, str]:
    return article.published or datetime.max.replace(tzinfo=UTC), article.id


def _article(feed: str, base: str, row: Mapping[str, Any], now: datetime) -> Article:
    url = _link(base, row["url"])
    article = Article(
        id=_id(feed, row, url),
        title=_replace_surrogates(row["title"]) or "",
        text=_replace_surrogates(row["text"]) or "",
        html=row["html"],
        url=url,
        source=_replace_surrogates(row["source"]) or urlsplit(feed).hostname,
        language=_replace_surrogates(row["language"]),
        published=_published(row["published"], now),
    )
    check_storable(article)
    return article


def _id(feed: str, row: Mapping[str, Any], url: str | None) -> str:
    """A stable id of an entry, from which `feed_of` gets the feed."""
    content = f"{row['title']}\n{row['text']}".encode("utf-8", "replace")
    name = _replace_surrogates(row["id"]) or url or sha256(content).hexdigest()[:16]
    if len(name) > MAX_ID:
        name = sha256(name.encode()).hexdigest()
    return f"{feed}#{name}"


def feed_of(article_id: str) -> str:
    """The feed of an article id.

    >>> feed_of("https://coast.example/feed#coast-1")
    'https://coast.example/feed'
    """
    return article_id.partition("#")[0]


def _link(base: str, link: object) -> str | None:
    """The absolute URL of an entry; None where it is not http or https."""
    try:
        url = urljoin(base, str(link).strip()) if link else ""
        return _replace_surrogates(url) if urlsplit(url).scheme in ("http", "https") else None
    except ValueError:
        return None


def _replace_surrogates(value: str | None) -> str | None:
    """The text without lone surrogates."""
    return value.encode("utf-8", "replace").decode() if value else value


def _published(value: object, now: datetime) -> datetime | None:
    try:
        when = read_time(value)
        return when if when is None or when <= now + MAX_AHEAD else None
    except (BadArticle, OverflowError):
        return None
