"""Canonical URLs: one form per page, with a fast path for URLs that are clean already."""

import re
from functools import lru_cache

import nearcopy.kernels as kernels
from nearcopy.extract.urls.parts import (
    BLANK,
    Parts,
    host_name,
    site_of,
    spell_fragment,
    spell_path,
    split_url,
)
from nearcopy.extract.urls.redirect_wrappers import is_wrapper, wrapped_urls
from nearcopy.extract.urls.tracking_parameters import clean_query
from nearcopy.extract.word_lists import load_word_lists, words

SECTIONS = words(load_word_lists(__package__, "word_lists.toml")["sections"])
DEEPEST = 8  # maximum number of nested wrappers
INDEX_FILES = frozenset(
    f"{name}.{ending}"
    for name in ("index", "default")
    for ending in ("html", "htm", "shtml", "php", "asp", "aspx", "jsp", "cfm")
) - {"default.html", "default.php", "default.shtml"}
_SESSION = re.compile(r";(?:jsessionid|phpsessid|sessionid|sid)=[^/;]*", re.IGNORECASE)
_COOKIELESS = re.compile(r"\((?:[A-Z]\([A-Za-z0-9_-]{16,}\))+\)")  # ASP.NET: /(S(...))/
_AMP_ENDING = re.compile(r"\.amp(?=\.|$)", re.IGNORECASE)

# Sites that put the marker in the middle: /news/amp/world-123.
AMP_INSIDE = frozenset({"bbc.com", "bbc.co.uk", "nbcnews.com", "today.com", "msnbc.com"})

# Reads the addresses that are clean; all others take the slow path, with the same result.
ADDRESSES = kernels.AddressReader(SECTIONS, INDEX_FILES)
_NEEDS_CARE = re.compile(f"[#{re.escape(BLANK)}]").search  # in a query: a fragment, blanks


def canonical(url: str) -> str | None:
    """The canonical form of all spellings of a URL, or None if it is no web address.

    >>> canonical("http://www.example.com:80/a//b/index.html?utm_source=x&id=3#top")
    'https://example.com/a/b?id=3'
    """
    address, mark, query = url.partition("?")
    page = _canonical_fast(address)
    if page is not None and not mark:
        return page
    if page is None or _NEEDS_CARE(query):
        return _canonical_slow(url)
    kept = clean_query(query, page.split("/", 3)[2])
    return f"{page}?{kept}" if kept else page


def _canonical_fast(address: str) -> str | None:
    """The canonical form of a clean URL without a query."""
    clean = ADDRESSES.read([address])[0]
    host = plain_host(clean[0]) if clean else None
    return f"https://{host}{clean[1]}" if clean and host else None


@lru_cache(maxsize=1 << 16)
def plain_host(host: str) -> str | None:
    """The name of the host, or None if its URLs may be wrappers."""
    name = host_name(host)
    return None if name is None or is_wrapper(name) else name


def _canonical_slow(url: str) -> str | None:
    """The canonical form of the innermost URL; None if it is nested too deeply."""
    for _ in range(DEEPEST):
        parts = split_url(url)
        if parts is None:
            return None
        if not is_wrapper(parts.host):
            return _join_url(parts)
        inner = next((target for target in wrapped_urls(parts) if split_url(target)), None)
        form = inner or _join_url(parts)
        if form == url:
            return form
        url = form
    return None


def _join_url(parts: Parts) -> str:
    path = clean_path(parts.path, site_of(parts.host))
    query = clean_query(parts.query, parts.host)
    return "".join(
        ("https://", parts.host, parts.port, path, query and f"?{query}", _route(parts.fragment))
    )


def _route(fragment: str) -> str:
    """The fragment if it is a client-side route, "#!/story/7" or "#/story/7", else nothing."""
    if not fragment.startswith(("!", "/")):
        return ""
    spelt = spell_fragment(fragment.partition(":~:")[0])
    return f"#{spelt}" if spelt.strip("!/") else ""


def clean_path(raw: str, site: str) -> str:
    """The canonical form of a path, from its first slash.

    >>> clean_path("/amp//news/./caf%C3%a9/index.html", "example.com")
    '/news/caf%C3%A9'
    """
    path = spell_path(raw.replace("\\", "/"))
    if ";" in path:
        path = _SESSION.sub("", path)
    segments = _trim_segments(_resolve_dots(path))
    if site in AMP_INSIDE:
        segments = [segment for segment in segments if segment != "amp"]
    return "/" + "/".join(segments)


def _resolve_dots(path: str) -> list[str]:
    """The segments without empty ones, dots and sessions."""
    segments: list[str] = []
    for segment in path.split("/"):
        if segment == "..":
            del segments[-1:]
        elif segment not in ("", ".") and not _is_session(segment):
            segments.append(segment)
    return segments


def _trim_segments(segments: list[str]) -> list[str]:
    """The segments without index files at the end, nor AMP markers at either end."""
    while segments:
        last = _strip_amp(segments[-1])
        if not _is_redundant(last, alone=len(segments) == 1):
            segments[-1] = last
            break
        segments.pop()
    first = 0
    while first < len(segments) - 1 and segments[first].lower() == "amp":
        first += 1
    return segments[first:]


def _is_redundant(last: str, *, alone: bool) -> bool:
    """Whether the path without this last segment is the same page."""
    name = last.lower()
    return name in INDEX_FILES or (name == "amp" and not alone) or _is_session(last)


def _is_session(segment: str) -> bool:
    return segment[0] == "(" and _COOKIELESS.fullmatch(segment) is not None


def _strip_amp(segment: str) -> str:
    """The segment without `.amp`; one that would be nothing but dots stays.

    >>> _strip_amp("story.amp.html"), _strip_amp("story.amp")
    ('story.html', 'story')
    """
    if "." not in segment:
        return segment
    shorter = _AMP_ENDING.sub("", segment)
    return shorter if shorter.strip(".") else segment
