"""Cleaning of titles: newsroom tags and the name of the publisher are removed."""

import re
from collections.abc import Iterator
from html import unescape
from typing import NamedTuple

from nearcopy.extract.text import normalised
from nearcopy.extract.titles.publishers import SECTIONS, is_publisher, is_well_known
from nearcopy.extract.word_lists import load_word_lists
from nearcopy.kernels.lazy_pattern import lazy_pattern

PASSES = 4  # tags and names are removed one by one, at most this often
REACH = 80  # characters from either end that are searched
LONGEST_MARK = 4  # words

ENTITY = lazy_pattern(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
# Prefixes: "Watch: ", "Opinion | ", "LIVE - ", "[속보]", "عاجل.. ".
COLON_HEAD = lazy_pattern(
    r"[^\w\[【(（]{0,4}+([^:：|｜丨»–—\[【(（]{1,40}+)[:：|｜丨»]{1,2}+(?!\d)"
)
DASH_HEAD = lazy_pattern(r"[^\w\[【(（]{0,4}+([^\-–—:：|｜]{1,40}+)(?<=\s)[-–—]{1,2}+\s")
BRACKET_HEAD = lazy_pattern(r"\s?[\[【(（]([^\[\]【】()（）]{1,40}+)[\]】)）]\s*+[:：|–-]?")
DOTS_HEAD = lazy_pattern(r"([^\W\d_]{2,12}+)\s?(?:\.\.++|…)")
HEADS = (COLON_HEAD, DASH_HEAD, BRACKET_HEAD, DOTS_HEAD)
# Wire tags, joined by a bare hyphen, in capitals: "RPT-UPDATE 2-Oil falls".
WIRE_HEAD = lazy_pattern(r"([A-Z]{3,13}+(?: [A-Z]{2,4})?(?: [0-9]{1,3})?)\s?-(?=\S)")
BRACKET_TAIL = lazy_pattern(r"[\[【(（]([^\[\]【】()（）]{1,40}+)[\]】)）]\s?\Z")
CLOSING = ("]", "】", ")", "）")
NAME_SEPARATORS = (" - ", " – ", " — ", "|", "｜", " » ", " « ", "::", " • ", " · ", " ~ ")
MARK_SEPARATORS = (" - ", " – ", " — ", "|", ": ", "; ")
# Every tag and name is set off by one of these: a title without them is clean. A hyphen counts only
# after a space, or after the capitals of a wire tag.
SIGN = re.compile(r"[:：|｜丨»«\[【(（\]】)）…;•·~–—]").search
HYPHEN = re.compile(r"\s-|\A[A-Z]{3}").search
DIGITS = "0123456789"
NUMBER = lazy_pattern(r" [0-9]{1,3}\Z")

_TAGS = {
    name: frozenset(filter(None, map(normalised, tags.split(","))))
    for name, tags in load_word_lists(__package__, "tags.toml").items()
}
REFILE_TAGS, KIND_TAGS = _TAGS["refile"], _TAGS["kind"]
SUFFIX_TAGS = KIND_TAGS | REFILE_TAGS | _TAGS["suffix"]
WIRE_TAGS = REFILE_TAGS | _TAGS["wire"]
EMPTY_TITLES = SUFFIX_TAGS | _TAGS["empty_titles"]


class CleanTitle(NamedTuple):
    """The parts of a title."""

    text: str
    prefix: str | None  # the tags, normalised: "update 2", "breaking"
    tail: str | None  # the publisher, as written
    refiled: bool  # whether a tag says that the article was filed again


class _Cut(NamedTuple):
    """The remaining title, and what was removed: a normalised tag, or a publisher's name."""

    text: str
    mark: str = ""
    name: str = ""


def clean(title: str, source: str | None = None) -> CleanTitle:
    """The title without tags and publisher; `source` is a name or the address of a site.

    >>> clean("UPDATE 2-Ship &amp; crew safe - Port Times")
    CleanTitle(text='Ship & crew safe', prefix='update 2', tail='Port Times', refiled=True)
    >>> clean("Harbour City 2 - Rovers 1").text
    'Harbour City 2 - Rovers 1'
    """
    text = (_decode_entities(title) if "&" in title else title).strip()
    if not (SIGN(text) or ".." in text or ("-" in text and HYPHEN(text))):
        return tuple.__new__(CleanTitle, (text, None, None, False))  # half the time of arguments
    source = source[:REACH] if source else None  # results are cached by source, so keep it short
    marks: list[str] = []
    tail: str | None = None
    for _ in range(PASSES):
        cut = _strip_prefix(text, source) or _strip_suffix(text, source, named=tail is not None)
        if cut is None:
            break
        text = cut.text
        marks += [cut.mark] if cut.mark else []
        tail = tail or cut.name or None
    refiled = any(NUMBER.sub("", mark) in REFILE_TAGS for mark in marks)
    return CleanTitle(text, " ".join(marks) or None, tail, refiled)


def _decode_entities(title: str) -> str:
    """The title with HTML entities decoded twice, as feeds often encode them twice."""
    for _ in range(2):
        if "&" in title:
            title = ENTITY.sub(lambda found: unescape(found[0]), title)
    return title


def _strip_prefix(text: str, source: str | None) -> _Cut | None:
    wire = WIRE_HEAD.match(text)
    if wire and _strip_number(mark := normalised(wire[1])) in WIRE_TAGS:
        return _keep(text[wire.end() :], mark=mark)
    for pattern in HEADS:
        match = pattern.match(text)
        if match is None:
            continue
        mark = normalised(match[1])
        if mark in KIND_TAGS or _strip_number(mark) in REFILE_TAGS:
            return _keep(text[match.end() :], mark=mark)
        if pattern is not DOTS_HEAD and is_well_known(match[1], source, alone=False):
            return _keep(text[match.end() :], name=match[1].strip())
    return None


def _strip_suffix(text: str, source: str | None, *, named: bool) -> _Cut | None:
    end = text[-REACH:]
    before = len(text) - len(end)
    if end.endswith(CLOSING) and (match := BRACKET_TAIL.search(end)):
        name, left = match[1], text[: before + match.start()]
        if (mark := normalised(name)) in SUFFIX_TAGS:
            return _keep(left, mark=mark)
        if is_well_known(name, source):
            return _keep(left, name=name.strip())
    for at, name in _last_parts(end, MARK_SEPARATORS):
        if (mark := normalised(name)) in SUFFIX_TAGS or _is_live_page(name):
            return _keep(text[: before + at], mark=mark)
    for at, name in _last_parts(end, NAME_SEPARATORS):
        if is_publisher(name, source) or (named and normalised(name) in SECTIONS):
            return _keep(text[: before + at], name=name)
    return None


def _last_parts(end: str, separators: tuple[str, ...]) -> Iterator[tuple[int, str]]:
    """The part after the last separator and its offset, if there is a separator."""
    last, behind = 0, 0
    for separator in separators:
        at = end.rfind(separator)
        if at > last:
            last, behind = at, at + len(separator)
    if last > 0:
        yield last, end[behind:].strip()


def _is_live_page(name: str) -> bool:
    """Whether this is the label of a live page: "harbour strike live"."""
    return name.endswith(" live") and name.count(" ") < LONGEST_MARK and name[0] not in DIGITS


def _strip_number(mark: str) -> str:
    return NUMBER.sub("", mark)


def _keep(text: str, *, mark: str = "", name: str = "") -> _Cut | None:
    """The cut, unless too little remains: a title needs two words, or one if a tag was removed."""
    left = text.strip().rstrip("\\").rstrip()  # a separator may have been escaped: "\\|"
    words = normalised(left[: 2 * REACH])
    if not words or (name and " " not in words):
        return None
    return _Cut(left, mark, name)
