"""The command line: a module per command in `commands`, terminal output in `render`.

`options` has the options that commands share, `inputs`, `article_pair` and `open_store` what they
read, `terminal` and `progress` what they print. The commands are listed here.
"""

from functools import cached_property
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
# Panel, function in the module of `commands` with its name, and the first line of its help, so that
# listing the commands imports none. A final "_" keeps a name apart from one of Python.
COMMANDS = (
    (FIND, "dedupe", "Find duplicates in files; write rows with verdicts."),
    (FIND, "corpus", "Mark or remove the duplicates in a large corpus."),
    (FIND, "estimate", "Estimate time, memory and disk of a corpus run."),
    (FIND, "spark", "Mark or remove the duplicates in a corpus, with Spark."),
    (FIND, "boilerplate", "List the lines that many pages of one host share."),
    (FIND, "pairs", "Find all pairs of texts that overlap, exactly."),
    (FIND, "search_results", "Remove duplicates from a ranked list, keeping its order."),
    (FIND, "compare", "Compare two articles, or many pairs."),
    (FIND, "explain", "Explain the relation of two articles, side by side."),
    (QUERY, "check", "Check whether articles are in a store; nothing is written."),
    (QUERY, "add", "Check articles and add them to a store, atomically."),
    (QUERY, "similar", "List the articles most similar to one in a store."),
    (QUERY, "stories", "List the stories in a store, or show one."),
    (QUERY, "review", "Review borderline pairs, and record feedback on them."),
    (QUERY, "feedback", "Record whether two articles are duplicates."),
    (QUERY, "action", "Change the kept copy, or split or merge stories."),
    (QUERY, "stats", "Show counts, duplicate rate and latency of a store."),
    (STREAM, "consume", "Check and add the articles of a stream as they arrive."),
    (STREAM, "feeds", "Poll feeds, and report each new story once."),
    (MAINTAIN, "forget", "Remove articles from a store, by id."),
    (MAINTAIN, "purge", "Remove all articles older than a date."),
    (MAINTAIN, "verify", "Check the integrity of a store; exit with 1 if one fails."),
    (MAINTAIN, "recluster", "Cluster all articles of a store again, in one batch."),
    (MAINTAIN, "migrate", "Migrate a store to the latest schema, or to another."),
    (MAINTAIN, "copy_store", "Copy a store into another, and verify the copy."),
    (MAINTAIN, "rebuild", "Fingerprint a store again, into another store or pool."),
    (MAINTAIN, "export", "Write the articles of a store to a file, with verdicts."),
    (MAINTAIN, "import_", "Import articles from a file, or restore a whole export."),
    (SERVE, "serve", "Serve the HTTP API and the web pages."),
    (SERVE, "token", "Create, list and revoke tokens of the service."),
    (SERVE, "mcp", "Serve tools to assistants over MCP (stdio)."),
    (MEASURE, "eval_", "Measure accuracy on labelled articles; list mistakes."),
    (MEASURE, "tune", "Fit a policy and its confidence to labels or feedback."),
    (SETTINGS, "presets", "List the presets, or write one as a policy file."),
    (SETTINGS, "fingerprint", "Show the fingerprint of each article in a file."),
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

        module = import_module(f"nearcopy.cli.commands.{self._function}")
        info = CommandInfo(
            name=self.name,
            cls=Command,
            callback=flatten_options(getattr(module, self._function)),
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
    from nearcopy.config.gc_tuning import collect_seldom

    del version
    collect_seldom()  # most objects live long: frequent collections took a fifth of a run
