"""The parts of a URL: split as browsers do, with one name per host, and one percent-encoding.

A site has one name for its desktop, mobile and AMP versions.
"""

import re
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

import idna
from publicsuffixlist import PublicSuffixList

from nearcopy.extract.word_lists import load_word_lists, words
from nearcopy.kernels.lazy_pattern import lazy_pattern

SCHEME = "https://"  # of every canonical URL; the host ends at the next slash
LONGEST = 253  # characters, the limit of DNS; also bounds Punycode, which is quadratic
DEVICE_LABELS = frozenset(
    {"m", "mobile", "amp"} | {"www"} | {f"www{number}" for number in range(10)}
)
PLATFORMS = words(load_word_lists(__package__, "word_lists.toml")["platforms"])
_FOUR_NUMBERS = lazy_pattern(r"[0-9]{1,3}(?:\.[0-9]{1,3}){3}")
_IN_BRACKETS = lazy_pattern(r"\[[0-9a-f:.]{2,45}\]")
_LETTERS = r"[a-z0-9_\-\x80-\ud7ff\ue000-\U0010ffff]++"
_LABELS = lazy_pattern(rf"{_LETTERS}(?:\.{_LETTERS})*+")
DEFAULT_PORTS = frozenset({80, 443})
BLANK = "".join(map(chr, range(33))) + "\x7f\x85\xa0\u200b\u2028\u2029\u3000\ufeff"
_START = lazy_pattern(r"https?:[/\\]++|[/\\]{2}(?![/\\])|(?=www\.)", re.IGNORECASE)
_AUTHORITY = lazy_pattern(r"([^/\\?#]*+)([^?#]*+)(?:\?([^#]*+))?(?:#(.*+))?", re.DOTALL)
_HOST_AND_PORT = lazy_pattern(r"(\[[^]]*+\]|[^:]*+)(?::([0-9]{0,5}+))?")
_BREAKS = lazy_pattern(r"[\t\n\r]")


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
    start = _START.match(url)
    match = _AUTHORITY.fullmatch(url, start.end()) if start else None
    if not match:
        return None
    authority, path, query, fragment = match.groups()
    named = _HOST_AND_PORT.fullmatch(authority.rpartition("@")[2])
    host = host_name(named[1]) if named else None
    if named is None or host is None:
        return None
    number = int(named[2] or 80)
    port = "" if number in DEFAULT_PORTS else f":{number}"
    return Parts(host, port, path, query or "", fragment or "") if number < 1 << 16 else None


@lru_cache(maxsize=1 << 16)
def host_name(raw: str) -> str | None:
    """The host without device labels such as www and m, or None if it is not valid.

    >>> host_name("WWW.Example.COM."), host_name("en.m.wikipedia.org"), host_name("m.com")
    ('example.com', 'en.wikipedia.org', 'm.com')
    """
    host = raw.lower().removesuffix(".")
    if len(host) > LONGEST:
        return None
    if _IN_BRACKETS.fullmatch(host) or _FOUR_NUMBERS.fullmatch(host):
        return host
    host = host if host.isascii() else _to_punycode(host)
    if len(host) > LONGEST or not _LABELS.fullmatch(host):
        return None
    return _strip_device_labels(host)


def host_of(form: str) -> str:
    """The host of a canonical address, without its port."""
    name = form[len(SCHEME) : form.find("/", len(SCHEME))]
    if ":" not in name:
        return name
    return name.partition("]")[0] + "]" if name.startswith("[") else name.partition(":")[0]


@lru_cache(maxsize=1 << 16)
def site_of(host: str) -> str:
    """The registrable domain of a host, or the host where it has none."""
    if host.startswith("[") or _FOUR_NUMBERS.fullmatch(host):
        return host
    own = _suffixes().privatesuffix(host) or host
    return _tenant_of(own, host) if own in PLATFORMS else own


def _tenant_of(platform: str, host: str) -> str:
    """The site on a hosting platform, or the platform itself."""
    label = host.removesuffix(platform).removesuffix(".").rpartition(".")[2]
    return f"{label}.{platform}" if label and label not in DEVICE_LABELS else platform


@lru_cache(maxsize=1)
def _suffixes() -> PublicSuffixList:
    """The bundled public suffix list, with its private part; no network access."""
    return PublicSuffixList()


def _to_punycode(host: str) -> str:
    """The host in Punycode by UTS 46; a label that has none stays as it is."""
    try:
        mapped = idna.uts46_remap(host)
    except (idna.IDNAError, UnicodeError):
        return host
    return ".".join(_label_to_punycode(label) for label in mapped.removesuffix(".").split("."))


def _label_to_punycode(label: str) -> str:
    if label.isascii():
        return label
    try:
        return idna.alabel(label).decode("ascii")
    except (idna.IDNAError, UnicodeError):
        return label


def _strip_device_labels(host: str) -> str:
    """The host without leading www, m, mobile, amp, as long as a registrable domain remains."""
    own = site_of(host)
    labels = host[: -len(own)].split(".")[:-1]
    while labels and labels[0] in DEVICE_LABELS:
        del labels[0]
    while len(labels) > 1 and labels[1] == "m" and len(labels[0]) <= 3:
        del labels[1]  # en.m.wikipedia.org
    return ".".join([*labels, own])


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
    odd = lazy_pattern(rf"{pair}|(?:%(?!{pair[1:]})|[^%{allowed}])++")

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
