"""What is remembered of feeds between two polls: a small file, written whole or not at all."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from nearcopy.errors import StreamError
from nearcopy.replacing import hold, write_whole

VERSION = 1
MOST_SEEN = 5000  # entries of a feed that are remembered: those it had last
MOST_TOLD = 200  # stories that a written feed may have


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedMemory:
    """What is known of one feed."""

    title: str | None = None
    etag: str | None = None
    modified: str | None = None
    wait_until: str | None = None  # when it may be asked again, where it said so
    seen: tuple[str, ...] = ()  # the articles of it that were told
    entries: int = 0  # all that were ever seen
    repeats: Mapping[str, int] = field(default_factory=dict)  # how many another feed had before

    def with_seen(self, ids: list[str]) -> "FeedMemory":
        """With these told; the oldest are forgotten where they are too many."""
        now = frozenset(ids)
        before = [name for name in self.seen if name not in now]
        return replace(self, seen=(*before, *ids)[-MOST_SEEN:])


UNKNOWN = FeedMemory()


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """What is known of all feeds, and the stories told last: an article of each, and when."""

    feeds: Mapping[str, FeedMemory] = field(default_factory=dict)
    told: tuple[tuple[str, str], ...] = ()

    def with_told(self, ids: list[str], when: datetime) -> "Memory":
        """With stories told."""
        new = tuple((name, when.isoformat()) for name in ids)
        return replace(self, told=(*self.told, *new)[-MOST_TOLD:])


def read_memory(path: Path) -> Memory:
    """What is remembered in a file; nothing where there is none."""
    try:
        found = json.loads(path.read_bytes())
        if found["version"] != VERSION:
            raise ValueError(f"version {found['version']}")
        feeds = {name: _feed(each) for name, each in found["feeds"].items()}
        return Memory(feeds=feeds, told=tuple((str(a), str(b)) for a, b in found["told"]))
    except FileNotFoundError:
        return Memory()
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as wrong:
        raise StreamError(
            f"{path} is no memory of feeds ({wrong}): move it away to begin anew, "
            "which tells again what feeds have now"
        ) from None


def _feed(values: dict[str, Any]) -> FeedMemory:
    return FeedMemory(**{**values, "seen": tuple(values["seen"])})


def write_memory(path: Path, memory: Memory) -> None:
    """Remember this."""
    feeds = {name: asdict(each) for name, each in memory.feeds.items()}
    values = {"version": VERSION, "feeds": feeds, "told": memory.told}
    write_whole(path, json.dumps(values, indent=1))


@contextmanager
def alone(path: Path) -> Iterator[None]:
    """Sees to it that no other process polls with this memory meanwhile."""
    with path.with_name(f"{path.name}.lock").open("wb") as file:
        try:
            hold(file)
        except OSError:
            raise StreamError(f"{path} is in use: another poll is under way") from None
        yield
