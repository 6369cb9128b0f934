"""`nearcopy feeds`: poll RSS, Atom and JSON feeds, and report each new story once."""

import signal
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any

import typer

from nearcopy.cli.open_store import MEMORY, open_deduper, store_file
from nearcopy.cli.options import (
    OUT,
    JsonOption,
    PresetOptions,
    StoreOptions,
    argument,
    flag,
    option,
)
from nearcopy.cli.terminal import (
    INTERRUPTED,
    StopSignal,
    format_count,
    note,
    one_line,
    write_json_lines,
)
from nearcopy.config.units import parse_duration
from nearcopy.errors import NearcopyError, NotStored
from nearcopy.io.files.atomic_write import write_atomic
from nearcopy.models import Article, Relation

if TYPE_CHECKING:
    from nearcopy.deduper.deduper import Deduper
    from nearcopy.io.feeds.new_stories import NewStory, PollSummary
    from nearcopy.io.feeds.poll import PollSettings, PollState

POLLING = "Polling"
MEGABYTE = 1 << 20
LEAST_SECONDS = 60.0  # between two polls
STOP_CHECK_SECONDS = 0.2  # how often the stop signal is checked while waiting


@dataclass(frozen=True, slots=True, kw_only=True)
class PollOptions:
    """How often and how politely feeds are polled."""

    once: bool = flag("Poll once and exit; the default.", POLLING)
    every: str | None = option("SPAN", "Poll at this interval: 10m, 1h.", POLLING)
    pause: str = option("SPAN", "Pause between two requests to a host.", POLLING, default="1s")
    timeout: str = option("SPAN", "Timeout of a request.", POLLING, default="20s")
    max_mb: int = option(None, "Maximum size of a response.", POLLING, default=4, min=1, max=100)
    allow_private: bool = flag("Allow hosts in private networks.", POLLING)

    @property
    def interval(self) -> float | None:
        """Seconds between two polls, None to poll once."""
        if self.once and self.every:
            raise NearcopyError("--once and --every exclude each other: give one of them")
        seconds = parse_duration(self.every).total_seconds() if self.every else None
        if seconds is not None and seconds < LEAST_SECONDS:
            raise NearcopyError(
                f"--every {self.every} is too often for the hosts of feeds: "
                f"give at least {LEAST_SECONDS:g}s"
            )
        return seconds

    @property
    def settings(self) -> "PollSettings":
        """The settings of the poller."""
        from nearcopy.io.feeds.poll import PollSettings
        from nearcopy.io.http_client import Limits

        limits = Limits(
            seconds=parse_duration(self.timeout).total_seconds(),
            max_bytes=self.max_mb * MEGABYTE,
            private=self.allow_private,
        )
        pause = parse_duration(self.pause).total_seconds()
        return PollSettings(limits=limits, pause_seconds=pause)


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputOptions:
    """The files that are written."""

    state: Path | None = option(
        "FILE", "State of the poller; by default beside a SQLite store.", OUT, dir_okay=False
    )
    atom: Path | None = option("FILE", "Write an Atom feed of new stories.", OUT, dir_okay=False)
    report: Path | None = option(
        "FILE", "Write OPML with the feeds that repeat each other.", OUT, dir_okay=False
    )
    dry_run: bool = flag("Show what is new; store nothing.")
    as_json: JsonOption = False


def feeds(
    subscriptions: list[str] = argument("FILE.opml|URL", "OPML files, or URLs of feeds."),
    *,
    store: StoreOptions,
    decisions: PresetOptions,
    output: OutputOptions,
    polling: PollOptions,
) -> None:
    """Poll feeds, and report each new story once."""
    from nearcopy.io.feeds.parse import list_feeds

    interval = polling.interval
    urls = tuple(list_feeds(subscriptions))
    path = _state_path(output.state, store.address)
    opened = _store_to_open(store, output.dry_run)
    with open_deduper(opened, decisions) as deduper, StopSignal() as stopping:
        poller = _Poller(urls, deduper, polling.settings, output, path)
        poller.run(interval, stopping)
    if stopping.signal == signal.SIGINT:
        raise typer.Exit(INTERRUPTED)
    if not poller.any_read:
        raise NearcopyError("no feed could be read: see the warnings above")


def _state_path(state: Path | None, address: str) -> Path:
    file = store_file(address)
    if state is None and file is None:
        raise NearcopyError("where is the state of the poller? Give --state feeds.json")
    return state or Path(f"{file}".partition("?")[0] + ".feeds.json")


def _store_to_open(store: StoreOptions, dry_run: bool) -> StoreOptions:
    """The store; in a dry run one in memory instead of a file that does not exist yet."""
    if store.address.startswith(MEMORY) and not dry_run:
        raise NearcopyError(
            f"{store.address} is lost when the command ends: give a persistent store, "
            "such as --store seen.db"
        )
    file = store_file(store.address)
    missing = file is not None and not Path(file.partition("?")[0]).exists()
    return StoreOptions(store="memory://", pool=store.pool) if dry_run and missing else store


@dataclass(slots=True)
class _Poller:
    """Polls feeds, and writes what is new."""

    feeds: tuple[str, ...]
    deduper: "Deduper"
    settings: "PollSettings"
    output: OutputOptions
    path: Path  # of the state
    any_read: bool = False  # whether the last poll could read any feed

    def run(self, interval: float | None, stopping: StopSignal) -> None:
        """Poll once, or at intervals until a stop signal."""
        from nearcopy.io.feeds.poll import lock_state, read_state

        with nullcontext() if self.output.dry_run else lock_state(self.path):
            state = read_state(self.path)
            while True:
                start = monotonic()
                state = self.poll(state)
                if interval is None or not _wait(start + interval, stopping):
                    break

    def poll(self, state: "PollState") -> "PollState":
        """The state after one poll."""
        from nearcopy.io.feeds.new_stories import ingest_polls, preview_polls
        from nearcopy.io.feeds.poll import poll, write_state

        now = self.settings.clock()
        polls = list(poll(self.feeds, state.feeds, self.settings))
        if self.output.dry_run:
            summary = preview_polls(self.deduper, polls, state)
        else:
            summary = ingest_polls(self.deduper, polls, state, now)
        _write_stories(summary, self.output.as_json)
        if not self.output.dry_run:
            self._write_files(summary.state, now)
            write_state(self.path, summary.state)
        self.any_read = any(poll.read for poll in polls)
        return summary.state

    def _write_files(self, state: "PollState", now: datetime) -> None:
        from nearcopy.io.feeds.atom import atom_feed, repeat_report

        if self.output.atom is not None:
            stories = list(_load_reported_stories(self.deduper, state))
            write_atomic(self.output.atom, atom_feed(stories, now))
        if self.output.report is not None:
            write_atomic(self.output.report, repeat_report(state.feeds, self.feeds, now))


def _wait(until: float, stopping: StopSignal) -> bool:
    """Wait until then; False where a stop signal came."""
    while not stopping() and monotonic() < until:
        sleep(min(STOP_CHECK_SECONDS, max(0.0, until - monotonic())))
    return not stopping()


def _load_reported_stories(
    deduper: "Deduper", state: "PollState"
) -> "Iterator[tuple[NewStory, datetime]]":
    """The stories reported last, in their current state; each once, at its first report."""
    from nearcopy.io.feeds.new_stories import load_new_story

    loaded: set[str] = set()
    for id_, when in state.stories:
        try:
            story = deduper.story(id_)
        except NotStored:  # forgotten since
            continue
        if story.id not in loaded:
            loaded.add(story.id)
            yield load_new_story(deduper, story), datetime.fromisoformat(when)


# What is written to stdout.


def _write_stories(summary: "PollSummary", as_json: bool) -> None:
    from nearcopy.io.http_client import PRIVATE_ADDRESS

    if as_json:
        write_json_lines(map(_row, summary.stories))
    else:
        sys.stdout.buffer.write("".join(map(_render_story, summary.stories)).encode())
        sys.stdout.buffer.flush()
    for problem in summary.problems:
        hint = ": allow it with --allow-private" if problem.endswith(PRIVATE_ADDRESS) else ""
        note(f"warning: {one_line(problem)}{hint}")
    entries = format_count(summary.entries, "new entry", "new entries")
    note(f"{entries}: {format_count(len(summary.stories), 'new story', 'new stories')}")


def _render_story(new: "NewStory") -> str:
    """A story as text: its title, its source, and the other outlets that have it."""
    kept = new.kept
    lines = [one_line(kept.title or "(no title)")]
    lines.append(one_line(" · ".join(part for part in (kept.source, kept.url) if part)))
    reports = {m.id for m in new.story.members if m.relation is Relation.SAME_EVENT}
    copies = (a.source for a in new.other_articles if a.id not in reports and a.source)
    if outlets := dict.fromkeys(map(one_line, copies)):
        lines.append(f"also in {', '.join(outlets)}")
    lines += [f"also: {_title_and_source(a)}" for a in new.other_articles if a.id in reports]
    return "\n    ".join(lines) + "\n"


def _title_and_source(report: Article) -> str:
    """A line for an independent report of the same event."""
    return one_line(" · ".join(filter(None, (report.title or "(no title)", report.source))))


def _row(new: "NewStory") -> dict[str, Any]:
    relations = {member.id: member.relation for member in new.story.members}
    kept = new.kept
    return {
        "story_id": new.story.id,
        "id": kept.id,
        "title": kept.title,
        "url": kept.url,
        "source": kept.source,
        "published": kept.published.isoformat() if kept.published else None,
        "also_in": [
            {"id": a.id, "source": a.source, "url": a.url, "relation": relations[a.id]}
            for a in new.other_articles
        ],
    }
