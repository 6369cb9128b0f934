"""Options that commands share, singly and in groups; the environment is read here only.

A group is a dataclass whose fields are options. A command takes the group as one parameter, and
`flatten_options` shows its fields as options of the command.
"""

import os
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass
from functools import wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

from nearcopy.config import POLICIES, Policy, Recipe
from nearcopy.config.policy import KEEP_RULES
from nearcopy.errors import BadPolicy
from nearcopy.io.files.column_names import Columns
from nearcopy.io.settings import settings

STORE = "NEARCOPY_STORE"
POOL = "NEARCOPY_POOL"
INDEX = "NEARCOPY_INDEX"

# Panels of the help texts.
DECISIONS = "Policy"
IN = "Input"
OUT = "Output"
LABELS = "Labels"
FORWARDING = "Forwarding"
WORK = "Execution"


def flag(name: str, means: str, panel: str | None = OUT) -> Any:
    """An option without a value."""
    return typer.Option(name, rich_help_panel=panel, help=means)


def option(name: str, metavar: str, means: str, panel: str | None = None, *aliases: str) -> Any:
    """An option with a value."""
    return typer.Option(*aliases, name, metavar=metavar, rich_help_panel=panel, help=means)


def column_option(part: str, means: str) -> Any:
    """An option that names the column of a field of the article."""
    return option(f"--{part}-field", "COLUMN", means, IN)


PresetOption = Annotated[
    str | None, option("--preset", "NAME", f"One of {', '.join(POLICIES)}.", DECISIONS)
]
PolicyOption = Annotated[
    Path | None,
    option(
        "--policy",
        "FILE.toml",
        "Policy file with thresholds; `nearcopy presets NAME` writes one to start from.",
        DECISIONS,
    ),
]
WindowOption = Annotated[
    str | None,
    option(
        "--window",
        "SPAN",
        "Largest time between duplicates: 14d, 36h, 2w, 90m, or all.",
        DECISIONS,
    ),
]
KeepOption = Annotated[
    str | None,
    option(
        "--keep",
        "RULES",
        f"Which copy to keep, by the first rule that differs: {KEEP_RULES}.",
        DECISIONS,
    ),
]
StoreOption = Annotated[
    str | None,
    typer.Option(
        "--store",
        metavar="ADDRESS",
        envvar=STORE,
        help="Store address: a SQLite path, or a postgresql:// or redis:// URL.",
    ),
]
PoolOption = Annotated[
    str | None,
    typer.Option(
        "--pool",
        metavar="NAME",
        envvar=POOL,
        help="Pool of the store: a separate set of articles.",
    ),
]
IdsStoreOption = Annotated[
    str | None,
    option("--store", "ADDRESS", f"A and B are ids in this store; else {STORE}, if not files."),
]
IdsFileOption = Annotated[
    Path | None, option("--in", "FILE", "A and B are ids in this file: any format, or -.")
]
ToPoolOption = Annotated[
    str | None, option("--to-pool", "NAME", "Pool to write; by default the same name.")
]
IndexOption = Annotated[
    str | None,
    typer.Option(
        "--index",
        metavar="URL/NAME|FILE",
        envvar=INDEX,
        rich_help_panel=FORWARDING,
        help="Index new articles: in Elasticsearch, OpenSearch, or a SQLite file.",
    ),
]
JsonOption = Annotated[bool, flag("--json", "Write JSON lines instead of a table.", None)]
DataOption = Annotated[
    bool, flag("--json", "Write JSON lines on a terminal too, as elsewhere.", None)
]
YesOption = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask for confirmation.")]
ThreadsOption = Annotated[
    int,
    typer.Option("--jobs", "-j", metavar="N", min=0, max=1024, help="Threads; 0: all cores."),
]
LimitOption = Annotated[
    int, typer.Option("--limit", "-n", metavar="N", min=1, help="Maximum number of results.")
]
EvidenceOption = Annotated[bool, flag("--evidence", "With --json: include the evidence.", None)]
RejectedOption = Annotated[
    Path | None,
    option("--rejected", "FILE", "Write rows that cannot be read here, instead of stopping."),
]
ArticlesOption = Annotated[
    list[str] | None, option("--articles", "FILE", "The articles; can be repeated.")
]
LabelOption = Annotated[
    str | None, option("--label", "COLUMN", "Column of labels; guessed by default.", LABELS)
]
PositiveOption = Annotated[
    str | None,
    option("--positive", "VALUE,...", "Labels that mean a match; or one threshold.", LABELS),
]
NoteOption = Annotated[str, option("--note", "TEXT", "Reason, recorded with it.")]

# Arguments.

FilesArgument = Annotated[
    list[str], typer.Argument(metavar="FILE", help="Articles in any format, or - for stdin.")
]
InputsArgument = Annotated[
    list[str], typer.Argument(metavar="IN", help="Files, folders and patterns.")
]
IdArgument = Annotated[str, typer.Argument(metavar="ID", help="Article in the store.")]

# Files of articles as input, and files as output.

FormOption = Annotated[
    str,
    option(
        "--format",
        "FORM",
        "annotations: all rows with their verdicts; clean: kept rows, unchanged.",
        OUT,
    ),
]
RejectedRowsOption = Annotated[
    str | None,
    option("--rejected", "FILE", "Write rows that cannot be read here, instead of stopping.", OUT),
]
SummaryJsonOption = Annotated[bool, flag("--json", "Write the summary as JSON.")]
QuietOption = Annotated[bool, flag("--quiet", "No progress and no summary.")]
HtmlOption = Annotated[bool, flag("--html", "The texts are HTML.", IN)]
IdField = Annotated[str | None, column_option("id", "Id; all columns are guessed by default.")]
TitleField = Annotated[str | None, column_option("title", "Headline.")]
TextField = Annotated[str | None, column_option("text", "Body text.")]
UrlField = Annotated[str | None, column_option("url", "URL.")]
CanonicalUrlField = Annotated[
    str | None, column_option("canonical-url", "Canonical URL that the page declares.")
]
SourceField = Annotated[str | None, column_option("source", "Outlet.")]
PublishedField = Annotated[str | None, column_option("published", "Time of publication.")]
SeenField = Annotated[str | None, column_option("seen", "Time of crawling.")]
LanguageField = Annotated[str | None, column_option("language", "Language.")]
TierField = Annotated[str | None, column_option("tier", "Rank of the source, 1 is best.")]
HtmlField = Annotated[str | None, column_option("html", "Whether the text is HTML.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreOptions:
    """The store and the pool in it."""

    store: StoreOption = None
    pool: PoolOption = None

    @property
    def address(self) -> str:
        """The address of the store; raises where none is named."""
        return store_address(self.store)


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyOptions:
    """The policy, where the recipe is that of the store."""

    policy: PolicyOption = None
    window: WindowOption = None

    def load(self) -> tuple[Recipe | None, Policy]:
        """The recipe (None: that of the store) and the policy."""
        return settings(None, self.policy, self.window)


@dataclass(frozen=True, slots=True, kw_only=True)
class PresetOptions:
    """The recipe and the policy."""

    preset: PresetOption = None
    policy: PolicyOption = None
    window: WindowOption = None

    def load(self) -> tuple[Recipe | None, Policy]:
        """The recipe (None: that of the store) and the policy."""
        return settings(self.preset, self.policy, self.window)


@dataclass(frozen=True, slots=True, kw_only=True)
class PresetKeepOptions(PresetOptions):
    """The recipe and the policy, with the rule for the kept copy."""

    keep: KeepOption = None

    def load(self) -> tuple[Recipe | None, Policy]:
        """The recipe (None: that of the store) and the policy."""
        return settings(self.preset, self.policy, self.window, self.keep)


@dataclass(frozen=True, slots=True, kw_only=True)
class CorpusColumnOptions:
    """The columns of a corpus."""

    html: HtmlOption = False
    id_field: IdField = None
    title_field: TitleField = None
    text_field: TextField = None
    url_field: UrlField = None
    source_field: SourceField = None
    published_field: PublishedField = None
    html_field: HtmlField = None

    def columns(self) -> Columns:
        """The columns that are named; the others are guessed."""
        names = {field.name: getattr(self, field.name) for field in fields(self)}
        parts = {n.removesuffix("_field"): v for n, v in names.items() if n.endswith("_field")}
        return Columns(**parts)


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnOptions(CorpusColumnOptions):
    """The columns of all fields of an article."""

    canonical_url_field: CanonicalUrlField = None
    seen_field: SeenField = None
    language_field: LanguageField = None
    tier_field: TierField = None


def flatten_options(command: Callable[..., None]) -> Callable[..., None]:
    """The command with each group of options replaced by the options in it."""
    hints = get_type_hints(command, include_extras=True)
    groups: dict[str, Any] = {name: hint for name, hint in hints.items() if is_dataclass(hint)}
    parameters: list[Parameter] = []
    for parameter in signature(command).parameters.values():
        if parameter.name in groups:
            parameters += _field_parameters(groups[parameter.name])
        else:
            hint = hints[parameter.name]
            parameters.append(parameter.replace(annotation=hint, kind=Parameter.KEYWORD_ONLY))

    @wraps(command)
    def run(**values: Any) -> None:
        for name, group in groups.items():
            values[name] = group(**{field.name: values.pop(field.name) for field in fields(group)})
        command(**values)

    run.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return run


def _field_parameters(group: Any) -> list[Parameter]:
    hints = get_type_hints(group, include_extras=True)
    return [
        Parameter(
            field.name,
            Parameter.KEYWORD_ONLY,
            default=field.default if field.default is not MISSING else Parameter.empty,
            annotation=hints[field.name],
        )
        for field in fields(group)
    ]


def environment() -> Mapping[str, str]:
    """The environment variables."""
    return os.environ


def environment_store() -> str | None:
    """The store that the environment names, if any."""
    return os.environ.get(STORE) or None


def store_address(store: str | None) -> str:
    """The address of a store; a bare path is a SQLite file."""
    from nearcopy.stores.addresses import parse_address

    if not store:
        raise BadPolicy(f"which store? Give --store seen.db, or set {STORE}")
    return parse_address(store)
