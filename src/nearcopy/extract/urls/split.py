"""An address taken apart, as browsers read it."""

import re
from typing import NamedTuple

from nearcopy.extract.urls.hosts import host_name

DEFAULT_PORTS = frozenset({80, 443})
BLANK = "".join(map(chr, range(33))) + "\x7f\x85\xa0\u200b\u2028\u2029\u3000\ufeff"
_START = re.compile(r"https?:[/\\]++|[/\\]{2}(?![/\\])|(?=www\.)", re.IGNORECASE).match
_AUTHORITY = re.compile(r"([^/\\?#]*+)([^?#]*+)(?:\?([^#]*+))?(?:#(.*+))?", re.DOTALL).fullmatch
_HOST_AND_PORT = re.compile(r"(\[[^]]*+\]|[^:]*+)(?::([0-9]{0,5}+))?").fullmatch
_BREAKS = re.compile(r"[\t\n\r]")


class Parts(NamedTuple):
    """A web address: host and port as they count, the rest as it was given."""

    host: str
    port: str
    path: str
    query: str
    fragment: str


def taken_apart(url: str) -> Parts | None:
    """The parts of a web address, or None for anything else."""
    url = _BREAKS.sub("", url.strip(BLANK))
    start = _START(url)
    match = _AUTHORITY(url, start.end()) if start else None
    if not match:
        return None
    authority, path, query, fragment = match.groups()
    named = _HOST_AND_PORT(authority.rpartition("@")[2])
    host = host_name(named[1]) if named else None
    if named is None or host is None:
        return None
    number = int(named[2] or 80)
    port = "" if number in DEFAULT_PORTS else f":{number}"
    return Parts(host, port, path, query or "", fragment or "") if number < 1 << 16 else None
