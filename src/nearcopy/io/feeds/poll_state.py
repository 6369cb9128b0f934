"""What is remembered of feeds between two polls: a small file, written whole or not at all."""

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
MOST_SEEN = 5000  # entries of a feed that are remembered: those it had last
MOST_REPORTED = 200  # stories that a written feed may have


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedState:
    """What is known of one feed."""

    title: str | None = None
    etag: str | None = None
    modified: str | None = None
    wait_until: str | None = None  # when it may be asked again, where it said so
    seen: tuple[str, ...] = ()  # the articles of it that were told
    entries: int = 0  # all that were ever seen
    repeats: Mapping[str, int] = field(default_factory=dict)  # how many another feed had before

    def with_seen(self, ids: list[str]) -> "FeedState":
        """With these told; the oldest are forgotten where they are too many."""
        now = frozenset(ids)
        before = [name for name in self.seen if name not in now]
        return replace(self, seen=(*before, *ids)[-MOST_SEEN:])


UNKNOWN = FeedState()


@dataclass(frozen=True, slots=True, kw_only=True)
class PollState:
    """What is known of all feeds, and the stories told last: an article of each, and when."""

    feeds: Mapping[str, FeedState] = field(default_factory=dict)
    stories: tuple[tuple[str, str], ...] = ()

    def with_stories(self, ids: list[str], when: datetime) -> "PollState":
        """With stories told."""
        new = tuple((name, when.isoformat()) for name in ids)
        return replace(self, stories=(*self.stories, *new)[-MOST_REPORTED:])


def read_state(path: Path) -> PollState:
    """What is remembered in a file; nothing where there is none."""
    try:
        values = json.loads(path.read_bytes())
        if values["version"] != VERSION:
            raise ValueError(f"version {values['version']}")
        feeds = {name: _feed(feed) for name, feed in values["feeds"].items()}
        return PollState(feeds=feeds, stories=tuple((str(a), str(b)) for a, b in values["told"]))
    except FileNotFoundError:
        return PollState()
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as exc:
        raise StreamError(
            f"{path} is no memory of feeds ({exc}): move it away to begin anew, "
            "which tells again what feeds have now"
        ) from None


def _feed(values: dict[str, Any]) -> FeedState:
    return FeedState(**{**values, "seen": tuple(values["seen"])})


def write_state(path: Path, memory: PollState) -> None:
    """Remember this."""
    feeds = {name: asdict(feed) for name, feed in memory.feeds.items()}
    values = {"version": VERSION, "feeds": feeds, "told": memory.stories}
    write_atomic(path, json.dumps(values, indent=1))


@contextmanager
def lock_state(path: Path) -> Iterator[None]:
    """Sees to it that no other process polls with this memory meanwhile."""
    with path.with_name(f"{path.name}.lock").open("wb") as file:
        try:
            lock_file(file)
        except OSError:
            raise StreamError(f"{path} is in use: another poll is under way") from None
        yield
