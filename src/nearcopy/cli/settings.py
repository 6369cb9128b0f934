"""The options that commands share. The environment and settings files are read here only."""

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from nearcopy.config import KEEP, POLICIES, RECIPES, Keep, Policy, Recipe
from nearcopy.config.meanings import KEEP_RULES
from nearcopy.config.spans import window as window_of
from nearcopy.config.toml import nearest, preset_of, read_policy
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


def settings(
    preset: str | None = None,
    policy: Path | None = None,
    window: str | None = None,
    keep: str | None = None,
) -> tuple[Recipe | None, Policy]:
    """The recipe (None: whatever the store has) and the policy that the options ask for."""
    name, judged = _policy(preset, policy)
    if window is not None:
        judged = replace(judged, window=window_of(window))
    if keep is not None:
        judged = replace(judged, keep=keep_rules(keep))
    return RECIPES[name] if name else None, judged


def _policy(preset: str | None, file: Path | None) -> tuple[str | None, Policy]:
    """The one preset that is named, on the command line or in the file, and the policy."""
    asked = known_preset(preset) if preset else None
    if file is None:
        return asked, POLICIES[asked or "default"]
    try:
        text = file.read_text(encoding="utf-8-sig")
        named, judged = preset_of(text), read_policy(text, asked or "default")
    except UnicodeDecodeError as wrong:
        raise BadPolicy(f"{file} is not UTF-8: {wrong.reason}: write it in UTF-8") from None
    except BadPolicy as wrong:
        raise BadPolicy(f"{file}: {wrong}") from None
    if asked and named and asked != named:
        raise BadPolicy(
            f"--preset says {asked} and {file} is made for {named}: name one of the two"
        )
    return asked or named, judged


def known_preset(name: str) -> str:
    """The name, where there is such a preset."""
    if name not in POLICIES:
        raise BadPolicy(
            f"no preset {name!r}{nearest(name, POLICIES)}: choose one of {', '.join(POLICIES)}"
        )
    return name


def keep_rules(text: str) -> tuple[Keep, ...]:
    """The rules of a list with commas."""
    rules = tuple(rule.strip() for rule in text.split(",") if rule.strip())
    for rule in rules:
        if rule not in KEEP:
            hint = nearest(rule, KEEP)
            raise BadPolicy(f"--keep {rule!r:.60}{hint}: give one or more of {KEEP_RULES}")
    if not rules:
        raise BadPolicy(f"--keep names no rule: give one or more of {KEEP_RULES}")
    return rules  # type: ignore[return-value]  # each is one of KEEP


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
