"""An evaluation as a page of its own: no scripts, nothing to load, all text escaped."""

from collections.abc import Iterator

from nearcopy.evaluate import svg_plots as plots
from nearcopy.evaluate.bootstrap import Measured
from nearcopy.evaluate.mistakes_html import render_mistake
from nearcopy.evaluate.result_types import Cell, Evaluation, Table
from nearcopy.match.alignment_html import STYLE as ALIGNMENT_STYLE
from nearcopy.match.alignment_html import escape_text

POLICY = "default-src 'none'; style-src 'unsafe-inline'"
STYLE = """
:root { color-scheme: light dark; --ink: #1c2733; --paper: #fdfdfc; --quiet: #5d6b78;
  --line: #d5dbe0; --same: #1b7f5c; --others: #c2571a; --curve: #2457a6; --bad: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e8ec; --paper: #14181c; --quiet: #9aa7b3;
  --line: #333c45; --same: #58c99e; --others: #f0995f; --curve: #8ab4f8; --bad: #ff8a80; } }
* { box-sizing: border-box; }
body { background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, sans-serif;
  margin: 1.5rem auto; max-width: 75rem; padding: 0 1rem; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; margin: 0; } h2 { font-size: 1.15rem; margin: 2rem 0 .5rem; }
small, .quiet, dt { color: var(--quiet); }
.cards, .plots { display: flex; flex-wrap: wrap; gap: .75rem; }
.card { border: 1px solid var(--line); border-radius: .5rem; flex: 0 1 8.75rem;
  padding: .5rem .75rem; }
.card b { display: block; font-size: 1.6rem; font-variant-numeric: tabular-nums; }
.wide { overflow-x: auto; } table { border-collapse: collapse; overflow-wrap: normal; }
th, td { border-bottom: 1px solid var(--line); padding: .2rem .7rem; text-align: end;
  font-variant-numeric: tabular-nums; white-space: nowrap; }
th { vertical-align: bottom; } th:first-child, td:first-child { text-align: start; }
td small { display: block; font-size: .75em; }
.plots figure { flex: 1 1 17rem; min-width: 0; }
figure { margin: 0; } figcaption { color: var(--quiet); font-size: .85rem; }
svg { display: block; max-width: 28rem; width: 100%; }
svg text { fill: var(--quiet); font-size: 11px; }
.grid { stroke: var(--line); } .dashed { stroke: var(--quiet); stroke-dasharray: 4 4; }
.curve { fill: none; stroke: var(--curve); stroke-width: 2; } .point { fill: var(--bad); }
.bin { fill: var(--curve); fill-opacity: .65; } .same { fill: var(--same); }
.others { fill: var(--others); } .key::before { content: "■ "; } .key.same { color: var(--same); }
.key.others { color: var(--others); }
.mistake { border: 1px solid var(--line); border-radius: .5rem; margin: .5rem 0;
  padding: .5rem .75rem; }
summary { cursor: pointer; } .score { font-variant-numeric: tabular-nums; }
.titles { color: var(--quiet); display: block; margin-inline-start: 1.2rem; }
.evidence { display: flex; flex-wrap: wrap; gap: .3rem 1.2rem; margin: .5rem 0;
  overflow-wrap: normal; }
.evidence div { display: flex; gap: .4rem; } dd { margin: 0; }
.texts { margin-top: .5rem; max-height: 24rem; overflow: auto; }
"""


def page(found: Evaluation) -> str:
    """The whole page."""
    return "\n".join(_lines(found)) + "\n"


def _lines(found: Evaluation) -> Iterator[str]:
    yield '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">'
    yield f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    title = f"nearcopy eval: {_words(found.kind)}"
    yield f"<title>{title}</title>\n<style>{STYLE}{ALIGNMENT_STYLE}</style>\n</head>"
    yield f"<body>\n<h1>{title}</h1>"
    yield f"<p>{escape_text(found.about)}</p>"
    yield f'<p class="quiet">{_counts(found)}</p>'
    yield from _unknown(found)
    yield from _scores(found)
    yield from _plots(found)
    for table in found.tables:
        yield from _table(table)
    yield from _mistakes(found)
    yield "</body>\n</html>"


def _counts(found: Evaluation) -> str:
    counted = [f"{_words(name)} {count:,}" for name, count in found.counts.items()]
    return escape_text(
        " · ".join(counted + [f"{name} {value}" for name, value in found.settings.items()])
    )


def _unknown(found: Evaluation) -> Iterator[str]:
    if found.unknown:
        yield (
            f"<details><summary>{len(found.unknown):,} ids that no article has</summary>"
            f"<p>{escape_text(', '.join(found.unknown))}</p></details>"
        )


def _scores(found: Evaluation) -> Iterator[str]:
    yield '<div class="cards">'
    for name, each in found.scores.items():
        yield f'<div class="card">{_words(name)}<b>{_number(each.value)}</b>{_interval(each)}</div>'
    if found.best is not None:
        best = found.best
        yield f'<div class="card">best f1<b>{_number(best.f1)}</b>'
        yield f"<small>from a score of {best.score:.2f}</small></div>"
    yield "</div>"
    yield f'<p class="quiet">Small: what 95 of 100 draws of the {found.resampled} give.</p>'


def _plots(found: Evaluation) -> Iterator[str]:
    if not found.lines:
        return
    base = found.counts.get("same", 0) / max(1, found.counts.get("pairs", 0))
    yield '<h2>Scores</h2>\n<div class="plots">'
    yield _figure(
        plots.precision_recall(found.lines, _drawn(found), base),
        "Precision against recall: the dot is where the policy draws its line, dashed is chance.",
    )
    yield _figure(
        plots.calibration(found.bins),
        "Calibration: scores are probabilities where the dots lie on the dashes; large: many.",
    )
    yield _figure(
        plots.histogram(found.histogram),
        'Scores of <span class="key same">the same</span> and of '
        '<span class="key others">others</span>, each as shares of their number.',
    )
    yield "</div>"


def _drawn(found: Evaluation) -> tuple[float, float] | None:
    recall, precision = found.scores["recall"].value, found.scores["precision"].value
    return None if recall is None or precision is None else (recall, precision)


def _figure(drawn: str, caption: str) -> str:
    return f"<figure>{drawn}<figcaption>{caption}</figcaption></figure>"


def _table(table: Table) -> Iterator[str]:
    yield f'<h2>{escape_text(table.title)}</h2>\n<div class="wide"><table>\n<tr>'
    yield from (f"<th>{escape_text(_words(name))}</th>" for name in table.columns)
    yield "</tr>"
    for row in table.rows:
        yield f"<tr>{''.join(f'<td>{_cell(value)}</td>' for value in row)}</tr>"
    yield "</table></div>"


def _cell(value: Cell) -> str:
    if isinstance(value, Measured):
        return f"{_number(value.value)}{_interval(value)}"
    if isinstance(value, float):
        return _number(value)
    return f"{value:,}" if isinstance(value, int) else escape_text(value or "")


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def _interval(each: Measured) -> str:
    if each.low is None or each.high is None:
        return ""
    return f"<small>{each.low:.3f} to {each.high:.3f}</small>"


def _mistakes(found: Evaluation) -> Iterator[str]:
    if found.mistakes:
        yield "<h2>The worst mistakes</h2>"
        yield '<p class="quiet">False alarms surest first, then misses, the least sure first.</p>'
    for each in found.mistakes:
        yield from render_mistake(each)


def _words(name: str) -> str:
    return name.replace("_", " ")
