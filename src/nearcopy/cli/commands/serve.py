"""`nearcopy serve`: the HTTP service; its options are the settings of the service."""

from dataclasses import Field, asdict, fields, make_dataclass
from pathlib import Path
from typing import Any

from nearcopy.cli.options import DECISIONS, environment, flag, option
from nearcopy.cli.tables import add_row, make_table
from nearcopy.cli.terminal import note, show, write_json_lines
from nearcopy.errors import require
from nearcopy.service.settings import HELP, SQLITE, TYPES, Settings, load_settings
from nearcopy.stores import mask_password

LIMITS = "Limits"
ACCESS = "Access"
METAVARS = {
    "store": "ADDRESS",
    "pool": "NAME",
    "preset": "NAME",
    "policy": "FILE.toml",
    "tuned": "FILE.toml",
    "window": "SPAN",
    "host": "HOST",
    "tokens": "FILE",
    "log_level": "LEVEL",
}
PANELS = {
    **dict.fromkeys(("preset", "policy", "window"), DECISIONS),
    **dict.fromkeys(("tokens", "secure_cookies"), ACCESS),
    **{name: LIMITS for name in HELP if name.startswith("max_") or name == "stop_seconds"},
}


def _setting_option(setting: "Field[Any]") -> tuple[str, Any, Any]:
    """The option of a setting; None where it is not given."""
    name, kind = setting.name, TYPES[setting.name][0]
    default = f"; default {setting.default}" if setting.default else ""
    means = f"{HELP[name][0].upper()}{HELP[name][1:]}{default}."
    metavar = None if kind is bool else METAVARS.get(name, "N")
    return name, kind | None, option(metavar, means, PANELS.get(name))


ServeOptions: Any = make_dataclass(
    "ServeOptions",
    [_setting_option(setting) for setting in fields(Settings) if setting.name != "log_json"],
    frozen=True,
)


def serve(
    flags: ServeOptions,
    settings: Path | None = option("FILE.toml", "File with settings."),
    show_settings: bool = flag("Show the effective settings, and exit.", None, name="--show"),
    as_json: bool = flag(
        "Write JSON lines: the log, or the settings of --show.", None, name="--json"
    ),
) -> None:
    """Serve the HTTP API and the web pages."""
    values = asdict(flags) | {"settings": settings, "log_json": as_json or None}
    chosen = load_settings(values, environment())
    if show_settings:
        _show(asdict(chosen) | {"store": mask_password(chosen.store)}, as_json)
    else:
        _run(chosen)


def _run(settings: Settings) -> None:
    for module in ("fastapi", "uvicorn", "jinja2", "prometheus_client"):
        require(module, extra="serve")
    from nearcopy.deduper.deduper import Deduper
    from nearcopy.service.server import check_startup, run

    check_startup(settings)
    # Opened once before workers start, so that an error of the store is reported here.
    Deduper(settings.address, *settings.recipe_and_policy(), pool=settings.pool).close()
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    store = mask_password(settings.address).removeprefix(SQLITE)
    note(f"nearcopy is at http://{host}:{settings.port}/ with {store}; stop it with Ctrl-C")
    run(settings)


def _show(settings: dict[str, Any], as_json: bool) -> None:
    if as_json:
        write_json_lines([settings])
        return
    table = make_table("setting", "value", "meaning")
    for name, value in settings.items():
        add_row(table, name, str(value).lower() if isinstance(value, bool) else value, HELP[name])
    show(table)
