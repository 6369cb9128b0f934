"""The command line: a module per command in `commands`, terminal output in `render`.

`options` has the options that commands share, `inputs`, `article_pair` and `open_store` what they
read, `terminal` and `progress` what they print. The commands are listed here.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command_from_info
from typer.models import CommandInfo

HELP = "Has this been published before, where, and how do we know?"
EXAMPLES = """
[bold]Examples[/bold]

  nearcopy dedupe articles.csv --apply -o kept.csv --removed copies.csv

  nearcopy explain one.txt other.html

  nearcopy add today.jsonl --store seen.db

  nearcopy similar ID --store seen.db

  nearcopy presets digest > policy.toml

Data goes to stdout, the rest to stderr.

Exit codes: 0 done, 1 "no", 2 bad input or usage, 3 guarded, 130 interrupted.
"""
FIND = "Find duplicates"
QUERY = "Query a store"
STREAM = "Consume a stream"
MEASURE = "Measure"
MAINTAIN = "Maintain a store"
SETTINGS = "Settings"
SERVE = "Serve"
# Panel, module in `commands`, and function; the command has the name of the function, without the
# "_" that keeps it apart from a Python name.
COMMANDS = (
    (FIND, "dedupe", "dedupe"),
    (FIND, "corpus", "corpus"),
    (FIND, "estimate", "estimate"),
    (FIND, "spark", "spark"),
    (FIND, "boilerplate", "boilerplate"),
    (FIND, "pairs", "pairs"),
    (FIND, "search_results", "search_results"),
    (FIND, "compare", "compare"),
    (FIND, "explain", "explain"),
    (QUERY, "check", "check"),
    (QUERY, "add", "add"),
    (QUERY, "similar", "similar"),
    (QUERY, "stories", "stories"),
    (QUERY, "review", "review"),
    (QUERY, "feedback", "feedback"),
    (QUERY, "action", "action"),
    (QUERY, "stats", "stats"),
    (STREAM, "consume", "consume"),
    (STREAM, "feeds", "feeds"),
    (MAINTAIN, "forget", "forget"),
    (MAINTAIN, "purge", "purge"),
    (MAINTAIN, "verify", "verify"),
    (MAINTAIN, "recluster", "recluster"),
    (MAINTAIN, "migrate", "migrate"),
    (MAINTAIN, "copy_store", "copy_store"),
    (MAINTAIN, "rebuild", "rebuild"),
    (MAINTAIN, "export", "export"),
    (MAINTAIN, "import_", "import_"),
    (SERVE, "serve", "serve"),
    (SERVE, "token", "token"),
    (SERVE, "mcp", "mcp"),
    (MEASURE, "eval", "eval_"),
    (MEASURE, "tune", "tune"),
    (SETTINGS, "presets", "presets"),
    (SETTINGS, "fingerprint", "fingerprint"),
)


class Command(TyperCommand):
    """A command that explains how to pass an id that looks like an option."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """The remaining arguments."""
        try:
            return super().parse_args(ctx, args)
        except Exception as error:
            takes_names = any(param.param_type_name == "argument" for param in self.params)
            if takes_names and getattr(error, "possibilities", "") in (None, []):
                error.message += " (a name that begins with - comes last, after --)"  # type: ignore[attr-defined]
            raise


class CommandsByName(Mapping[str, TyperCommand]):
    """The commands; a module is imported once its command is asked for."""

    def __getitem__(self, name: str) -> TyperCommand:
        return _build_command(name)

    def __iter__(self) -> Iterator[str]:
        return (_command_name(function) for _, _, function in COMMANDS)

    def __len__(self) -> int:
        return len(COMMANDS)


@cache
def _build_command(name: str) -> TyperCommand:
    """The command; raises KeyError where there is none of that name."""
    from nearcopy.cli.options import flatten_options

    for panel, module, function in COMMANDS:
        if name == _command_name(function):
            callback = getattr(import_module(f"nearcopy.cli.commands.{module}"), function)
            info = CommandInfo(
                name, cls=Command, callback=flatten_options(callback), rich_help_panel=panel
            )
            return get_command_from_info(  # type: ignore[return-value]
                info, pretty_exceptions_short=True, rich_markup_mode="rich"
            )
    raise KeyError(name)


def _command_name(function: str) -> str:
    return function.rstrip("_").replace("_", "-")


class Commands(TyperGroup):
    """All commands; `nearcopy help dedupe` is `nearcopy dedupe --help`."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands = CommandsByName()  # type: ignore[assignment]

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """The remaining arguments; `help` becomes `--help`."""
        if args[:1] == ["help"]:
            args = [*args[1:], "--help"]
        return super().parse_args(ctx, args)


app = typer.Typer(
    help=HELP,
    cls=Commands,
    epilog=EXAMPLES,
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
)


def _print_version(requested: bool) -> None:
    if requested:
        from importlib.metadata import version

        typer.echo(f"nearcopy {version('nearcopy')}")
        raise typer.Exit


@app.callback()
def _main(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    from nearcopy.config.gc_tuning import collect_seldom

    del version
    collect_seldom()  # most objects live long: frequent collections took a fifth of a run
