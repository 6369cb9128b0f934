"""`nearcopy import`: add articles from a file, or restore a whole export.

The file is read once to check that it is good, then again to add its articles.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any

import typer

from nearcopy.cli.inputs import refuse_overwrite, reject_rows, watch_rows
from nearcopy.cli.open_store import open_raw_store, store_file
from nearcopy.cli.options import (
    JsonOption,
    KeepOption,
    PolicyOption,
    PoolOption,
    PresetOption,
    RejectedOption,
    StoreOption,
    ThreadsOption,
    WindowOption,
    store_address,
)
from nearcopy.cli.terminal import format_count, note, report_errors, write_json_lines
from nearcopy.cluster.story_ids import own_story_id
from nearcopy.config import Policy, Recipe
from nearcopy.deduper.deduper import Deduper
from nearcopy.errors import BadArticle
from nearcopy.io.files import Rejected, Row, Source, assign_unique_ids, open_sources, read
from nearcopy.io.settings import settings
from nearcopy.models.batches import batches
from nearcopy.models.feedback import StoryAction, action_from_json

if TYPE_CHECKING:
    from nearcopy.cli.progress import Phases
    from nearcopy.io.files.store_export import Head
    from nearcopy.maintenance.copy_store import ArticleBatch
    from nearcopy.maintenance.rebuild import ImportedMetadata
    from nearcopy.models.feedback import Feedback

STDIN = "-"
CUT_OFF = "its last row is missing, so the file is cut off: export it again"

File = Annotated[
    str, typer.Argument(metavar="FILE", help="What `export` wrote, or any articles; - for stdin.")
]
ArticlesOnly = Annotated[
    bool,
    typer.Option("--articles-only", help="Of a whole export the articles alone, as they are now."),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportJob:
    """The file to import, the store to fill, and the settings to compare with."""

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
        refuse_overwrite([self.file, store_file(self.address)], self.rejected)

    @property
    def name(self) -> str:
        """The name of the file, the same from every working directory."""
        return "stdin" if self.file == STDIN else str(Path(self.file).resolve())


@report_errors
def import_(
    file: File,
    store: StoreOption = None,
    pool: PoolOption = None,
    articles_only: ArticlesOnly = False,
    preset: PresetOption = None,
    policy: PolicyOption = None,
    window: WindowOption = None,
    keep: KeepOption = None,
    rejected: RejectedOption = None,
    threads: ThreadsOption = 1,
    as_json: JsonOption = False,
) -> None:
    """Take in a file that `export` wrote, or any articles.

    What was written with --all makes the store again: runs, revisions, what people said, and the
    ids of stories. It goes into an empty store; stopped and started again, it goes on.
    """
    recipe, chosen_policy = settings(preset, policy, window, keep)
    job = ImportJob(
        file=file,
        address=store_address(store),
        pool=pool,
        articles_only=articles_only,
        recipe=recipe,
        policy=chosen_policy,
        rejected=rejected,
        threads=threads,
        json=as_json,
    )
    _run(job)


def _run(job: ImportJob) -> None:
    """Import the file, and report the counts."""
    from nearcopy.cli.progress import Phases

    started = perf_counter()
    with open_sources([job.file]) as (source,), Phases() as phases:
        whole = _is_whole(source)
        import_file = _import_export if whole and not job.articles_only else _import_articles
        row = import_file(job, source, phases)
    row |= {"seconds": round(perf_counter() - started, 3)}
    if job.json:
        write_json_lines([row])
    note(_summary(row))


def _summary(row: Mapping[str, Any]) -> str:
    if not row["whole"]:
        copies = format_count(row["duplicates"], "duplicate")
        return f"imported {format_count(row['articles'], 'article')}, {copies}"
    present = f", {row['there']:,} were there" if row["there"] else ""
    return (
        f"imported {format_count(row['articles'], 'article')}{present}; stories of several articles: "
        f"{row['stories']:,}; said by people: {row['feedback']:,}"
    )


def _is_whole(source: Source) -> bool:
    """Whether the file was written with --all."""
    from nearcopy.io.files.store_export import STORE, record_of

    first = next(read(source), None)
    record = record_of(first) if first else None
    return record is not None and record["kind"] == STORE


# Any articles.


def _import_articles(job: ImportJob, source: Source, phases: "Phases") -> dict[str, Any]:
    rejected = (
        row
        for row in watch_rows(_article_rows(source), [source], phases.note)
        if isinstance(row, Rejected)
    )
    reject_rows(rejected, job.rejected)
    rows = (row for row in assign_unique_ids(_article_rows(source)) if isinstance(row, Row))
    with Deduper(
        job.address, job.recipe, job.policy, threads=job.threads, pool=job.pool
    ) as deduper:
        verdicts = deduper.run(row.article for row in rows)
        copies = [verdict.is_duplicate for verdict in phases.track(verdicts, "importing")]
        if deduper.provisional:
            deduper.recluster()
    row = {"file": source.name, "store": deduper.address, "whole": False}
    return row | {"articles": len(copies), "duplicates": sum(copies)}


def _article_rows(source: Source) -> Iterator[Row | Rejected]:
    """The rows of a file, without the records that an export holds beside articles."""
    from nearcopy.io.files.store_export import record_of

    return (row for row in read(source) if record_of(row) is None)


# A whole export.


def _import_export(job: ImportJob, source: Source, phases: "Phases") -> dict[str, Any]:
    from nearcopy.maintenance.rebuild import RebuildSettings, import_articles

    export = _Export(source, phases)
    chosen = RebuildSettings(job.recipe or export.head.recipe, job.policy, job.threads)
    with open_raw_store(job.address, job.pool) as target:
        name = f"import of {job.name}, {export.digest}"
        filled = import_articles(target, export.batches(phases), export.aside(), chosen, name=name)
    for brake in filled.clusters.oversized:
        note(f"warning: {brake.why}")
    row = {"file": source.name, "store": target.address, "whole": True}
    return row | {
        "articles": filled.added,
        "there": filled.skipped,
        "stories": filled.clusters.stories,
        "feedback": len(export.feedback),
    }


class _Export:
    """A file written with --all; creating it reads and checks the whole file."""

    def __init__(self, source: Source, phases: "Phases") -> None:
        from nearcopy.io.files.store_export import head_of, record_of

        self._source = source
        self.feedback: list[Feedback] = []
        self.actions: list[StoryAction] = []
        self._redirects: dict[str, str] = {}
        self._times: dict[tuple[int, str, int], int] = {}
        self._shared: set[str] = set()  # stories that are not named after one of their articles
        self._former: dict[str, str] = {}
        self._articles = 0
        self._complete = False
        head: Head | None = None
        digest = sha256()
        for rows, row in enumerate(phases.track(read(source), "reading")):
            values = row.raw if isinstance(row, Rejected) else row.values
            digest.update(repr(values).encode("utf-8", "backslashreplace"))
            record = record_of(row)
            if head is None and record is not None:
                head = head_of(record)
            elif record is None:
                self._check_article(row)
            else:
                self._add_record(record, row, rows)
        if head is None or not self._complete:
            raise BadArticle(f"{source.name}: {CUT_OFF}")
        self.head, self.digest = head, digest.hexdigest()[:12]

    def _check_article(self, row: Row | Rejected) -> None:
        """Count an article, and note its story id where other articles may share it."""
        from nearcopy.io.files.store_export import arrival_of

        if isinstance(row, Rejected):
            raise BadArticle(f"{row.place}: {row.why}")
        try:
            arrival = arrival_of(row.values)
        except BadArticle as exc:
            raise BadArticle(f"{row.place}: {exc}") from exc
        self._articles += 1
        if arrival.story and arrival.story != own_story_id(arrival.article.id):
            self._shared.add(arrival.story)

    def _add_record(self, record: dict[str, Any], row: Row | Rejected, rows: int) -> None:
        """Parse a record that is not an article; `rows` is how many came before it."""
        from nearcopy.io.files.store_export import END, feedback_of, time_of

        try:
            match record["kind"]:
                case "feedback":
                    self.feedback.append(feedback_of(record))
                case "act":
                    self.actions.append(action_from_json(record["act"]))
                case "redirect":
                    self._redirects[record["story"]] = record["to"]
                case "time":
                    key, count = time_of(record)
                    self._times[key] = count
                case kind:
                    self._complete = kind == END and record["rows"] == rows
        except (KeyError, TypeError, ValueError) as exc:
            raise BadArticle(f"{row.place}: no record of an export: {exc!r:.100}") from exc

    def batches(self, phases: "Phases") -> Iterator["ArticleBatch"]:
        """The articles in insertion order, in batches."""
        from nearcopy.io.files.store_export import arrival_of
        from nearcopy.maintenance.copy_store import ArticleBatch
        from nearcopy.maintenance.inventory import BATCH_SIZE

        rows = (row for row in read(self._source) if isinstance(row, Row))
        for batch in batches(phases.track(rows, "importing", total=self._articles), BATCH_SIZE):
            arrivals = [arrival_of(row.values) for row in batch]
            self._former |= {a.article.id: a.story for a in arrivals if a.story in self._shared}
            yield ArticleBatch(
                [arrival.article for arrival in arrivals],
                {arrival.article.id: arrival.run for arrival in arrivals},
                {arrival.article.id: arrival.before for arrival in arrivals if arrival.before},
            )

    def aside(self) -> "ImportedMetadata":
        """All records beside the articles; the former stories once `batches` has been read."""
        from nearcopy.maintenance.rebuild import ImportedMetadata

        terms = self.head.terms
        return ImportedMetadata(
            self._former, self._redirects, self.feedback, self._times, terms, self.actions
        )
