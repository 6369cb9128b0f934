"""Options that commands share, singly and in groups; the environment is read here only.

An option is declared by the default of its parameter, or by the annotation where commands share it.
A group is a dataclass whose fields are options. A command takes the group as one parameter, and
`flatten_options` shows its fields as options of the command.
"""

import os
from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, asdict, dataclass, field, fields, is_dataclass
from functools import partial, wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

from nearcopy.config import POLICIES, Policy, Recipe
from nearcopy.config.policy import KEEP_RULES
from nearcopy.errors import BadPolicy
from nearcopy.io.files.rows import Columns
from nearcopy.io.policy_choice import settings

STORE = "NEARCOPY_STORE"
POOL = "NEARCOPY_POOL"
INDEX = "NEARCOPY_INDEX"
OPTION = "option"  # in the metadata of a field

# Panels of the help texts.
DECISIONS = "Policy"
IN = "Input"
OUT = "Output"
LABELS = "Labels"
FORWARDING = "Forwarding"
WORK = "Execution"


def option(
    metavar: str | None,
    means: str,
    panel: str | None = None,
    *,
    names: tuple[str, ...] = (),
    default: Any = None,
    **limits: Any,
) -> Any:
    """An option with a value, as the default of a parameter or field; `...` if it is required.

    Its name is that of the parameter, where `names` has no others.
    """
    declare = partial(typer.Option, metavar=metavar, rich_help_panel=panel, help=means, **limits)
    return _declare(declare, names, default)


def flag(means: str, panel: str | None = OUT, *, name: str | None = None) -> Any:
    """An option without a value, as the default of a parameter or field."""
    declare = partial(typer.Option, rich_help_panel=panel, help=means)
    return _declare(declare, (name,) if name else (), False)


def argument(metavar: str, means: str, default: Any = ..., **settings: Any) -> Any:
    """An argument, as the default of a parameter; `...` if it is required."""
    declare = partial(typer.Argument, metavar=metavar, help=means, **settings)
    return _declare(declare, None, default)


def _declare(declare: Callable[..., Any], names: tuple[str, ...] | None, default: Any) -> Any:
    """The field of a group; `flatten_options` reads the option from its metadata.

    Without names an option is named after its parameter; None is for arguments, which have none.
    """
    value = MISSING if default is ... else default
    return field(default=value, metadata={OPTION: (declare, names)})


def _option_info(name: str, metavar: str, means: str, panel: str | None = None) -> Any:
    """An option that commands share, for an annotation."""
    return typer.Option(name, metavar=metavar, rich_help_panel=panel, help=means)


PresetOption = Annotated[
    str | None, _option_info("--preset", "NAME", f"One of {', '.join(POLICIES)}.", DECISIONS)
]
PolicyOption = Annotated[
    Path | None,
    _option_info(
        "--policy",
        "FILE.toml",
        "Policy file with thresholds; `nearcopy presets NAME` writes one to start from.",
        DECISIONS,
    ),
]
WindowOption = Annotated[
    str | None,
    _option_info(
        "--window", "SPAN", "Largest time between duplicates: 14d, 36h, 2w, 90m, or all.", DECISIONS
    ),
]
PoolOption = Annotated[
    str | None,
    typer.Option(
        "--pool", metavar="NAME", envvar=POOL, help="Pool of the store: a separate set of articles."
    ),
]
ToPoolOption = Annotated[
    str | None, _option_info("--to-pool", "NAME", "Pool to write; by default the same name.")
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
JsonOption = Annotated[bool, typer.Option("--json", help="Write JSON lines instead of a table.")]
DataOption = Annotated[
    bool, typer.Option("--json", help="Write JSON lines on a terminal too, as elsewhere.")
]
YesOption = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask for confirmation.")]
ThreadsOption = Annotated[
    int,
    typer.Option("--jobs", "-j", metavar="N", min=0, max=1024, help="Threads; 0: all cores."),
]
LimitOption = Annotated[
    int, typer.Option("--limit", "-n", metavar="N", min=1, help="Maximum number of results.")
]
RejectedOption = Annotated[
    Path | None,
    _option_info("--rejected", "FILE", "Write rows that cannot be read here, instead of stopping."),
]
ArticlesOption = Annotated[
    list[str] | None, _option_info("--articles", "FILE", "The articles; can be repeated.")
]
LabelOption = Annotated[
    str | None, _option_info("--label", "COLUMN", "Column of labels; guessed by default.", LABELS)
]
PositiveOption = Annotated[
    str | None,
    _option_info("--positive", "VALUE,...", "Labels that mean a match; or one threshold.", LABELS),
]
NoteOption = Annotated[str, _option_info("--note", "TEXT", "Reason, recorded with it.")]

# Arguments.

FilesArgument = Annotated[
    list[str], typer.Argument(metavar="FILE", help="Articles in any format, or - for stdin.")
]
InputsArgument = Annotated[
    list[str], typer.Argument(metavar="IN", help="Files, folders and patterns.")
]
# Files of articles as input, and files as output.

FormOption = Annotated[
    str,
    _option_info(
        "--format",
        "FORM",
        "annotations: all rows with their verdicts; clean: kept rows, unchanged.",
        OUT,
    ),
]
RemovedRowsOption = Annotated[
    str | None,
    _option_info("--removed", "FILE", "With --format clean: write removed rows here.", OUT),
]
RejectedRowsOption = Annotated[
    str | None,
    _option_info(
        "--rejected", "FILE", "Write rows that cannot be read here, instead of stopping.", OUT
    ),
]
SummaryJsonOption = Annotated[
    bool, typer.Option("--json", rich_help_panel=OUT, help="Write the summary as JSON.")
]
QuietOption = Annotated[
    bool, typer.Option("--quiet", rich_help_panel=OUT, help="No progress and no summary.")
]
HtmlOption = Annotated[bool, typer.Option("--html", rich_help_panel=IN, help="The texts are HTML.")]
IdField = Annotated[
    str | None, _option_info("--id-field", "COLUMN", "Id; all columns are guessed by default.", IN)
]
TextField = Annotated[str | None, _option_info("--text-field", "COLUMN", "Body text.", IN)]
UrlField = Annotated[str | None, _option_info("--url-field", "COLUMN", "URL.", IN)]
SourceField = Annotated[str | None, _option_info("--source-field", "COLUMN", "Outlet.", IN)]


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreOptions:
    """The store and the pool in it."""

    store: str | None = option(
        "ADDRESS", "Store address: a SQLite path, or a postgresql:// or redis:// URL.", envvar=STORE
    )
    pool: PoolOption = None

    @property
    def address(self) -> str:
        """The address of the store; raises where none is named."""
        return store_address(self.store)


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionOptions:
    """How articles are compared."""

    def load(self) -> tuple[Recipe | None, Policy]:
        """The recipe (None: that of the store) and the policy."""
        return settings(**asdict(self))


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyOptions(DecisionOptions):
    """The policy, where the recipe is that of the store."""

    policy: PolicyOption = None
    window: WindowOption = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PresetOptions(DecisionOptions):
    """The recipe and the policy."""

    preset: PresetOption = None
    policy: PolicyOption = None
    window: WindowOption = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PresetKeepOptions(PresetOptions):
    """The recipe and the policy, with the rule for the kept copy."""

    keep: str | None = option(
        "RULES", f"Which copy to keep, by the first rule that differs: {KEEP_RULES}.", DECISIONS
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnOptions:
    """The columns of the fields of an article."""

    html: HtmlOption = False
    id_field: IdField = None
    title_field: str | None = option("COLUMN", "Headline.", IN)
    text_field: TextField = None
    url_field: UrlField = None
    source_field: SourceField = None
    published_field: str | None = option("COLUMN", "Time of publication.", IN)
    html_field: str | None = option("COLUMN", "Whether the text is HTML.", IN)
    canonical_url_field: str | None = option("COLUMN", "Canonical URL that the page declares.", IN)
    seen_field: str | None = option("COLUMN", "Time of crawling.", IN)
    language_field: str | None = option("COLUMN", "Language.", IN)
    tier_field: str | None = option("COLUMN", "Rank of the source, 1 is best.", IN)

    def columns(self) -> Columns:
        """The columns that are named; the others are guessed."""
        names = asdict(self).items()
        return Columns(**{n.removesuffix("_field"): v for n, v in names if n.endswith("_field")})


def flatten_options(command: Callable[..., None]) -> Callable[..., None]:
    """The command with each group of options replaced by the options in it."""
    hints = get_type_hints(command, include_extras=True)
    groups: dict[str, Any] = {name: hint for name, hint in hints.items() if is_dataclass(hint)}
    parameters: list[Parameter] = []
    for parameter in signature(command).parameters.values():
        name = parameter.name
        if name in groups:
            options = get_type_hints(groups[name], include_extras=True)
            parameters += [_parameter(f.name, options[f.name], f) for f in fields(groups[name])]
        else:
            parameters.append(_parameter(name, hints[name], parameter.default))

    @wraps(command)
    def run(**values: Any) -> None:
        for name, group in groups.items():
            values[name] = group(**{field.name: values.pop(field.name) for field in fields(group)})
        command(**values)

    run.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return run


def _parameter(name: str, hint: Any, default: Any) -> Parameter:
    """The parameter of an option; a field as its default may hold the option."""
    if isinstance(default, Field):
        if default.metadata:
            declare, names = default.metadata[OPTION]
            if names == ():
                names = (f"--{name.rstrip('_').replace('_', '-')}",)
            hint = Annotated[hint, declare(*(names or ()))]
        default = Parameter.empty if default.default is MISSING else default.default
    return Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=hint)


def environment() -> Mapping[str, str]:
    """The environment variables."""
    return os.environ


def environment_store() -> str | None:
    """The store that the environment names, if any."""
    return os.environ.get(STORE) or None


def store_address(store: str | None) -> str:
    """The address of a store; a bare path is a SQLite file."""
    from nearcopy.stores import parse_address

    if not store:
        raise BadPolicy(f"which store? Give --store seen.db, or set {STORE}")
    return parse_address(store)
