"""`nearcopy explain A B`: why two articles are what they are to each other."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from nearcopy.cli.inputs import InOption, two
from nearcopy.cli.options import (
    IdsStoreOption,
    JsonOption,
    PolicyOption,
    PoolOption,
    PresetOption,
    WindowOption,
    environment_store,
    store_address,
)
from nearcopy.cli.overwrite_guard import refuse_overwrite, store_file
from nearcopy.cli.terminal import note, report_errors, show, write_json_lines
from nearcopy.io.files.atomic_write import write_atomic
from nearcopy.io.settings import settings

if TYPE_CHECKING:
    from nearcopy.match.explain import Explanation
    from nearcopy.models import Article

A = Annotated[
    str, typer.Argument(metavar="A", help="A file with one article, an id, or - for stdin.")
]
B = Annotated[str, typer.Argument(metavar="B", help="The other one.")]
MinWords = Annotated[
    int,
    typer.Option("--min-words", metavar="N", min=1, max=1000, help="The shortest passage to mark."),
]
HtmlFile = Annotated[
    Path | None,
    typer.Option("--html", metavar="FILE", help="Write a page of its own, to open or to send."),
]


@report_errors
def explain(
    a: A,
    b: B,
    inside: InOption = None,
    store: IdsStoreOption = None,
    pool: PoolOption = None,
    preset: PresetOption = None,
    policy: PolicyOption = None,
    window: WindowOption = None,
    min_words: MinWords = 8,
    html: HtmlFile = None,
    as_json: JsonOption = False,
) -> None:
    """Show two articles side by side, and which rule decided."""
    from nearcopy.match.explain import explain as explained

    address = store or environment_store()
    refuse_overwrite([a, b, inside, store_file(store_address(address)) if address else None], html)
    recipe, judged = settings(preset, policy, window)
    left, right, its_recipe = two(a, b, inside, store, pool)
    found = explained(left, right, recipe or its_recipe, judged, min_words=min_words)
    if html is not None:
        _write_page(html, found, left, right)
    if as_json:
        from nearcopy.io.serializers.answers import explanation_row

        write_json_lines([explanation_row(found)])
    elif html is None:
        from nearcopy.cli.render.side_by_side import side_by_side

        show(side_by_side(found, left, right))


def _write_page(file: Path, found: "Explanation", a: "Article", b: "Article") -> None:
    from nearcopy.cli.render.explanation_html import render_page

    write_atomic(file, render_page(found, a, b))
    note(f"wrote {file}")
