"""The work of `nearcopy import`: the file is read once to see that it is good, then taken in."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from time import perf_counter
from typing import Any

from nearcopy.acts import Act, act_of
from nearcopy.cli.articles import refuse, watched
from nearcopy.cli.moved import opened as opened_store
from nearcopy.cli.progress import Phases
from nearcopy.cli.spared import spare, store_file
from nearcopy.cli.stored import adding
from nearcopy.cli.terminal import counted, noted, write_lines
from nearcopy.config import Policy, Recipe
from nearcopy.errors import BadArticle
from nearcopy.feedback import Feedback
from nearcopy.formats import Rejected, Row, Source, opened, own_ids, read
from nearcopy.formats.exports import (
    END,
    STORE,
    Head,
    arrival_of,
    feedback_of,
    head_of,
    record_of,
    time_of,
)
from nearcopy.inventory import some
from nearcopy.lineage import own_story_id
from nearcopy.moving import Arrived
from nearcopy.rebuilding import Aside, Settings, fill

STDIN = "-"
CUT_OFF = "its last row is missing, so the file is cut off: export it again"


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """What was asked for."""

    file: str
    address: str
    pool: str | None
    articles_only: bool
    recipe: Recipe | None
    policy: Policy
    rejected: Path | None
    threads: int
    json: bool

    def __post_init__(self) -> None:
        spare([self.file, store_file(self.address)], self.rejected)

    @property
    def name(self) -> str:
        """What to call the file, from wherever it is looked at."""
        return "stdin" if self.file == STDIN else str(Path(self.file).resolve())


def run(job: Job) -> None:
    """Does what was asked, and says what came of it."""
    started = perf_counter()
    with opened([job.file]) as (source,), Phases() as phases:
        whole = _is_whole(source)
        take = _whole if whole and not job.articles_only else _articles
        row = take(job, source, phases)
    row |= {"seconds": round(perf_counter() - started, 3)}
    if job.json:
        write_lines([row])
    noted(_told(row))


def _told(row: Mapping[str, Any]) -> str:
    if not row["whole"]:
        copies = counted(row["duplicates"], "duplicate")
        return f"imported {counted(row['articles'], 'article')}, {copies}"
    there = f", {row['there']:,} were there" if row["there"] else ""
    return (
        f"imported {counted(row['articles'], 'article')}{there}; stories of several articles: "
        f"{row['stories']:,}; said by people: {row['feedback']:,}"
    )


def _is_whole(source: Source) -> bool:
    """Whether the file was written with --all."""
    first = next(read(source), None)
    record = record_of(first) if first else None
    return record is not None and record["kind"] == STORE


# Any articles.


def _articles(job: Job, source: Source, phases: Phases) -> dict[str, Any]:
    bad = (
        row for row in watched(_read(source), [source], phases.tell) if isinstance(row, Rejected)
    )
    refuse(bad, job.rejected)
    rows = (row for row in own_ids(_read(source)) if isinstance(row, Row))
    with adding(job.address, job.recipe, job.policy, threads=job.threads, pool=job.pool) as deduper:
        added = deduper.run(row.article for row in rows)
        copies = [each.is_duplicate for each in phases.each(added, "importing")]
        if deduper.provisional:
            deduper.retell()
    row = {"file": source.name, "store": deduper.address, "whole": False}
    return row | {"articles": len(copies), "duplicates": sum(copies)}


def _read(source: Source) -> Iterator[Row | Rejected]:
    """The rows, but for what an export holds beside articles."""
    return (row for row in read(source) if record_of(row) is None)


# A whole export.


def _whole(job: Job, source: Source, phases: Phases) -> dict[str, Any]:
    found = _Export(source, phases)
    settings = Settings(job.recipe or found.head.recipe, job.policy, job.threads)
    with opened_store(job.address, job.pool) as target:
        name = f"import of {job.name}, {found.digest}"
        filled = fill(target, found.arrived(phases), found.aside(), settings, name=name)
    for brake in filled.retold.braked:
        noted(f"warning: {brake.why}")
    row = {"file": source.name, "store": target.address, "whole": True}
    return row | {
        "articles": filled.added,
        "there": filled.there,
        "stories": filled.retold.stories,
        "feedback": len(found.told),
    }


class _Export:
    """A file written with --all, found to be good."""

    def __init__(self, source: Source, phases: Phases) -> None:
        self._source = source
        self.told: list[Feedback] = []
        self.acts: list[Act] = []
        self._redirects: dict[str, str] = {}
        self._times: dict[tuple[int, str, int], int] = {}
        self._shared: set[str] = set()  # stories that are not named after one of their articles
        self._former: dict[str, str] = {}
        self._articles = 0
        self._ended = False
        head: Head | None = None
        digest = sha256()
        for rows, row in enumerate(phases.each(read(source), "reading")):
            values = row.raw if isinstance(row, Rejected) else row.values
            digest.update(repr(values).encode("utf-8", "backslashreplace"))
            record = record_of(row)
            if head is None and record is not None:
                head = head_of(record)
            elif record is None:
                self._check(row)
            else:
                self._take(record, row, rows)
        if head is None or not self._ended:
            raise BadArticle(f"{source.name}: {CUT_OFF}")
        self.head, self.digest = head, digest.hexdigest()[:12]

    def _check(self, row: Row | Rejected) -> None:
        """Takes note of an article."""
        if isinstance(row, Rejected):
            raise BadArticle(f"{row.place}: {row.why}")
        try:
            found = arrival_of(row.values)
        except BadArticle as wrong:
            raise BadArticle(f"{row.place}: {wrong}") from wrong
        self._articles += 1
        if found.story and found.story != own_story_id(found.article.id):
            self._shared.add(found.story)

    def _take(self, record: dict[str, Any], row: Row | Rejected, rows: int) -> None:
        """Takes note of a record."""
        try:
            match record["kind"]:
                case "feedback":
                    self.told.append(feedback_of(record))
                case "act":
                    self.acts.append(act_of(record["act"]))
                case "redirect":
                    self._redirects[record["story"]] = record["to"]
                case "time":
                    key, count = time_of(record)
                    self._times[key] = count
                case kind:
                    self._ended = kind == END and record["rows"] == rows
        except (KeyError, TypeError, ValueError) as wrong:
            raise BadArticle(f"{row.place}: no record of an export: {wrong!r:.100}") from wrong

    def arrived(self, phases: Phases) -> Iterator[Arrived]:
        """The articles as they came, some at a time."""
        rows = (row for row in read(self._source) if isinstance(row, Row))
        for batch in some(phases.each(rows, "importing", total=self._articles)):
            found = [arrival_of(row.values) for row in batch]
            self._former |= {a.article.id: a.story for a in found if a.story in self._shared}
            yield Arrived(
                [each.article for each in found],
                {each.article.id: each.run for each in found},
                {each.article.id: each.before for each in found if each.before},
            )

    def aside(self) -> Aside:
        """What there is beside the articles; of their former stories, once they are read."""
        terms = self.head.terms
        return Aside(self._former, self._redirects, self.told, self._times, terms, self.acts)
