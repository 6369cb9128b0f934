"""Canonical paths, without AMP markers, index files, session ids and redundant slashes."""

import re

from nearcopy.extract.urls.split import spell_path

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
