"""Queries: parameters in order, one spelling, without those that only follow a reader about."""

import re
from functools import lru_cache
from typing import NamedTuple

from nearcopy.extract.urls.hosts import site_of
from nearcopy.extract.urls.percent_encoding import spell_query
from nearcopy.extract.urls.tracking_parameters import (
    AMP_FORMATS,
    CHANNEL_NAMES,
    CHANNELS,
    ONLY_THERE,
    SESSIONS,
    TRACKING,
    TRACKING_STARTS,
    Rules,
)

_NOTHING = Rules()
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
    """The parameters that tell pages of this host apart, each once and in order.

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
def _rules(host: str) -> Rules:
    """What is peculiar to a host, or to its site, or to the platform it is on."""
    own = site_of(host)
    names = (host, own, own.partition(".")[2])
    return next((ONLY_THERE[name] for name in names if name in ONLY_THERE), _NOTHING)


def _is_noise(parameter: Parameter, rules: Rules) -> bool:
    """Whether a parameter says nothing about which page this is."""
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
    """Whether a name that may mean something has a value that shows it does not here."""
    if name in CHANNEL_NAMES:
        channel = value.lower().removeprefix("rss_")
        return channel in CHANNELS or channel != value.lower() or channel.endswith("_rss")
    if name in AMP_FORMATS:
        return value.lower() in ("amp", "amphtml")
    return name in SESSIONS and _SESSION_VALUE.fullmatch(value) is not None
