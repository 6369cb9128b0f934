"""The state of feeds between two polls: a small file, written atomically."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from nearcopy.errors import StreamError
from nearcopy.io.files.atomic_write import lock_file, write_atomic

VERSION = 1
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


def read_state(path: Path) -> PollState:
    """The state in a file; empty where there is none."""
    try:
        values = json.loads(path.read_bytes())
        if values["version"] != VERSION:
            raise ValueError(f"version {values['version']}")
        feeds = {name: _feed(feed) for name, feed in values["feeds"].items()}
        return PollState(feeds=feeds, stories=tuple((str(a), str(b)) for a, b in values["stories"]))
    except FileNotFoundError:
        return PollState()
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as exc:
        raise StreamError(
            f"{path} is no state of feeds ({exc}): move it away to start over, "
            "which reports everything in the feeds again"
        ) from None


def _feed(values: dict[str, Any]) -> FeedState:
    return FeedState(**{**values, "seen": tuple(values["seen"])})


def write_state(path: Path, state: PollState) -> None:
    """Replace the state in a file."""
    feeds = {name: asdict(feed) for name, feed in state.feeds.items()}
    values = {"version": VERSION, "feeds": feeds, "stories": state.stories}
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
