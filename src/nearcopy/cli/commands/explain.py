"""`nearcopy explain`: the relation of two articles, its evidence, and the texts side by side."""

from pathlib import Path
from typing import Annotated

import typer

from nearcopy.cli.inputs import PairOptions, refuse_overwrite
from nearcopy.cli.open_store import store_file
from nearcopy.cli.options import (
    JsonOption,
    PresetOptions,
    environment_store,
    option,
    store_address,
)
from nearcopy.cli.terminal import note, report_errors, show, write_json_lines
from nearcopy.io.files.atomic_write import write_atomic


@report_errors
def explain(
    a: Annotated[
        str, typer.Argument(metavar="A", help="A file with one article, an id, or - for stdin.")
    ],
    b: Annotated[str, typer.Argument(metavar="B", help="The other article.")],
    articles: PairOptions,
    decisions: PresetOptions,
    min_words: Annotated[
        int,
        typer.Option("--min-words", metavar="N", min=1, max=1000, help="Shortest passage to mark."),
    ] = 8,
    html: Annotated[Path | None, option("--html", "FILE", "Write a standalone HTML page.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Explain the relation of two articles, side by side."""
    from nearcopy.match.explain import explain as explain_pair

    address = articles.store or environment_store()
    file = store_file(store_address(address)) if address else None
    refuse_overwrite([a, b, articles.inside, file], html)
    recipe, policy = decisions.load()
    left, right, store_recipe = articles.load(a, b)
    explanation = explain_pair(left, right, recipe or store_recipe, policy, min_words=min_words)
    if html is not None:
        from nearcopy.cli.render.explanation_html import render_page

        write_atomic(html, render_page(explanation, left, right))
        note(f"wrote {html}")
    if as_json:
        from nearcopy.io.serializers.verdict import explanation_row

        write_json_lines([explanation_row(explanation)])
    elif html is None:
        from nearcopy.cli.render.explanation import render_explanation

        show(render_explanation(explanation, left, right))
