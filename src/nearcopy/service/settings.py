"""Settings of the service: flags override the environment, which overrides a file."""

import json
import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from ipaddress import ip_address
from pathlib import Path
from types import UnionType
from typing import Any, get_args

from nearcopy.config import Policy, Recipe
from nearcopy.config.policy_file import suggest
from nearcopy.errors import BadPolicy
from nearcopy.stores import parse_address

PREFIX = "NEARCOPY_"
FILE = f"{PREFIX}SETTINGS"  # path of the settings file
WORKER_SETTINGS = f"{PREFIX}SERVE"  # the effective settings as JSON, for worker processes
SQLITE = "sqlite:///"
LOG_LEVELS = ("debug", "info", "warning", "error")
BOOLEANS = {"1": True, "true": True, "yes": True, "0": False, "false": False, "no": False}


def _setting(default: Any, help: str) -> Any:  # noqa: A002
    return field(default=default, metadata={"help": help})


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """All settings, checked."""

    store: str = _setting(
        "nearcopy.db", "SQLite path, or postgresql:// or redis:// URL of the store"
    )
    pool: str | None = _setting(None, "default pool of requests that name none")
    preset: str | None = _setting(None, "named recipe and policy")
    policy: str | None = _setting(None, "policy file with your own thresholds")
    tuned: str = _setting("nearcopy-policy.toml", "file to write an accepted tuned policy to")
    window: str | None = _setting(None, "maximum time between copies: 14d, 36h, all")
    host: str = _setting("127.0.0.1", "address to listen on; needs tokens unless it is loopback")
    port: int = _setting(8000, "port to listen on")
    workers: int = _setting(1, "worker processes")
    tokens: str = _setting(
        "nearcopy-tokens.db", "token file; where it exists every request needs a token"
    )
    secure_cookies: bool = _setting(False, "send the session cookie over HTTPS only")
    max_body_bytes: int = _setting(16 << 20, "maximum bytes of a body, and of a line of a stream")
    max_batch: int = _setting(1000, "maximum articles in a body that is no stream")
    max_text_chars: int = _setting(1_000_000, "maximum characters of a field of an article")
    max_seconds: int = _setting(30, "timeout of a request, and of a pause in a stream")
    max_at_once: int = _setting(64, "maximum concurrent requests per worker")
    max_rate: int = _setting(0, "maximum requests per second and caller, per worker; 0: unlimited")
    stop_seconds: int = _setting(30, "seconds that running requests get to finish at shutdown")
    log_level: str = _setting("info", ", ".join(LOG_LEVELS))
    log_json: bool = _setting(False, "write the log as JSON lines")

    def __post_init__(self) -> None:
        for setting in fields(self):
            _check_type(setting.name, getattr(self, setting.name), setting.type)
        parse_address(self.store)  # raises if it is not valid
        if self.log_level not in LOG_LEVELS:
            raise BadPolicy(f"log_level is {self.log_level!r}: choose from {', '.join(LOG_LEVELS)}")
        for name, (low, high) in BOUNDS.items():
            value = getattr(self, name)
            if not low <= value <= high:
                raise BadPolicy(f"{name} is {value}: give a number from {low:,} to {high:,}")

    @property
    def address(self) -> str:
        """The store address; a bare path is a SQLite file."""
        return parse_address(self.store)

    @property
    def local(self) -> bool:
        """Whether the service listens on a loopback address only."""
        try:
            return ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost"

    def recipe_and_policy(self) -> tuple[Recipe | None, Policy]:
        """The recipe (None: that of the store) and the policy."""
        from nearcopy.io.policy_choice import settings

        file = Path(self.policy) if self.policy else None
        return settings(self.preset, file, self.window)


BIG = 1 << 40
BOUNDS = {
    "port": (1, 65535),
    "workers": (1, 64),
    "max_body_bytes": (1024, BIG),
    "max_batch": (1, 1_000_000),
    "max_text_chars": (100, BIG),
    "max_seconds": (1, 86400),
    "max_at_once": (1, 100_000),
    "max_rate": (0, BIG),
    "stop_seconds": (0, 86400),
}
HELP = {setting.name: setting.metadata["help"] for setting in fields(Settings)}
NAMES = tuple(HELP)


def load_settings(flags: Mapping[str, Any], environment: Mapping[str, str]) -> Settings:
    """The settings: flags that are not None, over the environment, over the settings file."""
    overrides = {name: value for name, value in flags.items() if value is not None}
    path = overrides.pop("settings", None) or environment.get(FILE)
    from_file = _read_file(Path(path)) if path else {}
    return Settings(**from_file | _read_environment(environment) | overrides)


def settings_to_json(settings: Settings) -> str:
    return json.dumps(asdict(settings))


def settings_from_json(text: str) -> Settings:
    return Settings(**json.loads(text))


def _read_file(path: Path) -> dict[str, Any]:
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadPolicy(f"{path} is not TOML: {error}") from None
    for name in table:
        if name not in NAMES:
            raise BadPolicy(f"{path}: unknown setting {name!r:.60}{suggest(name, NAMES)}")
    return table


def _read_environment(environment: Mapping[str, str]) -> dict[str, Any]:
    values = {}
    names = {f"{PREFIX}{name.upper()}": name for name in NAMES}
    for variable, value in environment.items():
        if not variable.startswith(PREFIX) or variable in (FILE, WORKER_SETTINGS):
            continue
        if variable not in names:
            raise BadPolicy(
                f"unknown setting {variable:.60}{suggest(variable, names)}: "
                f"`nearcopy serve --help` lists them; unset it"
            )
        values[names[variable]] = _parse(names[variable], value)
    return values


def _parse(name: str, text: str) -> Any:
    """A value of the environment in the type of its setting."""
    kind = TYPES[name]
    if bool in kind:
        if text.strip().lower() not in BOOLEANS:
            raise BadPolicy(f"{PREFIX}{name.upper()} is {text!r:.60}: give true or false")
        return BOOLEANS[text.strip().lower()]
    if int in kind:
        try:
            return int(text)
        except ValueError:
            raise BadPolicy(
                f"{PREFIX}{name.upper()} is {text!r:.60}: give a whole number"
            ) from None
    return text or None if type(None) in kind else text


def _types(kind: Any) -> tuple[type, ...]:
    return get_args(kind) if isinstance(kind, UnionType) else (kind,)


TYPES = {setting.name: _types(setting.type) for setting in fields(Settings)}


def _check_type(name: str, value: Any, kind: Any) -> None:
    allowed = _types(kind)
    if not isinstance(value, allowed) or (isinstance(value, bool) and bool not in allowed):
        expected = " or ".join("nothing" if t is type(None) else t.__name__ for t in allowed)
        raise BadPolicy(f"{name} is {value!r:.60}: give {expected}")
