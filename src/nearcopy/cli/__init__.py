"""The command line: a module per command in `commands`, which also draws its output.

`options` has the options that commands share, `inputs` and `open_store` what they read, `terminal`,
`tables` and `explanation` what they print.
"""

from functools import cached_property
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command_from_info
from typer.models import CommandInfo

from nearcopy.cli.commands import COMMANDS

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


class LazyCommand(TyperCommand):
    """A command as the list shows it; its module is imported once it is used."""

    def __init__(self, panel: str, function: str, summary: str) -> None:
        name = function.rstrip("_").replace("_", "-")
        super().__init__(name, help=summary, rich_help_panel=panel, rich_markup_mode="rich")
        self._function = function

    @cached_property
    def imported(self) -> TyperCommand:
        """The command with its options."""
        from nearcopy.cli.options import flatten_options
        from nearcopy.cli.terminal import report_errors

        module = import_module(f"nearcopy.cli.commands.{self._function}")
        info = CommandInfo(
            name=self.name,
            cls=Command,
            callback=report_errors(flatten_options(getattr(module, self._function))),
            rich_help_panel=self.rich_help_panel,
        )
        return get_command_from_info(  # type: ignore[return-value]
            info, pretty_exceptions_short=True, rich_markup_mode="rich"
        )

    def make_context(self, *arguments: Any, **settings: Any) -> Any:
        """The context of the imported command."""
        return self.imported.make_context(*arguments, **settings)


class Commands(TyperGroup):
    """All commands; `nearcopy help dedupe` is `nearcopy dedupe --help`."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        commands = (LazyCommand(*row) for row in COMMANDS)
        self.commands = {str(command.name): command for command in commands}

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
    from nearcopy.config.gc_tuning import reduce_gc_frequency

    del version
    reduce_gc_frequency()  # most objects live long: frequent collections took a fifth of a run
