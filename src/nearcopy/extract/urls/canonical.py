"""Canonical URLs: one form per page, with a fast path for URLs that are clean already."""

import re
from functools import lru_cache

from nearcopy.extract.urls.hosts import host_name, site_of
from nearcopy.extract.urls.paths import INDEX_FILES, clean_path
from nearcopy.extract.urls.redirect_wrappers import is_wrapper, wrapped_urls
from nearcopy.extract.urls.split import BLANK, Parts, spell_fragment, split_url
from nearcopy.extract.urls.tracking_parameters import clean_query

DEEPEST = 8  # maximum number of nested wrappers

# A clean URL: nothing encoded, no query, no segment that is empty, begins with a dot or marks AMP.
# All others take the slow path, with the same result.
_CLEAN = re.compile(
    r"https?://([a-z0-9.-]++)((?:/(?!\.|[Aa][Mm][Pp](?:/|\Z))[A-Za-z0-9._~-]++)*+)/?"
).fullmatch
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
    clean = _CLEAN(address)
    if clean is None:
        return None
    host = _plain_host(clean[1])
    path: str | None = clean[2]
    if path and "." in path:
        path = _strip_index(path)
    if host is None or path is None:
        return None
    return f"https://{host}{path or '/'}"


@lru_cache(maxsize=1 << 16)
def _plain_host(host: str) -> str | None:
    """The name of the host, or None if its URLs may be wrappers."""
    name = host_name(host)
    return None if name is None or is_wrapper(name) else name


def _strip_index(path: str) -> str | None:
    """The clean path without an index file, or None if its end needs the slow path."""
    shorter, _, last = path.rpartition("/")
    if last.lower() in INDEX_FILES:
        path, last = shorter, shorter.rpartition("/")[2]
    last = last.lower()
    return None if ".amp" in last or last in INDEX_FILES else path


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
