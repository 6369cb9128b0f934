"""Two articles side by side on a terminal, what they share in colours and with numbers."""

from collections.abc import Iterable, Sequence

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from nearcopy.cli.render.evidence import Measure, facts_told, measures
from nearcopy.cli.render.highlights import Piece, rows, titled
from nearcopy.cli.terminal import cell, in_a_line, printable
from nearcopy.match.explain import Explanation
from nearcopy.models.model import Article

COLOURS = ("green", "cyan", "magenta", "yellow", "blue", "bright_green", "bright_cyan")
CLASH = "bold red"


def side_by_side(found: Explanation, a: Article, b: Article) -> RenderableType:
    """The decision, what it rests on, and the two texts in columns."""
    legend = _legend(found)
    return Group(summary(found), _texts(found, a, b), *([Text(legend, "dim")] if legend else []))


def summary(found: Explanation) -> Group:
    """The decision and what it rests on."""
    return Group(_decision(found), _measures(measures(found.evidence)), *_told(found))


def _decision(found: Explanation) -> Text:
    decision = found.decision
    kind = "duplicate" if decision.duplicate else "no duplicate"
    return Text.assemble(
        (str(decision.relation), "bold green" if decision.duplicate else "bold"),
        f", {kind}, confidence {decision.confidence:.2f}, rule {decision.rule}\n",
        printable(decision.reason),
    )


def _measures(taken: Sequence[Measure]) -> Table:
    shown = Table.grid(padding=(0, 2))
    for name, value, meaning in taken:
        shown.add_row(cell(f"  {name}"), Text(value, justify="right"), Text(meaning, "dim"))
    return shown


def _told(found: Explanation) -> Iterable[Text]:
    """A line for what clashes and one for what agrees, where there is any."""
    for told, style in facts_told(found):
        yield Text(in_a_line(told), style)


def _texts(found: Explanation, a: Article, b: Article) -> Table:
    shown = Table(expand=True, header_style="", padding=(0, 1))
    for article in (a, b):
        shown.add_column(_heading(article), ratio=1, overflow="fold")
    shown.add_row(
        _painted(titled(a, [ours for ours, _ in found.clashes]), "bold"),
        _painted(titled(b, [theirs for _, theirs in found.clashes]), "bold"),
        end_section=True,
    )
    for row in rows(found, a, b):
        shown.add_row(_painted(row.left), _painted(row.right))
    return shown


def _heading(article: Article) -> Text:
    when = article.published.isoformat(" ", "minutes") if article.published else None
    about = " · ".join(in_a_line(each) for each in (article.source, when) if each)
    return Text.assemble((in_a_line(article.id), "bold"), f"  {about}" if about else "")


def _painted(pieces: Iterable[Piece], style: str = "") -> Text:
    """The pieces in their colours; the numbers and signs serve where there are none."""
    made = Text(style=style)
    for text, passage, clash in pieces:
        shown = printable(text) if made else printable(text).lstrip()
        if passage and not clash:
            colour = COLOURS[(passage - 1) % len(COLOURS)]
            made.append(f"[{passage}|{shown}]", colour)
        elif clash:
            made.append(f"≠{shown}", CLASH)
        else:
            made.append(shown)
    made.rstrip()
    return made


def _legend(found: Explanation) -> str:
    parts = []
    if found.passages:
        parts.append("[1|...] stands in both, under the same number")
    if found.figures or found.clashes:
        parts.append("≠ another figure or fact stands there in the other")
    return "; ".join(parts)
