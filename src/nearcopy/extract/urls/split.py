"""Splitting of URLs as browsers do, and one spelling of percent-encoding."""

import re
from collections.abc import Callable
from typing import NamedTuple
from urllib.parse import unquote

from nearcopy.extract.urls.hosts import host_name

DEFAULT_PORTS = frozenset({80, 443})
BLANK = "".join(map(chr, range(33))) + "\x7f\x85\xa0\u200b\u2028\u2029\u3000\ufeff"
_START = re.compile(r"https?:[/\\]++|[/\\]{2}(?![/\\])|(?=www\.)", re.IGNORECASE).match
_AUTHORITY = re.compile(r"([^/\\?#]*+)([^?#]*+)(?:\?([^#]*+))?(?:#(.*+))?", re.DOTALL).fullmatch
_HOST_AND_PORT = re.compile(r"(\[[^]]*+\]|[^:]*+)(?::([0-9]{0,5}+))?").fullmatch
_BREAKS = re.compile(r"[\t\n\r]")


class Parts(NamedTuple):
    """A split URL: host and port normalised, the other parts unchanged."""

    host: str
    port: str
    path: str
    query: str
    fragment: str


def split_url(url: str) -> Parts | None:
    """The parts of a URL, or None if it is no web address."""
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


# Characters that mean the same plain or encoded. `+`, `&`, `=`, `%` do not, and stay unchanged; an
# encoded `/` is no separator in a path, while in a query it is a plain character.
PLAIN_IN_PATHS = "!$'()*,:@"
PLAIN_IN_QUERIES = "!$'()*,:@/;?"
_UNRESERVED = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"


_HEX = frozenset("0123456789ABCDEFabcdef")
_ENCODED = [f"%{byte:02X}" for byte in range(256)]


def _speller(plain: str, untouched: str) -> Callable[[str], str]:
    """A function that normalises percent-encoding: `plain` is decoded, `untouched` unchanged."""
    plain_forms = {_ENCODED[ord(character)]: character for character in _UNRESERVED + plain}
    allowed = re.escape(_UNRESERVED + plain + untouched)
    pair = "%[0-9A-Fa-f]{2}"
    odd = re.compile(rf"{pair}|(?:%(?!{pair[1:]})|[^%{allowed}])++")

    def respell(match: re.Match[str]) -> str:
        text_run = match[0]
        if len(text_run) == 3 and text_run[0] == "%" and text_run[1] in _HEX:
            upper = text_run.upper()
            return plain_forms.get(upper, upper)
        return "".join([_ENCODED[byte] for byte in text_run.encode("utf-8", "surrogatepass")])

    def spell(text: str) -> str:
        return odd.sub(respell, text)

    return spell


spell_path = _speller(PLAIN_IN_PATHS, "/&=+;")
spell_query = _speller(PLAIN_IN_QUERIES, "&=")
spell_fragment = _speller(PLAIN_IN_QUERIES, "&=+")


def decode_percent(text: str) -> str:
    """The text with percent-encoding decoded as UTF-8, with replacement of invalid bytes."""
    return unquote(text, errors="replace")
