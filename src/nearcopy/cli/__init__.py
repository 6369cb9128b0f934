"""The command line: one module a verb, or a family of them; all are listed here."""

from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from nearcopy.config.gc_tuning import collect_seldom

HELP = "Has this been published before, where, and how do we know?"
EXAMPLES = """
[bold]Examples[/bold]

  nearcopy dedupe articles.csv --apply -o kept.csv --removed copies.csv

  nearcopy explain one.txt other.html

  nearcopy add today.jsonl --store seen.db

  nearcopy similar ID --store seen.db

  nearcopy presets digest > policy.toml

Data goes to stdout, the rest to stderr.

Exit codes: 0 done, 1 "no", 2 bad input or usage, 3 braked, 130 interrupted.
"""
FIND = "Find duplicates"
ASK = "Ask a store"
STREAM = "Follow a stream"
MEASURE = "Measure"
UPKEEP = "Look after a store"
SETTINGS = "Settings"
SERVE = "Serve"
# Each command: its panel, its module here, and the function; its name is the function's, without
# the "_" at the end of what Python has a use of its own for.
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
    (ASK, "check", "check"),
    (ASK, "add", "add"),
    (ASK, "similar", "similar"),
    (ASK, "stories", "stories"),
    (ASK, "review", "review"),
    (ASK, "feedback", "feedback"),
    (ASK, "act", "act"),
    (ASK, "stats", "stats"),
    (STREAM, "consume", "consume"),
    (STREAM, "feeds", "feeds"),
    (UPKEEP, "forget", "forget"),
    (UPKEEP, "purge", "purge"),
    (UPKEEP, "verify", "verify"),
    (UPKEEP, "recluster", "retell"),
    (UPKEEP, "migrate", "migrate"),
    (UPKEEP, "copy_store", "copy_store"),
    (UPKEEP, "rebuild", "rebuild"),
    (UPKEEP, "export", "export"),
    (UPKEEP, "import_", "import_"),
    (SERVE, "serve", "serve"),
    (SERVE, "token", "token"),
    (SERVE, "mcp", "mcp"),
    (MEASURE, "eval", "eval_"),
    (MEASURE, "tune", "tune"),
    (SETTINGS, "presets", "presets"),
    (SETTINGS, "fingerprint", "fingerprint"),
)

# What stands in the list, where the command's own first line is longer.
SHORT = {"dedupe": "Mark the duplicates in files, or remove them."}


class Commands(TyperGroup):
    """All commands; `nearcopy help dedupe` is `nearcopy dedupe --help`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """The words after the options."""
        asked = args[:1] == ["help"]
        return super().parse_args(ctx, [*args[1:], "--help"] if asked else args)


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


class Command(TyperCommand):
    """A command that knows what may be meant by an option that is none."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """The words after the options; an error says where names that begin with - stand."""
        try:
            return super().parse_args(ctx, args)
        except Exception as wrong:
            named = any(each.param_type_name == "argument" for each in self.params)
            if named and getattr(wrong, "possibilities", "") in (None, []):  # no option is like it
                wrong.message += " (a name that begins with - comes last, after --)"  # type: ignore[attr-defined]
            raise


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"nearcopy {version('nearcopy')}")
        raise typer.Exit


@app.callback()
def _main(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="The version.")
    ] = False,
) -> None:
    del version
    collect_seldom()  # most of what is made stays: looking through it took a fifth of a run


def _register() -> None:
    for panel, module, function in COMMANDS:
        command = getattr(import_module(f"nearcopy.cli.commands.{module}"), function)
        short = SHORT.get(function)
        name = function.rstrip("_").replace("_", "-")
        app.command(name, rich_help_panel=panel, short_help=short, cls=Command)(command)


_register()
