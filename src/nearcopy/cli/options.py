"""The options that commands share. The environment and settings files are read here only."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from nearcopy.config import POLICIES
from nearcopy.config.field_docs import KEEP_RULES
from nearcopy.errors import BadPolicy

JUDGING = "How to judge"
STORE = "NEARCOPY_STORE"
POOL = "NEARCOPY_POOL"
INDEX = "NEARCOPY_INDEX"
ONWARD = "Where messages are handed on to"

PresetOption = Annotated[
    str | None,
    typer.Option(
        "--preset", metavar="NAME", rich_help_panel=JUDGING, help=f"One of {', '.join(POLICIES)}."
    ),
]
PolicyOption = Annotated[
    Path | None,
    typer.Option(
        "--policy",
        metavar="FILE.toml",
        rich_help_panel=JUDGING,
        help="Thresholds of your own; `nearcopy presets NAME` writes a file to start from.",
    ),
]
WindowOption = Annotated[
    str | None,
    typer.Option(
        "--window",
        metavar="SPAN",
        rich_help_panel=JUDGING,
        help="How far apart copies may be: 14d, 36h, 2w, 90m, or all.",
    ),
]
KeepOption = Annotated[
    str | None,
    typer.Option(
        "--keep",
        metavar="RULES",
        rich_help_panel=JUDGING,
        help=f"Which copy to keep, by the first rule that tells: {KEEP_RULES}.",
    ),
]
StoreOption = Annotated[
    str | None,
    typer.Option(
        "--store",
        metavar="ADDRESS",
        envvar=STORE,
        help="What remembers: a path such as seen.db, or postgresql://..., redis://..., unix://...",
    ),
]
PoolOption = Annotated[
    str | None,
    typer.Option(
        "--pool",
        metavar="NAME",
        envvar=POOL,
        help="One of several sets of articles in the store that never see each other.",
    ),
]
IdsStoreOption = Annotated[
    str | None,
    typer.Option(
        "--store",
        metavar="ADDRESS",
        help=f"A and B are ids in this store, else of {STORE}, where they are no files.",
    ),
]
IndexOption = Annotated[
    str | None,
    typer.Option(
        "--index",
        metavar="URL/NAME|FILE",
        envvar=INDEX,
        rich_help_panel=ONWARD,
        help="Index new pages: Elasticsearch, OpenSearch, or a file of SQLite.",
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="JSON lines in place of a table.")]
DataOption = Annotated[
    bool,
    typer.Option("--json", help="JSON lines on a terminal too; elsewhere they always are."),
]
YesOption = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]
ThreadsOption = Annotated[
    int,
    typer.Option("--jobs", "-j", metavar="N", min=0, max=1024, help="Threads; 0 means all cores."),
]

# Panels of help, and what is the same in commands that read and write whole files.

IN = "What is read"
OUT = "What is written"
WORK = "How it is done"


def flag(name: str, what: str, panel: str = OUT) -> Any:
    """An option without a value."""
    return typer.Option(name, rich_help_panel=panel, help=what)


def valued(name: str, metavar: str, what: str, panel: str, *more: str) -> Any:
    """An option with a value; `more` are its other spellings."""
    return typer.Option(*more, name, metavar=metavar, rich_help_panel=panel, help=what)


def column(part: str, what: str) -> Any:
    """An option that names the column of a part of the article."""
    return valued(f"--{part}-field", "COLUMN", what, IN)


InputsArgument = Annotated[
    list[str], typer.Argument(metavar="IN", help="Files, folders and patterns.")
]
FormOption = Annotated[
    str,
    valued(
        "--format",
        "FORM",
        "annotations: every row with what it is; clean: what is kept, as it was.",
        OUT,
    ),
]
RejectedRowsOption = Annotated[
    str | None,
    valued("--rejected", "FILE", "Rows that are no articles; without it they stop the run.", OUT),
]
SummaryJsonOption = Annotated[bool, flag("--json", "The summary as JSON.")]
QuietOption = Annotated[bool, flag("--quiet", "No progress and no summary.")]
HtmlOption = Annotated[bool, flag("--html", "The texts are HTML.", IN)]
IdField = Annotated[str | None, column("id", "The id; else guessed, as all these.")]
TitleField = Annotated[str | None, column("title", "The headline.")]
TextField = Annotated[str | None, column("text", "The body.")]
UrlField = Annotated[str | None, column("url", "The address.")]
CanonicalUrlField = Annotated[
    str | None, column("canonical-url", "The address that the page itself declares.")
]
SourceField = Annotated[str | None, column("source", "The outlet.")]
PublishedField = Annotated[str | None, column("published", "When it was published.")]
SeenField = Annotated[str | None, column("seen", "When it was taken in.")]
LanguageField = Annotated[str | None, column("language", "Its language.")]
TierField = Annotated[str | None, column("tier", "The trust in its source, 1 first.")]
HtmlField = Annotated[str | None, column("html", "Whether its text is HTML.")]


def environment() -> Mapping[str, str]:
    """All that the environment says."""
    return os.environ


def environment_store() -> str | None:
    """The store that the environment names, if any."""
    return os.environ.get(STORE) or None


def store_address(store: str | None) -> str:
    """The address of a store; a bare path is one of SQLite."""
    from nearcopy.stores.addresses import address_of

    if not store:
        raise BadPolicy(f"which store? Give --store seen.db, or set {STORE}")
    return address_of(store)
