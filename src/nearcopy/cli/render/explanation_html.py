"""An explanation as a page of its own: no scripts, nothing to load, all text escaped."""

from collections.abc import Iterable, Iterator
from html import escape

from nearcopy.cli.render.evidence import facts_told, measures
from nearcopy.cli.render.highlights import Piece, rows, titled
from nearcopy.cli.terminal import printable
from nearcopy.match.explain import Explanation
from nearcopy.models.model import Article

HUES = (140, 200, 290, 45, 330, 170, 20, 250)
STYLE = """
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 75rem; padding: 0 1rem; }
h1 { font-size: 1.3rem; margin: 0; } .about, .meaning { opacity: .7; }
table { border-collapse: collapse; } td, th { padding: .15rem .8rem; text-align: start; }
td { vertical-align: top; } .value { font-variant-numeric: tabular-nums; text-align: end; }
.texts { margin-top: 1.5rem; table-layout: fixed; width: 100%; overflow-wrap: anywhere; }
.texts td { white-space: pre-wrap; } .texts th { border-bottom: 1px solid; padding-bottom: .5rem; }
mark { background: hsl(var(--hue) 70% 50% / .25); border-radius: .2rem; color: inherit; }
mark sub { font-size: .65em; opacity: .8; padding: 0 .2em; }
.clash { color: #c62828; font-weight: bold; text-decoration: underline wavy; }
@media (prefers-color-scheme: dark) { .clash { color: #ff8a80; } }
"""
POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def page(found: Explanation, a: Article, b: Article) -> str:
    """The whole page."""
    return "\n".join(_lines(found, a, b)) + "\n"


def _lines(found: Explanation, a: Article, b: Article) -> Iterator[str]:
    decision = found.decision
    yield '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">'
    yield f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield f"<title>{_safe(a.id)} / {_safe(b.id)}: {_safe(decision.relation)}</title>"
    yield f"<style>{STYLE}</style>\n</head>\n<body>"
    kind = "duplicate" if decision.duplicate else "no duplicate"
    yield f"<h1>{_safe(decision.relation)}: {_safe(decision.reason)}</h1>"
    yield (
        f'<p class="about">{kind}, confidence {decision.confidence:.2f}, '
        f"rule {_safe(decision.rule)}</p>"
    )
    yield from _measures(found)
    yield from (f"<p>{_safe(told)}</p>" for told, _ in facts_told(found))
    yield from _texts(found, a, b)
    yield "</body>\n</html>"


def _measures(found: Explanation) -> Iterator[str]:
    yield "<table>"
    for name, value, meaning in measures(found.evidence):
        yield (
            f'<tr><td>{_safe(name)}</td><td class="value">{_safe(value)}</td>'
            f'<td class="meaning">{_safe(meaning)}</td></tr>'
        )
    yield "</table>"


def _texts(found: Explanation, a: Article, b: Article) -> Iterator[str]:
    yield '<table class="texts">\n<tr>'
    for side, article in enumerate((a, b)):
        title = _painted(titled(article, [pair[side] for pair in found.clashes]))
        yield f'<th dir="auto"{_language(article)}>{title}{_about(article)}</th>'
    yield "</tr>"
    for row in rows(found, a, b):
        yield f"<tr>{_text(row.left, a)}{_text(row.right, b)}</tr>"
    yield "</table>"


def _text(pieces: Iterable[Piece], article: Article) -> str:
    return f'<td dir="auto"{_language(article)}>{_painted(pieces)}</td>'


def _about(article: Article) -> str:
    when = article.published.isoformat(" ", "minutes") if article.published else None
    known = [each for each in (article.id, article.source, when, article.url) if each]
    return f'<br><small class="about">{_safe(" · ".join(known))}</small>'


def _language(article: Article) -> str:
    return f' lang="{_safe(article.language)}"' if article.language else ""


def _painted(pieces: Iterable[Piece]) -> str:
    return "".join(map(_piece, pieces))


def _piece(piece: Piece) -> str:
    shown = _safe(piece.text)
    if piece.clash:
        return f'<span class="clash">{shown}</span>'
    if not piece.passage:
        return shown
    hue = HUES[(piece.passage - 1) % len(HUES)]
    return f'<mark style="--hue: {hue}"><sub>{piece.passage}</sub>{shown}</mark>'


def _safe(text: str) -> str:
    return escape(printable(text))
