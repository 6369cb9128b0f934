"""Hosts: one name for the desktop, mobile and AMP versions of a site, and its domain."""

import re
from functools import lru_cache

import idna
from publicsuffixlist import PublicSuffixList

SCHEME = "https://"  # of every canonical URL; the host ends at the next slash
LONGEST = 253  # characters, the limit of DNS; also bounds Punycode, which is quadratic
DEVICE_LABELS = frozenset(
    {"m", "mobile", "amp"} | {"www"} | {f"www{number}" for number in range(10)}
)
# Hosting platforms whose subdomains are separate sites, missing in the public suffix list.
PLATFORMS = frozenset(
    [
        "beehiiv.com",
        "ghost.io",
        "livejournal.com",
        "medium.com",
        "over-blog.com",
        "squarespace.com",
        "substack.com",
        "tumblr.com",
        "typepad.com",
        "weebly.com",
        "wordpress.com",
    ]
)
_FOUR_NUMBERS = re.compile(r"[0-9]{1,3}(?:\.[0-9]{1,3}){3}")
_IN_BRACKETS = re.compile(r"\[[0-9a-f:.]{2,45}\]")
_LETTERS = r"[a-z0-9_\-\x80-\ud7ff\ue000-\U0010ffff]++"
_LABELS = re.compile(rf"{_LETTERS}(?:\.{_LETTERS})*+")


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
