"""Settings of the service: by flags, else the environment, else a file, else as they are here."""

import json
import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from ipaddress import ip_address
from pathlib import Path
from types import UnionType
from typing import Any, get_args

from nearcopy.config import Policy, Recipe
from nearcopy.config.policy_file import nearest
from nearcopy.errors import BadPolicy
from nearcopy.stores.addresses import address_of

PREFIX = "NEARCOPY_"
FILE = f"{PREFIX}SETTINGS"  # names the file
HANDED_ON = f"{PREFIX}SERVE"  # the settings in force, as workers get them
SQLITE = "sqlite:///"
LOG_LEVELS = ("debug", "info", "warning", "error")
TRUE = {"1": True, "true": True, "yes": True, "0": False, "false": False, "no": False}


def _setting(default: Any, means: str) -> Any:
    return field(default=default, metadata={"means": means})


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """All that can be set."""

    store: str = _setting("nearcopy.db", "what remembers: a path, or an address")
    pool: str | None = _setting(None, "the pool of those who name none")
    preset: str | None = _setting(None, "recipe and policy by name")
    policy: str | None = _setting(None, "a file with thresholds of your own")
    tuned: str = _setting("nearcopy-policy.toml", "where a policy that was tuned is written")
    window: str | None = _setting(None, "how far apart copies may be: 14d, 36h, all")
    host: str = _setting("127.0.0.1", "the address to listen at; others than 127.0.0.1 take tokens")
    port: int = _setting(8000, "the port to listen at")
    workers: int = _setting(1, "processes that answer")
    tokens: str = _setting(
        "nearcopy-tokens.db", "the file of tokens; without it all may, with it who has a token"
    )
    secure_cookies: bool = _setting(False, "the page's cookie is sent over HTTPS only")
    max_body_bytes: int = _setting(16 << 20, "bytes of a body, and of a line of a stream")
    max_batch: int = _setting(1000, "articles in a body that is no stream")
    max_text_chars: int = _setting(1_000_000, "characters of any one field of an article")
    max_seconds: int = _setting(30, "how long an answer may take, and a stream may pause")
    max_at_once: int = _setting(64, "requests at once, in each worker")
    max_rate: int = _setting(0, "requests a second by one caller, in each worker; 0: no limit")
    stop_seconds: int = _setting(30, "how long requests may go on once the service is to stop")
    log_level: str = _setting("info", f"{', '.join(LOG_LEVELS)}")
    log_json: bool = _setting(False, "log JSON lines")

    def __post_init__(self) -> None:
        for each in fields(self):
            _check(each.name, getattr(self, each.name), each.type)
        address_of(self.store)  # raises where it is none
        if self.log_level not in LOG_LEVELS:
            raise BadPolicy(f"log_level is {self.log_level!r}: choose from {', '.join(LOG_LEVELS)}")
        for name, (least, most) in BOUNDS.items():
            if not least <= getattr(self, name) <= most:
                found = getattr(self, name)
                raise BadPolicy(f"{name} is {found}: give a number from {least:,} to {most:,}")

    @property
    def address(self) -> str:
        """The address of the store; a bare path is one of SQLite."""
        return address_of(self.store)

    @property
    def local(self) -> bool:
        """Whether only this machine can reach the service."""
        try:
            return ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost"

    def judging(self) -> tuple[Recipe | None, Policy]:
        """The recipe (None: whatever the store has) and the policy."""
        from nearcopy.io.settings import settings

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
NAMES = tuple(each.name for each in fields(Settings))
MEANS = {each.name: each.metadata["means"] for each in fields(Settings)}


def settings_of(flags: Mapping[str, Any], environment: Mapping[str, str]) -> Settings:
    """The settings: flags that are not None, over the environment, over the file it all names."""
    given = {name: value for name, value in flags.items() if value is not None}
    path = given.pop("settings", None) or environment.get(FILE)
    from_file = _of_file(Path(path)) if path else {}
    return Settings(**from_file | _of_environment(environment) | given)


def handed_on(settings: Settings) -> str:
    """The settings as one text, for the workers."""
    return json.dumps(asdict(settings))


def taken_over(text: str) -> Settings:
    """The settings again."""
    return Settings(**json.loads(text))


def _of_file(path: Path) -> dict[str, Any]:
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as wrong:
        raise BadPolicy(f"{path} is not TOML: {wrong}") from None
    for name in table:
        if name not in NAMES:
            raise BadPolicy(f"{path}: there is no setting {name!r:.60}{nearest(name, NAMES)}")
    return table


def _of_environment(environment: Mapping[str, str]) -> dict[str, Any]:
    found = {}
    known = {f"{PREFIX}{name.upper()}": name for name in NAMES}
    for variable, value in environment.items():
        if not variable.startswith(PREFIX) or variable in (FILE, HANDED_ON):
            continue
        if variable not in known:
            raise BadPolicy(
                f"there is no setting {variable:.60}{nearest(variable, known)}: "
                f"`nearcopy serve --help` lists them; unset it"
            )
        found[known[variable]] = _read(known[variable], value)
    return found


def _read(name: str, text: str) -> Any:
    """A value from the environment, as its setting has it."""
    kind = TYPES[name]
    if bool in kind:
        if text.strip().lower() not in TRUE:
            raise BadPolicy(f"{PREFIX}{name.upper()} is {text!r:.60}: give true or false")
        return TRUE[text.strip().lower()]
    if int in kind:
        try:
            return int(text)
        except ValueError:
            raise BadPolicy(
                f"{PREFIX}{name.upper()} is {text!r:.60}: give a whole number"
            ) from None
    return text or None if type(None) in kind else text


def _kinds(kind: Any) -> tuple[type, ...]:
    return get_args(kind) if isinstance(kind, UnionType) else (kind,)


TYPES = {each.name: _kinds(each.type) for each in fields(Settings)}


def _check(name: str, value: Any, kind: Any) -> None:
    allowed = _kinds(kind)
    if not isinstance(value, allowed) or (isinstance(value, bool) and bool not in allowed):
        wanted = " or ".join("nothing" if t is type(None) else t.__name__ for t in allowed)
        raise BadPolicy(f"{name} is {value!r:.60}: give {wanted}")
