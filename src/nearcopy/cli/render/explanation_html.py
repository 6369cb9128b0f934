"""An explanation as a standalone HTML page: no scripts, no external resources, text escaped."""

from collections.abc import Iterator

from nearcopy.cli.render.explanation import describe_facts, list_measures
from nearcopy.match.explain import Explanation
from nearcopy.match.side_by_side import STYLE, align, escape_text, paint_heading, paint_rows
from nearcopy.models import Article

PAGE_STYLE = """
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 75rem; padding: 0 1rem; }
h1 { font-size: 1.3rem; margin: 0; } .about, .meaning { opacity: .7; }
table { border-collapse: collapse; } td { padding: .15rem .8rem; vertical-align: top; }
.value { font-variant-numeric: tabular-nums; text-align: end; }
.heads { border-bottom: 1px solid; margin-top: 1.5rem; }
"""
CONTENT_SECURITY_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def render_page(explanation: Explanation, a: Article, b: Article) -> str:
    """The whole page."""
    return "\n".join(_lines(explanation, a, b)) + "\n"


def _lines(explanation: Explanation, a: Article, b: Article) -> Iterator[str]:
    decision = explanation.decision
    relation, rule = escape_text(decision.relation), escape_text(decision.rule)
    kind = "duplicate" if decision.duplicate else "no duplicate"
    yield '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">'
    yield f'<meta http-equiv="Content-Security-Policy" content="{CONTENT_SECURITY_POLICY}">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield f"<title>{escape_text(a.id)} / {escape_text(b.id)}: {relation}</title>"
    yield f"<style>{PAGE_STYLE}{STYLE}</style>\n</head>\n<body>"
    yield f"<h1>{relation}: {escape_text(decision.reason)}</h1>"
    yield f'<p class="about">{kind}, confidence {decision.confidence:.2f}, rule {rule}</p>'
    yield from _measures(explanation)
    yield from (f"<p>{escape_text(line)}</p>" for line, _ in describe_facts(explanation))
    headings = (
        paint_heading(article, [pair[side] for pair in explanation.clashes])
        for side, article in enumerate((a, b))
    )
    yield f'<div class="row heads">{"".join(headings)}</div>'
    yield from paint_rows(align(a, b, explanation.passages, explanation.figures), a, b)
    yield "</body>\n</html>"


def _measures(explanation: Explanation) -> Iterator[str]:
    yield "<table>"
    for name, value, meaning in list_measures(explanation.evidence):
        yield (
            f'<tr><td>{escape_text(name)}</td><td class="value">{escape_text(value)}</td>'
            f'<td class="meaning">{escape_text(meaning)}</td></tr>'
        )
    yield "</table>"
