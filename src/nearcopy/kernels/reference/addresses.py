"""Addresses: which are clean already, which of their segments are sections, and their slugs."""

import re
from collections.abc import Collection, Iterable, Sequence
from itertools import dropwhile, islice
from urllib.parse import unquote

from nearcopy.kernels.lazy_pattern import lazy_pattern

# A clean URL: nothing encoded, no query, no segment that is empty, begins with a dot or marks AMP.
_CLEAN = lazy_pattern(
    r"https?://([a-z0-9.-]++)((?:/(?!\.|[Aa][Mm][Pp](?:/|\Z))[A-Za-z0-9._~-]++)*+)/?"
)
_LANGUAGE = lazy_pattern(r"[a-z]{2}(?:[-_][a-zA-Z]{2,4})?")
_WORDS = lazy_pattern(r"[^\W_]+")
_ENDING = lazy_pattern(r"\.[A-Za-z]{2,5}$")
_DATE = lazy_pattern(r"(?:19|20)[0-9]{2}(?:[-_/.]?[0-9]{1,2}){0,2}")
_DATE_WITHIN = lazy_pattern(r"(?<![0-9])(?:19|20)[0-9]{2}([-_])[0-9]{1,2}\1[0-9]{1,2}(?![0-9])")
_UNIQUE = lazy_pattern(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_MONTH_OR_DAY = lazy_pattern(r"[0-9]{1,2}|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec")
_IDENTIFIER = lazy_pattern(r"[a-z]{0,6}[0-9]{5,}[a-z]{0,2}|[0-9a-f]{8,}|.{41,}", re.DOTALL)
LONGEST_LANGUAGE = 7  # "zh-Hant"
MOST_SEGMENTS = 3  # of a section: /news/world/europe
FEWEST_WORDS = 2  # of a story's name
FEWEST_BEFORE_DATE = 4  # there are sections too, of several words


# The host and the path of a URL of which only the host may have to be changed to make it canonical,
# and whether its segments are those of a home page or a section.
CleanAddress = tuple[str, str, bool]


class AddressReader:
    """Reads addresses by the names of the sections and the index files of sites."""

    def __init__(self, sections: Collection[str], index_files: Collection[str]) -> None:
        self._sections, self._index_files = frozenset(sections), frozenset(index_files)

    def read(self, urls: Sequence[str]) -> list[CleanAddress | None]:
        """The parts of each clean URL without a query; None for all others.

        >>> reader = AddressReader(["news"], ["index.html"])
        >>> reader.read(["https://www.example.com/news/index.html"])
        [('www.example.com', '/news', True)]
        """
        return list(map(self._read, urls))

    def slugs(self, forms: Sequence[str]) -> list[str]:
        """The words of each canonical URL that name the story, or "" if there are none.

        >>> AddressReader([], []).slugs(["https://example.com/2024/05/01/harbour-wins-prize-1.html"])
        ['harbour wins prize 1']
        """
        return list(map(self._slug, forms))

    def are_sections(self, segments: Sequence[str]) -> bool:
        """Whether a path of these segments, in lower case, leads to a home page or a section."""
        return len(segments) <= MOST_SEGMENTS and all(map(self.is_section, segments))

    def is_section(self, segment: str) -> bool:
        """Whether a segment in lower case names a section or a language."""
        if len(segment) > LONGEST_LANGUAGE:
            return segment in self._sections
        return segment in self._sections or _LANGUAGE.fullmatch(segment) is not None

    def _read(self, url: str) -> CleanAddress | None:
        clean = _CLEAN.fullmatch(url)
        path = self._strip_index(clean[2]) if clean else None
        if clean is None or path is None:
            return None
        segments = [segment for segment in path.lower().split("/") if segment]
        return clean[1], path or "/", self.are_sections(segments)

    def _strip_index(self, path: str) -> str | None:
        """The clean path without an index file, or None if its end has another or marks AMP."""
        shorter, _, last = path.rpartition("/")
        if last.lower() in self._index_files:
            path, last = shorter, shorter.rpartition("/")[2]
        last = last.lower()
        return None if ".amp" in last or last in self._index_files else path

    def _slug(self, form: str) -> str:
        before, after, dated = _split_at_date(decoded_segments(form))
        best = _longest_phrase(after)
        if len(best) >= FEWEST_WORDS or _is_one_phrase(best):
            return " ".join(best)
        earlier = _longest_phrase(before)
        if len(earlier) >= FEWEST_BEFORE_DATE:
            return " ".join(earlier)
        return " ".join(best) if dated and not self._sections.issuperset(best) else ""


def decoded_segments(form: str) -> list[str]:
    """The decoded segments of a canonical path, without the file's ending."""
    path = form.partition("#")[0].partition("?")[0].split("/")[3:]
    if path:
        path[-1] = _ENDING.sub("", path[-1])
    return [decode_percent(segment) for segment in path if segment]


def decode_percent(text: str) -> str:
    """The text with percent-encoding decoded as UTF-8, with replacement of invalid bytes."""
    return unquote(text, errors="replace")


def _split_at_date(segments: list[str]) -> tuple[list[str], list[str], bool]:
    """The segments before and after a date in the path, and whether there is one."""
    for place, segment in enumerate(segments):
        if _DATE.fullmatch(segment):
            remaining = islice(segments, place + 1, None)
            after = dropwhile(lambda part: _MONTH_OR_DAY.fullmatch(part.lower()), remaining)
            return segments[:place], list(after), True
    return [], segments, False


def _longest_phrase(segments: Iterable[str]) -> list[str]:
    """The words of the segment that has most, of several the last."""
    named = [_story_words(part) for segment in segments for part in segment.split("~")]
    return max(reversed(named), key=len, default=[])


def _story_words(segment: str) -> list[str]:
    """The words of a segment, without dates and identifiers."""
    text = segment.lower().removesuffix("_story")
    story_words = _WORDS.findall(_UNIQUE.sub(" ", _DATE_WITHIN.sub(" ", text)))
    return [word for word in story_words if not _is_identifier(word)]


def _is_identifier(word: str) -> bool:
    if word.isalpha():
        return len(word) > 40 and word.isascii()
    return _IDENTIFIER.fullmatch(word) is not None


def _is_one_phrase(words: list[str]) -> bool:
    """Whether it is a title in a script that needs no spaces."""
    return len(words) == 1 and len(words[0]) >= 4 and not words[0].isascii()
