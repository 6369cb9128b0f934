"""`nearcopy explain`: the relation of two articles, its evidence, and the texts side by side."""

from pathlib import Path

from nearcopy.cli.inputs import PairOptions, refuse_overwrite
from nearcopy.cli.open_store import store_file
from nearcopy.cli.options import (
    JsonOption,
    PresetOptions,
    argument,
    environment_store,
    option,
    store_address,
)
from nearcopy.cli.terminal import note, show, write_json_lines
from nearcopy.io.files.atomic_write import write_atomic


def explain(
    a: str = argument("A", "A file with one article, an id, or - for stdin."),
    b: str = argument("B", "The other article."),
    *,
    articles: PairOptions,
    decisions: PresetOptions,
    min_words: int = option("N", "Shortest passage to mark.", default=8, min=1, max=1000),
    html: Path | None = option("FILE", "Write a standalone HTML page."),
    as_json: JsonOption = False,
) -> None:
    """Explain the relation of two articles, side by side."""
    from nearcopy.match.explain import explain as explain_pair

    address = articles.store or environment_store()
    file = store_file(store_address(address)) if address else None
    refuse_overwrite([a, b, articles.inside, file], html)
    recipe, policy = decisions.load()
    (left, right), store_recipe = articles.load(a, b)
    explanation = explain_pair(left, right, recipe or store_recipe, policy, min_words=min_words)
    if html is not None:
        from nearcopy.cli.explanation import render_page

        write_atomic(html, render_page(explanation, left, right))
        note(f"wrote {html}")
    if as_json:
        from nearcopy.io.serializers import explanation_row

        write_json_lines([explanation_row(explanation)])
    elif html is None:
        from nearcopy.cli.explanation import render_explanation

        show(render_explanation(explanation, left, right))
