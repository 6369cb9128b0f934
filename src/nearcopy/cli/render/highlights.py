"""What to mark in two texts shown side by side: passages they share, figures that differ."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from itertools import groupby, pairwise
from typing import NamedTuple

from nearcopy.extract.titles import clean
from nearcopy.kernels.reference.html import strip_html_positions
from nearcopy.match.explain import Explanation
from nearcopy.models.model import Article, Fact


class Span(NamedTuple):
    """A stretch of a text."""

    start: int
    end: int


class Piece(NamedTuple):
    """A stretch of text in one hand."""

    text: str
    passage: int = 0  # the number of the shared passage, from 1; 0 for none
    clash: bool = False  # another figure stands here in the other text


class Row(NamedTuple):
    """What stands side by side."""

    left: tuple[Piece, ...]
    right: tuple[Piece, ...]


class Side(NamedTuple):
    """One of the two texts without its markup, with what each character belongs to."""

    text: str
    spans: list[Span]  # of the passages
    passage: list[int]  # the number of each character's passage
    clash: bytearray  # whether each character is of a figure that differs


def rows(found: Explanation, a: Article, b: Article) -> list[Row]:
    """The two texts in pieces; the passages that come in the same order stand in one row."""
    left = _side(
        a,
        [Span(p.a_start, p.a_end) for p in found.passages],
        [Span(one.start, one.end) for one, _ in found.figures],
    )
    right = _side(
        b,
        [Span(p.b_start, p.b_end) for p in found.passages],
        [Span(other.start, other.end) for _, other in found.figures],
    )
    abreast = _abreast(left.spans, right.spans)
    both = zip(_cut(left, abreast), _cut(right, abreast), strict=True)
    return _with_stops(Row(*each) for each in both)


def titled(article: Article, facts: Iterable[Fact]) -> tuple[Piece, ...]:
    """The title in pieces, the facts that clash marked where they stand."""
    title, clash = article.title, bytearray(len(article.title))
    cleaned = clean(title, article.source).text
    for fact in facts:
        words = cleaned[fact.start : fact.end]
        at = title.find(words) if words else -1
        if at >= 0:
            clash[at : at + len(words)] = b"\1" * len(words)
    return _pieces(Side(title, [], [0] * len(title), clash), 0, len(title))


def _with_stops(rows: Iterable[Row]) -> list[Row]:
    """The rows, those that hold nothing but stops and spaces put at the end of the one before."""
    made: list[Row] = []
    for row in rows:
        speaks = any(each.isalnum() for side in row for piece in side for each in piece.text)
        if speaks or not made:
            made.append(row)
        else:
            made[-1] = Row(made[-1].left + row.left, made[-1].right + row.right)
    return [row for row in made if any(piece.text.strip() for side in row for piece in side)]


def _side(article: Article, passages: list[Span], clashes: list[Span]) -> Side:
    """The text as people read it, with places in the original turned into places in it."""
    text = article.text
    if article.html:
        text, starts, ends = strip_html_positions(text)
        passages = [_placed(span, starts, ends) for span in passages]
        clashes = [_placed(span, starts, ends) for span in clashes]
    numbers, clash = [0] * len(text), bytearray(len(text))
    for number, (start, end) in reversed(list(enumerate(passages, start=1))):
        numbers[start:end] = [number] * (end - start)
    for start, end in clashes:
        clash[start:end] = b"\1" * (end - start)
    return Side(text, passages, numbers, clash)


def _placed(span: Span, starts: list[int], ends: list[int]) -> Span:
    start = bisect_right(ends, span.start)
    return Span(start, max(start, bisect_left(starts, span.end)))


def _abreast(left: Sequence[Span], right: Sequence[Span]) -> list[int]:
    """The most passages that come in the same order in both texts, none within another."""
    run: list[int] = []
    for place in _ascending(left, right):
        last = run[-1] if run else None
        if last is None or (
            left[last].end <= left[place].start and right[last].end <= right[place].start
        ):
            run.append(place)
    return run


def _ascending(left: Sequence[Span], right: Sequence[Span]) -> list[int]:
    """The longest run of passages, in the order of the left, that ascends on the right."""
    lasts: list[int] = []  # where the best run of each length ends on the right
    holders: list[int] = []
    before: dict[int, int | None] = {}
    for place in sorted(range(len(left)), key=lambda place: left[place]):
        at = bisect_left(lasts, right[place].start)
        lasts[at : at + 1], before[place] = [right[place].start], holders[at - 1] if at else None
        holders[at : at + 1] = [place]
    run: list[int] = []
    last = holders[-1] if holders else None
    while last is not None:
        run.append(last)
        last = before[last]
    return run[::-1]


def _cut(side: Side, abreast: Iterable[int]) -> list[tuple[Piece, ...]]:
    """The pieces up to the first of the passages, of that passage, up to the next, and so on."""
    bounds = [0, *(bound for place in abreast for bound in side.spans[place]), len(side.text)]
    return [_pieces(side, start, end) for start, end in pairwise(bounds)]


def _pieces(side: Side, start: int, end: int) -> tuple[Piece, ...]:
    """A stretch of the text in pieces, each in one hand."""
    groups = groupby(range(start, end), key=lambda at: (side.passage[at], side.clash[at]))
    made = []
    for (passage, clash), places in groups:
        first, *rest = places
        last = rest[-1] if rest else first
        made.append(Piece(side.text[first : last + 1], passage, bool(clash)))
    return tuple(made)
