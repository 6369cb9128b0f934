"""Query strings without tracking parameters, which `tracking_parameters.toml` lists."""

import re
from functools import lru_cache
from string import ascii_lowercase
from typing import NamedTuple

from nearcopy.extract.urls.parts import site_of, spell_query
from nearcopy.extract.word_lists import load_word_lists, words


class SiteRules(NamedTuple):
    """Parameters dropped or kept only on one site."""

    dropped: frozenset[str] = frozenset()
    kept: frozenset[str] = frozenset()
    starts: tuple[str, ...] = ()


_LISTS = load_word_lists(__package__, "tracking_parameters.toml")
TRACKING_STARTS = tuple(_LISTS["prefixes"])
TRACKING = words(" ".join(_LISTS["names"].values())) | {f"{letter}mc" for letter in ascii_lowercase}
NOT_DROPPED: dict[str, str] = _LISTS["not_dropped"]
CHANNEL_NAMES = words(_LISTS["channel_names"])
CHANNELS = words(_LISTS["channels"])
AMP_FORMATS = words(_LISTS["amp_formats"])
SESSIONS = words(_LISTS["session_names"])


def _site_rules() -> dict[str, SiteRules]:
    """The rules of each site that has any."""
    tables = [_LISTS[name] for name in ("dropped_on_site", "kept_on_site", "prefixes_on_site")]
    rules = {}
    for host in sorted(set().union(*tables)):
        dropped, kept, starts = (table.get(host, "") for table in tables)
        rules[host] = SiteRules(words(dropped), words(kept), tuple(starts.split()))
    return rules


SITE_RULES = _site_rules()
_NOTHING = SiteRules()
# What a session's id looks like: long, of one run, and with digits.
_SESSION_VALUE = re.compile(r"(?=[A-Za-z]*+[0-9])[A-Za-z0-9]{20,}+")
# "?id=3?utm_source=x": tracking that was pasted on; "&amp;id=3": an ampersand left as in HTML.
_PASTED = re.compile(r"\?(?=utm_|fbclid=|gclid=)|(?:^|&)(?:amp;)++")


class Parameter(NamedTuple):
    """A parameter as it is compared."""

    name: str
    value: str

    def __str__(self) -> str:
        return f"{self.name}={self.value}" if self.value else self.name


def clean_query(query: str, host: str) -> str:
    """The parameters that identify a page of this host, each once and sorted.

    >>> clean_query("z=1&utm_source=x&id=3&fbclid=abc&b=", "example.com")
    'b&id=3&z=1'
    """
    if not query:
        return ""
    rules = _rules(host)
    kept = {parameter for parameter in parameters(query) if not _is_noise(parameter, rules)}
    return "&".join(map(str, sorted(kept)))


def parameters(query: str) -> list[Parameter]:
    """The parameters of a query in one spelling; those without a name are none."""
    pairs = []
    for piece in _PASTED.sub("&", spell_query(query.replace("+", " "))).split("&"):
        name, _, value = piece.partition("=")
        if name:
            pairs.append(Parameter(name, value.replace("=", "%3D")))
    return pairs


@lru_cache(maxsize=1 << 14)
def _rules(host: str) -> SiteRules:
    """The rules of a host, its site, or its platform."""
    own = site_of(host)
    names = (host, own, own.partition(".")[2])
    return next((SITE_RULES[name] for name in names if name in SITE_RULES), _NOTHING)


def _is_noise(parameter: Parameter, rules: SiteRules) -> bool:
    """Whether a parameter does not identify the page."""
    name = parameter.name.lower().removeprefix("?")
    if name in rules.kept:
        return False
    return (
        name in TRACKING
        or name.startswith(TRACKING_STARTS)
        or name in rules.dropped
        or (rules.starts != () and name.startswith(rules.starts))
        or _is_noise_by_value(name, parameter.value)
    )


def _is_noise_by_value(name: str, value: str) -> bool:
    """Whether the value shows that an ambiguous name does not identify the page."""
    if name in CHANNEL_NAMES:
        channel = value.lower().removeprefix("rss_")
        return channel in CHANNELS or channel != value.lower() or channel.endswith("_rss")
    if name in AMP_FORMATS:
        return value.lower() in ("amp", "amphtml")
    return name in SESSIONS and _SESSION_VALUE.fullmatch(value) is not None
