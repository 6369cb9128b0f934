"""`nearcopy feeds`: what is new in RSS, Atom and JSON Feed. The work is in `following`."""

from pathlib import Path
from typing import Annotated, Any

import typer

from nearcopy.cli.settings import (
    JsonOption,
    PolicyOption,
    PoolOption,
    PresetOption,
    StoreOption,
    WindowOption,
    settings,
    store_address,
)
from nearcopy.cli.terminal import reported
from nearcopy.config.spans import span
from nearcopy.errors import NearcopyError

HOW = "How feeds are asked"
OUT = "What is written"
MEGABYTE = 1 << 20


def _how(metavar: str, means: str, flag: str) -> Any:
    return typer.Option(flag, metavar=metavar, help=means, rich_help_panel=HOW)


def _file(means: str, flag: str) -> Any:
    return typer.Option(flag, metavar="FILE", help=means, rich_help_panel=OUT, dir_okay=False)


@reported
def feeds(
    subscriptions: Annotated[
        list[str], typer.Argument(metavar="FILE.opml|URL", help="OPML files, or feeds.")
    ],
    store: StoreOption = None,
    pool: PoolOption = None,
    preset: PresetOption = None,
    policy: PolicyOption = None,
    window: WindowOption = None,
    state: Annotated[
        Path | None, _file("What was seen; beside a store that is a file.", "--state")
    ] = None,
    atom: Annotated[Path | None, _file("Write a clean Atom feed of new stories.", "--atom")] = None,
    report: Annotated[
        Path | None, _file("Write OPML of which feeds repeat which.", "--report")
    ] = None,
    dry_run: Annotated[
        bool,
        typer.Option("--dry-run", rich_help_panel=OUT, help="Tell what is new; remember nothing."),
    ] = False,
    as_json: JsonOption = False,
    once: Annotated[
        bool, typer.Option("--once", rich_help_panel=HOW, help="Ask once and end, as it does.")
    ] = False,
    every: Annotated[str | None, _how("SPAN", "Ask again and again: 10m, 1h.", "--every")] = None,
    pause: Annotated[str, _how("SPAN", "Between two requests to one host.", "--pause")] = "1s",
    time_out: Annotated[str, _how("SPAN", "For each answer.", "--time-out")] = "20s",
    max_mb: Annotated[
        int, typer.Option("--max-mb", min=1, max=100, rich_help_panel=HOW, help="Of an answer.")
    ] = 4,
    allow_private: Annotated[
        bool,
        typer.Option(
            "--allow-private",
            rich_help_panel=HOW,
            help="Ask hosts of the own network, too.",
        ),
    ] = False,
) -> None:
    """Tell what is new in feeds, each story once."""
    from nearcopy.cli.following import Following, follow, subscribed
    from nearcopy.feeds.polling import Polite
    from nearcopy.web import Limits

    if once and every:
        raise NearcopyError("--once and --every are two ways: give one of them")
    limits = Limits(
        seconds=span(time_out).total_seconds(),
        max_bytes=max_mb * MEGABYTE,
        private=allow_private,
    )
    follow(
        Following(
            feeds=tuple(subscribed(subscriptions)),
            store=store_address(store),
            settings=settings(preset, policy, window),
            pool=pool,
            polite=Polite(limits=limits, pause_seconds=span(pause).total_seconds()),
            state=state,
            atom=atom,
            report=report,
            dry_run=dry_run,
            as_json=as_json,
            every=span(every).total_seconds() if every else None,
        )
    )
