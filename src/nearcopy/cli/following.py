"""The work of `nearcopy feeds`: ask, tell what is new, remember, and again where that is asked."""

import signal
import sys
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any

import typer

from nearcopy.cli.consuming import Stopping
from nearcopy.cli.stored import MEMORY, SQLITE, adding
from nearcopy.cli.terminal import INTERRUPTED, counted, in_a_line, noted, write_lines
from nearcopy.errors import NearcopyError, NotStored
from nearcopy.feeds import feed_kind, feed_rows
from nearcopy.feeds.memory import Memory, alone, read_memory, write_memory
from nearcopy.feeds.polling import Polite, poll
from nearcopy.feeds.telling import Round, Told, look, take_in, told_story
from nearcopy.feeds.writing import atom, report
from nearcopy.model import Article, Relation
from nearcopy.replacing import write_whole
from nearcopy.web import OWN_NETWORK

if TYPE_CHECKING:
    from nearcopy.config import Policy, Recipe
    from nearcopy.deduper import Deduper

LARGEST_OPML = 16 << 20  # bytes
LEAST_SECONDS = 60.0  # between two polls
LOOKED_SECONDS = 0.2  # how often a wish to stop is seen
WEB = ("http://", "https://")


@dataclass(frozen=True, slots=True, kw_only=True)
class Following:
    """Which feeds, what remembers them, and what is written."""

    feeds: tuple[str, ...]
    store: str
    settings: "tuple[Recipe | None, Policy]"
    polite: Polite
    pool: str | None = None
    state: Path | None = None
    atom: Path | None = None
    report: Path | None = None
    dry_run: bool = False
    as_json: bool = False
    every: float | None = None


def subscribed(named: Iterable[str]) -> Iterator[str]:
    """The feeds by address, each once: as given, or as OPML files list them."""
    given = (feed for each in named for feed in _listed(each))
    yield from dict.fromkeys(each.strip().partition("#")[0] for each in given)


def _listed(named: str) -> list[str]:
    if named.lower().startswith(WEB):
        return [named]
    if "://" in named:
        raise NearcopyError(f"{named}: give an address of http or https, or an OPML file")
    with Path(named).open("rb") as file:
        data = file.read(LARGEST_OPML + 1)
    if len(data) > LARGEST_OPML or feed_kind(data) != "opml":
        raise NearcopyError(f"{named} is no OPML file: give one that lists feeds, or addresses")
    found = [str(row["url"]) for row in feed_rows(data)]
    if not found:
        raise NearcopyError(f"{named} lists no feeds")
    return found


def follow(following: Following) -> None:
    """Ask feeds once, or again and again until told to stop."""
    if following.every is not None and following.every < LEAST_SECONDS:
        raise NearcopyError(f"--every is at least {LEAST_SECONDS:g}s: feeds are others' machines")
    path = _state(following)
    held = nullcontext() if following.dry_run else alone(path)
    with held, adding(_store(following), *following.settings, pool=following.pool) as deduper:
        memory = read_memory(path)
        with Stopping() as stopping:
            while True:
                start = monotonic()
                memory, read = _once(following, deduper, memory, path)
                if following.every is None or not _wait(start + following.every, stopping):
                    break
    if stopping.signal == signal.SIGINT:
        raise typer.Exit(INTERRUPTED)
    if not read:
        raise NearcopyError("no feed could be read: the warnings say why")


def _wait(until: float, stopping: Stopping) -> bool:
    """Whether to go on then."""
    while not stopping() and monotonic() < until:
        sleep(min(LOOKED_SECONDS, max(0.0, until - monotonic())))
    return not stopping()


def _state(following: Following) -> Path:
    if following.state is not None:
        return following.state
    if following.store.startswith(SQLITE):
        return Path(following.store.removeprefix(SQLITE).partition("?")[0] + ".feeds.json")
    raise NearcopyError("where to remember what was seen? Give --state feeds.json")


def _store(following: Following) -> str:
    """The store; for a dry run one in memory in place of a file that would have to be made."""
    path = following.store.removeprefix(SQLITE).partition("?")[0]
    missing = following.store.startswith(SQLITE) and not Path(path).exists()
    if following.store.startswith(MEMORY) and not following.dry_run:
        raise NearcopyError(
            f"{following.store} forgets what it was told: give a store that lasts, "
            "such as --store seen.db"
        )
    return "memory://" if following.dry_run and missing else following.store


def _once(
    following: Following, deduper: "Deduper", memory: Memory, path: Path
) -> tuple[Memory, bool]:
    """What is remembered after one poll, and whether any feed could be read."""
    now = following.polite.clock()
    polled = list(poll(following.feeds, memory.feeds, following.polite))
    if following.dry_run:
        found = look(deduper, polled, memory)
    else:
        found = take_in(deduper, polled, memory, now)
    _write(found, following.as_json)
    if not following.dry_run:
        _write_files(following, deduper, found.memory, now)
        write_memory(path, found.memory)
    return found.memory, any(each.read for each in polled)


def _write(found: Round, as_json: bool) -> None:
    if as_json:
        write_lines(map(_row, found.told))
    else:
        sys.stdout.buffer.write("".join(map(_lines, found.told)).encode())
        sys.stdout.buffer.flush()
    for each in found.problems:
        to_do = ": --allow-private asks it all the same" if each.endswith(OWN_NETWORK) else ""
        noted(f"warning: {in_a_line(each)}{to_do}")
    new = counted(found.entries, "new entry").replace("entrys", "entries")
    noted(f"{new}: {counted(len(found.told), 'new story').replace('storys', 'stories')}")


def _lines(told: Told) -> str:
    """A story for people: what, where, and who else has it."""
    kept = told.kept
    lines = [in_a_line(kept.title or "(no title)")]
    lines.append(in_a_line(" · ".join(each for each in (kept.source, kept.url) if each)))
    reports = {each.id for each in told.story.members if each.relation is Relation.SAME_EVENT}
    copies = (a.source for a in told.others if a.id not in reports and a.source)
    if others := dict.fromkeys(map(in_a_line, copies)):
        lines.append(f"also in {', '.join(others)}")
    lines += [f"also: {_titled(each)}" for each in told.others if each.id in reports]
    return "\n    ".join(lines) + "\n"


def _titled(report: Article) -> str:
    """A report of the same in other words, which may tell more."""
    return in_a_line(" · ".join(filter(None, (report.title or "(no title)", report.source))))


def _row(told: Told) -> dict[str, Any]:
    relations = {each.id: each.relation for each in told.story.members}
    kept = told.kept
    return {
        "story_id": told.story.id,
        "id": kept.id,
        "title": kept.title,
        "url": kept.url,
        "source": kept.source,
        "published": kept.published.isoformat() if kept.published else None,
        "also_in": [
            {"id": a.id, "source": a.source, "url": a.url, "relation": relations[a.id]}
            for a in told.others
        ],
    }


def _write_files(following: Following, deduper: "Deduper", memory: Memory, now: datetime) -> None:
    if following.atom is not None:
        stories = list(_told_before(deduper, memory))
        write_whole(following.atom, atom(stories, now))
    if following.report is not None:
        write_whole(following.report, report(memory.feeds, following.feeds, now))


def _told_before(deduper: "Deduper", memory: Memory) -> Iterator[tuple[Told, datetime]]:
    """The stories told last, as they are now; each once, where it was told first."""
    given: set[str] = set()
    for name, when in memory.told:
        try:
            story = deduper.story(name)
        except NotStored:  # forgotten since
            continue
        if story.id not in given:
            given.add(story.id)
            yield told_story(deduper, story), datetime.fromisoformat(when)
