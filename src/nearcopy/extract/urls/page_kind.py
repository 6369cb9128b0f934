"""What a URL says about its page: its site, whether it is an article or a home page, its slug."""

import re
from itertools import dropwhile, islice
from typing import NamedTuple
from urllib.parse import urljoin

from nearcopy.extract.urls.canonical import canonical
from nearcopy.extract.urls.parts import decode_percent, host_of, site_of
from nearcopy.extract.word_lists import load_word_lists, words

_LISTS = load_word_lists(__package__, "word_lists.toml")
SECTIONS = words(_LISTS["sections"])
LISTINGS = words(_LISTS["listings"])
PLACEHOLDERS = frozenset(_LISTS["placeholders"])
EDITION_PARAMETERS = words(_LISTS["edition_parameters"]) | {""}
_LANGUAGE = re.compile(r"[a-z]{2}(?:[-_][a-zA-Z]{2,4})?")
_WORDS = re.compile(r"[^\W_]+")
_ENDING = re.compile(r"\.[A-Za-z]{2,5}$")
_DATE = re.compile(r"(?:19|20)[0-9]{2}(?:[-_/.]?[0-9]{1,2}){0,2}")
_DATE_WITHIN = re.compile(r"(?<![0-9])(?:19|20)[0-9]{2}([-_])[0-9]{1,2}\1[0-9]{1,2}(?![0-9])")
_UNIQUE = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_MONTH_OR_DAY = re.compile(r"[0-9]{1,2}|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec")
_IDENTIFIER = re.compile(r"[a-z]{0,6}[0-9]{5,}[a-z]{0,2}|[0-9a-f]{8,}|.{41,}", re.DOTALL)
LONGEST_LANGUAGE = 7  # "zh-Hant"
MOST_SEGMENTS = 3  # of a section: /news/world/europe
FEWEST_WORDS = 2  # of a story's name
FEWEST_BEFORE_DATE = 4  # there are sections too, of several words


def site(url: str) -> str | None:
    """The registrable domain of an address; an IP or a lone name is a site of its own.

    >>> site("https://news.bbc.co.uk/1"), site("https://a.blogspot.com"), site("http://10.0.0.1/x")
    ('bbc.co.uk', 'a.blogspot.com', '10.0.0.1')
    """
    address = page_address(url)
    return address.site if address else None


class PageAddress(NamedTuple):
    """The canonical form of a URL, its site, and whether it is a home or section page."""

    form: str
    site: str
    is_home: bool


def page_address(url: str) -> PageAddress | None:
    """The canonical form, site and kind of a URL, or None if it is no web address.

    >>> page_address("http://www.example.com/news/?utm_source=x")
    PageAddress(form='https://example.com/news', site='example.com', is_home=True)
    """
    form = canonical(url)
    if form is None:
        return None
    # Half of the time of three arguments.
    return tuple.__new__(PageAddress, (form, site_of(host_of(form)), _is_home_page(form)))


def is_home(url: str) -> bool:
    """Whether a URL is that of a home page or a section.

    >>> is_home("https://example.com/news/"), is_home("https://example.com/news/storm-hits-coast")
    (True, False)
    """
    address = page_address(url)
    return address is not None and address.is_home


def declared_address(url: str | None, rel_canonical: str | None) -> str | None:
    """The canonical form of the rel=canonical link of a page, or None if it is implausible.

    >>> declared_address("https://m.example.com/a/storm?x=1", "/a/storm")
    'https://example.com/a/storm'
    >>> declared_address("https://example.com/a/storm", "https://example.com/")
    """
    form = canonical(_resolve_link(url, rel_canonical or ""))
    if form is None or _is_home_page(form):
        return None
    page = canonical(url or "")
    return form if form == page or not _is_listing(form, page) else None


def slug(url: str) -> str:
    """The words of a URL that name the story, or "" if there are none.

    >>> slug("https://example.com/2024/05/01/caf%C3%A9-owner-wins-95k-prize-20240501.html")
    'café owner wins 95k prize'
    """
    form = canonical(url)
    if form is None:
        return ""
    before, after, dated = _split_at_date(_segments(form))
    best = _longest_phrase(after)
    if len(best) >= FEWEST_WORDS or _is_one_phrase(best):
        return " ".join(best)
    earlier = _longest_phrase(before)
    if len(earlier) >= FEWEST_BEFORE_DATE:
        return " ".join(earlier)
    return " ".join(best) if dated and not SECTIONS.issuperset(best) else ""


def _resolve_link(url: str | None, link: str) -> str:
    """The link as seen from the page."""
    link = link.strip()
    if not link or not url or canonical(link):
        return link
    try:
        return urljoin(url.strip(), link)
    except ValueError:
        return ""


def _segments(form: str) -> list[str]:
    """The decoded segments of a canonical path, without the file's ending."""
    path = form.partition("#")[0].partition("?")[0].split("/")[3:]
    path[-1] = _ENDING.sub("", path[-1])
    return [decode_percent(segment) for segment in path if segment]


def _is_home_page(form: str) -> bool:
    address, _, query = form.partition("?")
    last = address[address.rfind("/") + 1 :].lower()
    if last and not _is_section(last):
        return False
    if "#" in form or any(
        part.partition("=")[0] not in EDITION_PARAMETERS for part in query.split("&")
    ):
        return False
    segments = [part.lower() for part in address.split("/")[3:] if part]
    return len(segments) <= MOST_SEGMENTS and all(map(_is_section, segments))


def _is_section(segment: str) -> bool:
    if len(segment) > LONGEST_LANGUAGE:
        return segment in SECTIONS
    return segment in SECTIONS or _LANGUAGE.fullmatch(segment) is not None


def _is_listing(form: str, page: str | None) -> bool:
    """Whether a URL lists articles, or is a parent of the page without a slug."""
    segments = [segment.lower() for segment in _segments(form)]
    if any(segment in LISTINGS for segment in segments[:-1]) or segments[-1:] == ["search"]:
        return True
    if not segments or segments[-1] in PLACEHOLDERS or "{{" in segments[-1]:
        return True
    above = page is not None and page.startswith(form + "/")
    return above and not slug(form) and not any(segment.isdigit() for segment in form)


def _split_at_date(segments: list[str]) -> tuple[list[str], list[str], bool]:
    """The segments before and after a date in the path, and whether there is one."""
    for place, segment in enumerate(segments):
        if _DATE.fullmatch(segment):
            remaining = islice(segments, place + 1, None)
            after = dropwhile(lambda each: _MONTH_OR_DAY.fullmatch(each.lower()), remaining)
            return segments[:place], list(after), True
    return [], segments, False


def _longest_phrase(segments: list[str]) -> list[str]:
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
