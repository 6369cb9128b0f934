"""HTML of two articles side by side, for every page that shows them. All text is escaped."""

from collections.abc import Iterable, Iterator
from html import escape

from nearcopy.match.alignment import Piece, Row, title_pieces
from nearcopy.models import Article, Fact

TINTS = 4
# Control characters become visible; characters that change the direction of text are dropped.
CONTROLS: dict[int, str] = {
    **dict.fromkeys((*range(32), *range(127, 160)), "\ufffd"),
    **dict.fromkeys((*range(8234, 8239), *range(8294, 8298)), ""),
    ord("\n"): "\n",
    ord("\t"): " ",
}
# For pages that stand alone; those of the service have a style sheet of their own.
STYLE = """
.row { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 0 2rem; }
.row { overflow-wrap: anywhere; padding: .2rem 0; }
.row h3 { margin: 0; } .row small { opacity: .7; }
.text { white-space: pre-wrap; } .hidden { position: absolute; clip-path: inset(50%); }
.tint-0 { --hue: 140; } .tint-1 { --hue: 200; } .tint-2 { --hue: 290; } .tint-3 { --hue: 45; }
mark { background: hsl(var(--hue) 70% 50% / .25); border-radius: .2rem; color: inherit; }
.moved { outline: 1px dashed; } .badge { font-size: .65em; opacity: .8; padding: 0 .3em; }
ins { text-decoration: underline dotted; text-underline-offset: .2em; }
.clash { color: #c62828; font-weight: bold; text-decoration: underline wavy; }
@media (prefers-color-scheme: dark) { .clash { color: #ff8a80; } }
"""


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
