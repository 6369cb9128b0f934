"""`nearcopy serve`: the HTTP service."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from nearcopy.cli.options import PolicyOption, PresetOption, WindowOption, environment
from nearcopy.cli.terminal import add_row, noted, reported, show, table, write_lines
from nearcopy.errors import require

LIMITS = "Limits"
SIGNING = "Who may"


def _limit(flag: str, means: str) -> Any:
    return typer.Option(flag, metavar="N", help=means, rich_help_panel=LIMITS)


@reported
def serve(
    store: Annotated[
        str | None, typer.Option("--store", metavar="ADDRESS", help="What remembers; nearcopy.db.")
    ] = None,
    pool: Annotated[
        str | None, typer.Option("--pool", metavar="NAME", help="The pool of who names none.")
    ] = None,
    settings: Annotated[
        Path | None, typer.Option("--settings", metavar="FILE.toml", help="Settings of your own.")
    ] = None,
    host: Annotated[
        str | None, typer.Option("--host", metavar="HOST", help="Where to listen; 127.0.0.1.")
    ] = None,
    port: Annotated[
        int | None, typer.Option("--port", metavar="N", help="The port to listen at; 8000.")
    ] = None,
    workers: Annotated[
        int | None, typer.Option("--workers", metavar="N", help="Processes that answer; 1.")
    ] = None,
    preset: PresetOption = None,
    policy: PolicyOption = None,
    window: WindowOption = None,
    tuned: Annotated[
        str | None,
        typer.Option("--tuned", metavar="FILE.toml", help="Where a tuned policy is written."),
    ] = None,
    tokens: Annotated[
        str | None,
        typer.Option("--tokens", metavar="FILE", help="The tokens.", rich_help_panel=SIGNING),
    ] = None,
    secure_cookies: Annotated[
        bool | None,
        typer.Option("--secure-cookies", help="Behind HTTPS.", rich_help_panel=SIGNING),
    ] = None,
    max_body_bytes: Annotated[int | None, _limit("--max-body-bytes", "Of a body.")] = None,
    max_batch: Annotated[int | None, _limit("--max-batch", "Articles of a body.")] = None,
    max_text_chars: Annotated[int | None, _limit("--max-text-chars", "Of any field.")] = None,
    max_seconds: Annotated[int | None, _limit("--max-seconds", "For an answer.")] = None,
    max_at_once: Annotated[int | None, _limit("--max-at-once", "Requests in a worker.")] = None,
    max_rate: Annotated[int | None, _limit("--max-rate", "Requests a second of one.")] = None,
    stop_seconds: Annotated[int | None, _limit("--stop-seconds", "To finish at the end.")] = None,
    log_level: Annotated[
        str | None, typer.Option("--log-level", metavar="LEVEL", help="debug, info, warning.")
    ] = None,
    show_settings: Annotated[
        bool, typer.Option("--show", help="Show the settings in force, and do not serve.")
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="JSON lines: the log, or --show.")
    ] = False,
) -> None:
    """Answer over HTTP: the API, and a page."""
    given = {name: value for name, value in locals().items() if name not in ("show_settings",)}
    log_json = given.pop("as_json") or None
    given["policy"] = str(policy) if policy else None
    _serve(given | {"log_json": log_json}, show_settings)


def _serve(flags: dict[str, Any], show_settings: bool) -> None:
    from nearcopy.service.settings import settings_of
    from nearcopy.stores.addresses import shown

    found = settings_of(flags, environment())
    if show_settings:
        _show(asdict(found) | {"store": shown(found.store)}, bool(flags["log_json"]))
        return
    for module in ("fastapi", "uvicorn", "jinja2", "prometheus_client"):
        require(module, extra="serve")
    from nearcopy.deduper.deduper import Deduper
    from nearcopy.service import server as run
    from nearcopy.service.settings import SQLITE
    from nearcopy.stores.addresses import shown

    run.check(found)
    Deduper(
        found.address, *found.judging(), pool=found.pool
    ).close()  # says at once what is wrong with it
    host = f"[{found.host}]" if ":" in found.host else found.host
    store = shown(found.address).removeprefix(SQLITE)
    noted(f"nearcopy is at http://{host}:{found.port}/ with {store}; stop it with Ctrl-C")
    run.run(found)


def _show(found: dict[str, Any], as_json: bool) -> None:
    from nearcopy.service.settings import MEANS

    if as_json:
        write_lines([found])
        return
    shown = table("setting", "is", "means")
    for name, value in found.items():
        said = str(value).lower() if isinstance(value, bool) else value
        add_row(shown, name, said, MEANS[name])
    show(shown)
