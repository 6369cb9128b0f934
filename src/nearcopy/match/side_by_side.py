"""Side-by-side layout of two articles: shared passages, figures that differ, what lines up.

The layout is data; a terminal or a page paints it.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from html import escape
from importlib.resources import files
from itertools import groupby, pairwise, takewhile
from typing import NamedTuple

import nearcopy.kernels as kernels
from nearcopy.extract.titles import clean
from nearcopy.kernels.result_types import Numeral, Passage
from nearcopy.models import Article, Fact

MAX_ANCHORS = 300  # longest passages considered for lining up: the chain takes quadratic time
MAX_PUNCTUATION = 3  # characters after a passage that belong to it


class Span(NamedTuple):
    """A range of characters."""

    start: int
    end: int


class Piece(NamedTuple):
    """A stretch of text that is painted in one style."""

    text: str
    passage: int = 0  # the number of the shared passage, from 1; 0 for none
    clash: bool = False  # the other text has another figure here

    @property
    def unshared(self) -> bool:
        """Whether these words occur in this text only."""
        return not (self.passage or self.clash) and any(map(str.isalnum, self.text))


class Row(NamedTuple):
    """What lines up: a shared passage, or the two texts up to the next one."""

    left: tuple[Piece, ...]
    right: tuple[Piece, ...]
    passage: int = 0  # the number of the passage that lines up here; 0 for none
    words: int = 0  # of that passage


@dataclass(frozen=True, slots=True)
class _Side:
    """One text without markup, with its passages and clashes."""

    text: str
    passages: list[Span]
    clashes: list[Span]

    def cut(self, bounds: Sequence[int]) -> list[tuple[Piece, ...]]:
        """The pieces between each two successive bounds."""
        spans = [*self.passages, *self.clashes]
        cuts = sorted({*bounds, *(place for span in spans for place in span)})
        index = {place: n for n, place in enumerate(cuts)}
        numbers, clash = [0] * len(cuts), bytearray(len(cuts))
        for number, (start, end) in reversed(list(enumerate(self.passages, start=1))):
            numbers[index[start] : index[end]] = [number] * (index[end] - index[start])
        for start, end in self.clashes:
            clash[index[start] : index[end]] = b"\1" * (index[end] - index[start])
        rows = []
        for start, end in pairwise(bounds):
            cells = range(index[start], index[end])
            styles = groupby(cells, key=lambda n: (numbers[n], bool(clash[n])))
            ranges = [(style, [*group]) for style, group in styles]
            pieces = (Piece(self._between(cuts, group), *style) for style, group in ranges)
            rows.append(tuple(pieces))
        return rows

    def after(self, span: Span) -> str:
        """The first characters after a passage."""
        return self.text[span.end : span.end + MAX_PUNCTUATION]

    def extend(self, lengths: Iterable[int]) -> "_Side":
        """The side with each passage extended at its end."""
        pairs = zip(self.passages, lengths, strict=True)
        return replace(self, passages=[Span(start, end + n) for (start, end), n in pairs])

    def _between(self, cuts: Sequence[int], cells: Sequence[int]) -> str:
        return self.text[cuts[cells[0]] : cuts[cells[-1] + 1]]


def align(
    a: Article,
    b: Article,
    passages: Sequence[Passage],
    figures: Sequence[tuple[Numeral, Numeral]] = (),
) -> list[Row]:
    """The two texts in rows; passages that come in the same order in both get a row each.

    Passages in another order keep their number inside the row where they occur.
    """
    left = _side(
        a, [(p.a_start, p.a_end) for p in passages], [(n.start, n.end) for n, _ in figures]
    )
    right = _side(
        b, [(p.b_start, p.b_end) for p in passages], [(n.start, n.end) for _, n in figures]
    )
    left, right = _extend_over_punctuation(left, right)
    words = [passage.words for passage in passages]
    anchors = _longest_chain(left.passages, right.passages, words)
    gaps_and_anchors = zip(
        left.cut(_bounds(left, anchors)), right.cut(_bounds(right, anchors)), strict=True
    )
    rows = []
    for n, sides in enumerate(gaps_and_anchors):
        anchor = anchors[n // 2] if n % 2 else None
        rows.append(Row(*sides) if anchor is None else Row(*sides, anchor + 1, words[anchor]))
    return _merge_punctuation(rows)


def title_pieces(article: Article, clashes: Iterable[Fact]) -> tuple[Piece, ...]:
    """The title in pieces, with the facts that clash marked."""
    title, spans = article.title, []
    cleaned = clean(title, article.source).text
    for fact in clashes:
        words = cleaned[fact.start : fact.end]
        start = title.find(words) if words else -1
        if start >= 0:
            spans.append(Span(start, start + len(words)))
    return _Side(title, [], spans).cut([0, len(title)])[0]


def shorten(rows: Iterable[Row], *, max_unshared: int, max_shared: int | None = None) -> list[Row]:
    """The rows with the middle of long pieces left out."""

    def shortened(piece: Piece) -> Piece:
        limit = max_shared if piece.passage else max_unshared
        return piece if limit is None else piece._replace(text=_ends(piece.text, limit))

    return [
        row._replace(left=tuple(map(shortened, row.left)), right=tuple(map(shortened, row.right)))
        for row in rows
    ]


def _ends(text: str, limit: int) -> str:
    if len(text) <= limit:
        return text
    end = limit * 2 // 5
    return f"{text[:end]} … {len(text) - 2 * end:,} characters … {text[-end:]}"


def _side(
    article: Article, passages: list[tuple[int, int]], clashes: list[tuple[int, int]]
) -> _Side:
    """The visible text, with positions in the markup turned into positions in it."""
    if not article.html:
        return _Side(article.text, [Span(*p) for p in passages], [Span(*c) for c in clashes])
    text, starts, ends = kernels.strip_html_positions(article.text)

    def visible(span: tuple[int, int]) -> Span:
        start = bisect_right(ends, span[0])
        return Span(start, max(start, bisect_left(starts, span[1])))

    return _Side(text, [visible(span) for span in passages], [visible(span) for span in clashes])


def _extend_over_punctuation(left: _Side, right: _Side) -> tuple[_Side, _Side]:
    """Both sides, each passage with the punctuation that follows it in both texts."""
    lengths = []
    for a, b in zip(left.passages, right.passages, strict=True):
        following = zip(left.after(a), right.after(b), strict=False)
        shared = takewhile(lambda pair: pair[0] == pair[1] and _is_punctuation(pair[0]), following)
        lengths.append(sum(1 for _ in shared))
    return left.extend(lengths), right.extend(lengths)


def _is_punctuation(character: str) -> bool:
    return not (character.isalnum() or character.isspace())


def _longest_chain(left: Sequence[Span], right: Sequence[Span], words: Sequence[int]) -> list[int]:
    """The passages of the most words that follow each other in both texts."""
    longest = sorted(range(len(words)), key=lambda n: (-words[n], left[n]))[:MAX_ANCHORS]
    order = sorted(longest, key=lambda n: (left[n], right[n]))
    total: dict[int, int] = {}  # words of the best chain that ends with a passage
    previous: dict[int, int | None] = {}
    for place, n in enumerate(order):
        before = [
            m
            for m in order[:place]
            if left[m].end <= left[n].start and right[m].end <= right[n].start
        ]
        best = max(before, default=None, key=total.__getitem__)
        previous[n] = best
        total[n] = words[n] + (0 if best is None else total[best])
    chain: list[int] = []
    last = max(order, default=None, key=total.__getitem__)
    while last is not None:
        chain.append(last)
        last = previous[last]
    return chain[::-1]


def _bounds(side: _Side, anchors: Sequence[int]) -> list[int]:
    """Where each gap and each anchor starts, and the end of the text."""
    return [0, *(place for n in anchors for place in side.passages[n]), len(side.text)]


def _merge_punctuation(rows: Iterable[Row]) -> list[Row]:
    """The rows with those of mere punctuation appended to the row before, and no empty ones."""
    merged: list[Row] = []
    for row in rows:
        text = "".join(piece.text for side in row[:2] for piece in side)
        if any(map(str.isalnum, text)) or not merged:
            merged.append(row)
        else:
            last = merged[-1]
            merged[-1] = last._replace(left=last.left + row.left, right=last.right + row.right)
    return [row for row in merged if any(p.text.strip() for side in row[:2] for p in side)]


TINTS = 4
# Control characters become visible; characters that change the direction of text are dropped.
CONTROLS: dict[int, str] = {
    **dict.fromkeys((*range(32), *range(127, 160)), "\ufffd"),
    **dict.fromkeys((*range(8234, 8239), *range(8294, 8298)), ""),
    ord("\n"): "\n",
    ord("\t"): " ",
}
# For pages that stand alone; those of the service have a style sheet of their own.
STYLE = files(__package__).joinpath("side_by_side.css").read_text("utf-8")


def escape_text(text: object) -> str:
    """The text as HTML that cannot act as markup, nor hide or reorder what is around it."""
    encodable = str(text).encode("utf-8", "replace").decode("utf-8")
    return escape(encodable.translate(CONTROLS))


def paint_rows(rows: Iterable[Row], a: Article, b: Article) -> Iterator[str]:
    """A grid row for each row of the layout."""
    for row in rows:
        shared = " shared" if row.passage else ""
        left, right = _cell(row, row.left, a), _cell(row, row.right, b)
        yield f'<div class="row{shared}">{left}{right}</div>'


def paint_heading(article: Article, clashes: Iterable[Fact]) -> str:
    """The title with the facts that clash marked, and where and when it was published."""
    published = article.published.isoformat(" ", "minutes") if article.published else None
    origin = [part for part in (article.id, article.source, published, article.url) if part]
    title = "".join(
        _clash(piece) if piece.clash else escape_text(piece.text)
        for piece in title_pieces(article, clashes)
    )
    return (
        f'<div dir="auto"{_language(article)}><h3>{title}</h3>'
        f"<small>{escape_text(' · '.join(origin))}</small></div>"
    )


def _cell(row: Row, pieces: Iterable[Piece], article: Article) -> str:
    painted = "".join(_paint(piece, row) for piece in pieces).strip()
    text = painted or '<span class="quiet" dir="ltr">nothing here</span>'
    return f'<div class="text" dir="auto"{_language(article)}>{text}</div>'


def _paint(piece: Piece, row: Row) -> str:
    if piece.clash:
        return _clash(piece)
    text = escape_text(piece.text)
    if piece.passage:
        return _mark(piece, row, text)
    if piece.unshared:
        return f'<ins><span class="hidden" dir="ltr">only here: </span>{text}</ins>'
    return text


def _mark(piece: Piece, row: Row, text: str) -> str:
    """A shared passage with its number, which is the same on both sides."""
    tint = f"tint-{piece.passage % TINTS}"
    if piece.passage == row.passage:
        style, label = tint, f"shared, {row.words:,} word{'s' if row.words != 1 else ''}: "
    else:
        style, label = f"moved {tint}", "shared, elsewhere in the other: "
    hidden = f'<span class="hidden"> {label}</span>'
    badge = f'<span class="badge" dir="ltr">{piece.passage}{hidden}</span>'
    return f'<mark class="{style}">{badge}{text}</mark>'


def _clash(piece: Piece) -> str:
    return f'<span class="clash">{escape_text(piece.text)}</span>'


def _language(article: Article) -> str:
    return f' lang="{escape_text(article.language[:35])}"' if article.language else ""
