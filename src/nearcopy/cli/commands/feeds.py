"""`nearcopy feeds`: poll RSS, Atom and JSON feeds, and report each new story once."""

import signal
import sys
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from time import monotonic, sleep
from typing import TYPE_CHECKING, Annotated, Any

import typer

from nearcopy.cli.open_store import MEMORY, SQLITE, adding
from nearcopy.cli.options import (
    OUT,
    JsonOption,
    PolicyOption,
    PoolOption,
    PresetOption,
    StoreOption,
    WindowOption,
    store_address,
)
from nearcopy.cli.terminal import (
    INTERRUPTED,
    StopSignal,
    counted,
    in_a_line,
    noted,
    reported,
    write_lines,
)
from nearcopy.config.units import span
from nearcopy.errors import NearcopyError, NotStored
from nearcopy.io.files.atomic_write import write_atomic
from nearcopy.io.settings import settings
from nearcopy.models.model import Article, Relation

if TYPE_CHECKING:
    from nearcopy.config import Policy, Recipe
    from nearcopy.deduper.deduper import Deduper
    from nearcopy.io.feeds.new_stories import NewStory, PollSummary
    from nearcopy.io.feeds.poll import PollSettings
    from nearcopy.io.feeds.poll_state import PollState

HOW = "How feeds are asked"
MEGABYTE = 1 << 20
LARGEST_OPML = 16 << 20  # bytes
LEAST_SECONDS = 60.0  # between two polls
STOP_CHECK_SECONDS = 0.2  # how often the stop signal is checked while waiting
WEB = ("http://", "https://")


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedsJob:
    """Which feeds to poll, the store and the state file, and what is written."""

    feeds: tuple[str, ...]
    store: str
    settings: "tuple[Recipe | None, Policy]"
    polite: "PollSettings"
    pool: str | None = None
    state: Path | None = None
    atom: Path | None = None
    report: Path | None = None
    dry_run: bool = False
    as_json: bool = False
    every: float | None = None


def _how(metavar: str, means: str, flag: str) -> Any:
    return typer.Option(flag, metavar=metavar, help=means, rich_help_panel=HOW)


def _file(means: str, flag: str) -> Any:
    return typer.Option(flag, metavar="FILE", help=means, rich_help_panel=OUT, dir_okay=False)


@reported
def feeds(
    subscriptions: Annotated[
        list[str], typer.Argument(metavar="FILE.opml|URL", help="OPML files, or feeds.")
    ],
    store: StoreOption = None,
    pool: PoolOption = None,
    preset: PresetOption = None,
    policy: PolicyOption = None,
    window: WindowOption = None,
    state: Annotated[
        Path | None, _file("What was seen; beside a store that is a file.", "--state")
    ] = None,
    atom: Annotated[Path | None, _file("Write a clean Atom feed of new stories.", "--atom")] = None,
    report: Annotated[
        Path | None, _file("Write OPML of which feeds repeat which.", "--report")
    ] = None,
    dry_run: Annotated[
        bool,
        typer.Option("--dry-run", rich_help_panel=OUT, help="Tell what is new; remember nothing."),
    ] = False,
    as_json: JsonOption = False,
    once: Annotated[
        bool, typer.Option("--once", rich_help_panel=HOW, help="Ask once and end, as it does.")
    ] = False,
    every: Annotated[str | None, _how("SPAN", "Ask again and again: 10m, 1h.", "--every")] = None,
    pause: Annotated[str, _how("SPAN", "Between two requests to one host.", "--pause")] = "1s",
    time_out: Annotated[str, _how("SPAN", "For each answer.", "--time-out")] = "20s",
    max_mb: Annotated[
        int, typer.Option("--max-mb", min=1, max=100, rich_help_panel=HOW, help="Of an answer.")
    ] = 4,
    allow_private: Annotated[
        bool,
        typer.Option(
            "--allow-private",
            rich_help_panel=HOW,
            help="Ask hosts of the own network, too.",
        ),
    ] = False,
) -> None:
    """Tell what is new in feeds, each story once."""
    from nearcopy.io.feeds.poll import PollSettings
    from nearcopy.io.http_client import Limits

    if once and every:
        raise NearcopyError("--once and --every are two ways: give one of them")
    limits = Limits(
        seconds=span(time_out).total_seconds(),
        max_bytes=max_mb * MEGABYTE,
        private=allow_private,
    )
    _follow(
        FeedsJob(
            feeds=tuple(list_feeds(subscriptions)),
            store=store_address(store),
            settings=settings(preset, policy, window),
            pool=pool,
            polite=PollSettings(limits=limits, pause_seconds=span(pause).total_seconds()),
            state=state,
            atom=atom,
            report=report,
            dry_run=dry_run,
            as_json=as_json,
            every=span(every).total_seconds() if every else None,
        )
    )


def list_feeds(names: Iterable[str]) -> Iterator[str]:
    """The URLs of all feeds, each once: as named, or as OPML files list them."""
    urls = (url for name in names for url in _read_feed_list(name))
    yield from dict.fromkeys(url.strip().partition("#")[0] for url in urls)


def _read_feed_list(name: str) -> list[str]:
    from nearcopy.io.feeds import feed_kind, feed_rows

    if name.lower().startswith(WEB):
        return [name]
    if "://" in name:
        raise NearcopyError(f"{name}: give an address of http or https, or an OPML file")
    with Path(name).open("rb") as file:
        data = file.read(LARGEST_OPML + 1)
    if len(data) > LARGEST_OPML or feed_kind(data) != "opml":
        raise NearcopyError(f"{name} is no OPML file: give one that lists feeds, or addresses")
    urls = [str(row["url"]) for row in feed_rows(data)]
    if not urls:
        raise NearcopyError(f"{name} lists no feeds")
    return urls


def _follow(job: FeedsJob) -> None:
    """Poll the feeds once, or at intervals until a stop signal."""
    from nearcopy.io.feeds.poll_state import lock_state, read_state

    if job.every is not None and job.every < LEAST_SECONDS:
        raise NearcopyError(f"--every is at least {LEAST_SECONDS:g}s: feeds are others' machines")
    path = _state_path(job)
    lock = nullcontext() if job.dry_run else lock_state(path)
    with lock, adding(_store_to_open(job), *job.settings, pool=job.pool) as deduper:
        memory = read_state(path)
        with StopSignal() as stopping:
            while True:
                start = monotonic()
                memory, read = _poll_once(job, deduper, memory, path)
                if job.every is None or not _wait(start + job.every, stopping):
                    break
    if stopping.signal == signal.SIGINT:
        raise typer.Exit(INTERRUPTED)
    if not read:
        raise NearcopyError("no feed could be read: the warnings say why")


def _wait(until: float, stopping: StopSignal) -> bool:
    """Wait until then; False where a stop signal came."""
    while not stopping() and monotonic() < until:
        sleep(min(STOP_CHECK_SECONDS, max(0.0, until - monotonic())))
    return not stopping()


def _state_path(job: FeedsJob) -> Path:
    if job.state is not None:
        return job.state
    if job.store.startswith(SQLITE):
        return Path(job.store.removeprefix(SQLITE).partition("?")[0] + ".feeds.json")
    raise NearcopyError("where to remember what was seen? Give --state feeds.json")


def _store_to_open(job: FeedsJob) -> str:
    """The store; in a dry run one in memory instead of a file that does not exist yet."""
    path = job.store.removeprefix(SQLITE).partition("?")[0]
    missing = job.store.startswith(SQLITE) and not Path(path).exists()
    if job.store.startswith(MEMORY) and not job.dry_run:
        raise NearcopyError(
            f"{job.store} forgets what it was told: give a store that lasts, "
            "such as --store seen.db"
        )
    return "memory://" if job.dry_run and missing else job.store


def _poll_once(
    job: FeedsJob, deduper: "Deduper", memory: "PollState", path: Path
) -> "tuple[PollState, bool]":
    """The state after one poll, and whether any feed could be read."""
    from nearcopy.io.feeds.new_stories import ingest_polls, preview_polls
    from nearcopy.io.feeds.poll import poll
    from nearcopy.io.feeds.poll_state import write_state

    now = job.polite.clock()
    polled = list(poll(job.feeds, memory.feeds, job.polite))
    if job.dry_run:
        result = preview_polls(deduper, polled, memory)
    else:
        result = ingest_polls(deduper, polled, memory, now)
    _write(result, job.as_json)
    if not job.dry_run:
        _write_files(job, deduper, result.state, now)
        write_state(path, result.state)
    return result.state, any(feed.read for feed in polled)


def _write(result: "PollSummary", as_json: bool) -> None:
    from nearcopy.io.http_client import OWN_NETWORK

    if as_json:
        write_lines(map(_row, result.stories))
    else:
        sys.stdout.buffer.write("".join(map(_lines, result.stories)).encode())
        sys.stdout.buffer.flush()
    for problem in result.problems:
        hint = ": --allow-private asks it all the same" if problem.endswith(OWN_NETWORK) else ""
        noted(f"warning: {in_a_line(problem)}{hint}")
    new = counted(result.entries, "new entry").replace("entrys", "entries")
    noted(f"{new}: {counted(len(result.stories), 'new story').replace('storys', 'stories')}")


def _lines(new: "NewStory") -> str:
    """A story as text: its title, its source, and the other outlets that have it."""
    kept = new.kept
    lines = [in_a_line(kept.title or "(no title)")]
    lines.append(in_a_line(" · ".join(part for part in (kept.source, kept.url) if part)))
    reports = {m.id for m in new.story.members if m.relation is Relation.SAME_EVENT}
    copies = (a.source for a in new.other_articles if a.id not in reports and a.source)
    if outlets := dict.fromkeys(map(in_a_line, copies)):
        lines.append(f"also in {', '.join(outlets)}")
    lines += [f"also: {_title_and_source(a)}" for a in new.other_articles if a.id in reports]
    return "\n    ".join(lines) + "\n"


def _title_and_source(report: Article) -> str:
    """A line for an independent report of the same event."""
    return in_a_line(" · ".join(filter(None, (report.title or "(no title)", report.source))))


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


def _write_files(job: FeedsJob, deduper: "Deduper", memory: "PollState", now: datetime) -> None:
    from nearcopy.io.feeds.atom import atom, report

    if job.atom is not None:
        stories = list(_reported_stories(deduper, memory))
        write_atomic(job.atom, atom(stories, now))
    if job.report is not None:
        write_atomic(job.report, report(memory.feeds, job.feeds, now))


def _reported_stories(
    deduper: "Deduper", memory: "PollState"
) -> "Iterator[tuple[NewStory, datetime]]":
    """The stories reported last, in their current state; each once, at its first report."""
    from nearcopy.io.feeds.new_stories import load_new_story

    seen: set[str] = set()
    for name, when in memory.stories:
        try:
            story = deduper.story(name)
        except NotStored:  # forgotten since
            continue
        if story.id not in seen:
            seen.add(story.id)
            yield load_new_story(deduper, story), datetime.fromisoformat(when)
