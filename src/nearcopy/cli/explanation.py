"""An explanation on a terminal, and as a standalone HTML page.

Both show the decision, its evidence, and the two texts side by side.
"""

from collections.abc import Iterable, Iterator
from importlib.resources import files

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from nearcopy.cli.tables import render_cell
from nearcopy.cli.terminal import one_line, printable
from nearcopy.extract.facts import describe_fact
from nearcopy.match.explain import Explanation
from nearcopy.match.side_by_side import (
    STYLE,
    Piece,
    align,
    escape_text,
    paint_heading,
    paint_rows,
    title_pieces,
)
from nearcopy.models import MAIN_MEASUREMENTS, MEASUREMENTS, Article, Evidence, FactPair

PAGE_STYLE = files(__package__).joinpath("explanation.css").read_text("utf-8")
CONTENT_SECURITY_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
COLOURS = ("green", "cyan", "magenta", "yellow", "blue", "bright_green", "bright_cyan")
CLASH = "bold red"
MAX_FIGURES = 12  # that differ, in one line


def list_measures(evidence: Evidence) -> Iterator[tuple[str, str, str]]:
    """The main measurements that have a value: name, value and meaning."""
    for name in MAIN_MEASUREMENTS["explanation"]:
        value, meaning = getattr(evidence, name), MEASUREMENTS[name].meaning
        if value is None or value is False or value == "":
            continue
        if isinstance(value, float):
            yield name, f"{value:.1f}" if name == "hours_apart" else f"{value:.2f}", meaning
        elif isinstance(value, str):
            yield name, "yes", f"{meaning}: {value}"
        else:
            yield name, "yes" if value is True else str(value), meaning


def describe_facts(explanation: Explanation) -> Iterator[tuple[str, str]]:
    """Lines with their styles: facts that clash, figures that moved, facts that agree."""
    if explanation.clashes:
        yield f"Facts that clash: {_join_pairs(explanation.clashes)}", "red"
    if explanation.figures:
        pairs = explanation.figures[:MAX_FIGURES]
        figures = ", ".join(f"{one.value} / {other.value}" for one, other in pairs)
        yield f"Figures that differ in the same context: {figures}", "red"
    if explanation.evidence.moved:
        yield f"Figures that an update moves: {_join_pairs(explanation.evidence.moved)}", "yellow"
    if explanation.agreements:
        facts = "; ".join(describe_fact(fact) for fact, _ in explanation.agreements)
        yield f"Facts that agree: {facts}", "green"


def _join_pairs(pairs: tuple[FactPair, ...]) -> str:
    return "; ".join(f"{describe_fact(a)} / {describe_fact(b)}" for a, b in pairs)


def render_explanation(explanation: Explanation, a: Article, b: Article) -> RenderableType:
    """The decision, its evidence, and the two texts in columns."""
    legend = _legend(explanation)
    return Group(
        render_summary(explanation),
        _texts(explanation, a, b),
        *([Text(legend, "dim")] if legend else []),
    )


def render_summary(explanation: Explanation) -> Group:
    """The decision and its evidence; a line for facts that clash, and one for those that agree."""
    facts = (Text(one_line(line), style) for line, style in describe_facts(explanation))
    return Group(_decision(explanation), _measures(explanation), *facts)


def _decision(explanation: Explanation) -> Text:
    decision = explanation.decision
    kind = "duplicate" if decision.duplicate else "no duplicate"
    return Text.assemble(
        (str(decision.relation), "bold green" if decision.duplicate else "bold"),
        f", {kind}, confidence {decision.confidence:.2f}, rule {decision.rule}\n",
        printable(decision.reason),
    )


def _measures(explanation: Explanation) -> Table:
    table = Table.grid(padding=(0, 2))
    for name, value, meaning in list_measures(explanation.evidence):
        table.add_row(render_cell(f"  {name}"), Text(value, justify="right"), Text(meaning, "dim"))
    return table


def _texts(explanation: Explanation, a: Article, b: Article) -> Table:
    table = Table(expand=True, header_style="", padding=(0, 1))
    for article in (a, b):
        table.add_column(_heading(article), ratio=1, overflow="fold")
    table.add_row(
        _paint(title_pieces(a, [fact for fact, _ in explanation.clashes]), "bold"),
        _paint(title_pieces(b, [fact for _, fact in explanation.clashes]), "bold"),
        end_section=True,
    )
    for row in align(a, b, explanation.passages, explanation.figures):
        table.add_row(_paint(row.left), _paint(row.right))
    return table


def _heading(article: Article) -> Text:
    published = article.published.isoformat(" ", "minutes") if article.published else None
    origin = " · ".join(one_line(part) for part in (article.source, published) if part)
    return Text.assemble((one_line(article.id), "bold"), f"  {origin}" if origin else "")


def _paint(pieces: Iterable[Piece], style: str = "") -> Text:
    """The pieces in colour; numbers and signs carry the same where there is no colour."""
    painted = Text(style=style)
    for text, passage, clash in pieces:
        visible = printable(text) if painted else printable(text).lstrip()
        if passage and not clash:
            colour = COLOURS[(passage - 1) % len(COLOURS)]
            painted.append(f"[{passage}|{visible}]", colour)
        elif clash:
            painted.append(f"≠{visible}", CLASH)
        else:
            painted.append(visible)
    painted.rstrip()
    return painted


def _legend(explanation: Explanation) -> str:
    parts = []
    if explanation.passages:
        parts.append("[1|...] shared passage, with the same number in both")
    if explanation.figures or explanation.clashes:
        parts.append("≠ the other has another figure or fact here")
    return "; ".join(parts)


def render_page(explanation: Explanation, a: Article, b: Article) -> str:
    """A standalone HTML page: no scripts, no external resources, text escaped."""
    return "\n".join(_page_lines(explanation, a, b)) + "\n"


def _page_lines(explanation: Explanation, a: Article, b: Article) -> Iterator[str]:
    decision = explanation.decision
    relation, rule = escape_text(decision.relation), escape_text(decision.rule)
    kind = "duplicate" if decision.duplicate else "no duplicate"
    yield '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">'
    yield f'<meta http-equiv="Content-Security-Policy" content="{CONTENT_SECURITY_POLICY}">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield f"<title>{escape_text(a.id)} / {escape_text(b.id)}: {relation}</title>"
    yield f"<style>\n{PAGE_STYLE}{STYLE}</style>\n</head>\n<body>"
    yield f"<h1>{relation}: {escape_text(decision.reason)}</h1>"
    yield f'<p class="about">{kind}, confidence {decision.confidence:.2f}, rule {rule}</p>'
    yield from _page_measures(explanation)
    yield from (f"<p>{escape_text(line)}</p>" for line, _ in describe_facts(explanation))
    headings = (
        paint_heading(article, [pair[side] for pair in explanation.clashes])
        for side, article in enumerate((a, b))
    )
    yield f'<div class="row heads">{"".join(headings)}</div>'
    yield from paint_rows(align(a, b, explanation.passages, explanation.figures), a, b)
    yield "</body>\n</html>"


def _page_measures(explanation: Explanation) -> Iterator[str]:
    yield "<table>"
    for name, value, meaning in list_measures(explanation.evidence):
        yield (
            f'<tr><td>{escape_text(name)}</td><td class="value">{escape_text(value)}</td>'
            f'<td class="meaning">{escape_text(meaning)}</td></tr>'
        )
    yield "</table>"
