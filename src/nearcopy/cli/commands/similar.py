"""`nearcopy similar ID`: what else in a store is like an article."""

from typing import Annotated

import typer

from nearcopy.cli.options import (
    JsonOption,
    PolicyOption,
    PoolOption,
    StoreOption,
    WindowOption,
    store_address,
)
from nearcopy.cli.terminal import add_row, reported, show, table, write_lines
from nearcopy.io.settings import settings


@reported
def similar(
    id_: Annotated[str, typer.Argument(metavar="ID", help="An article in the store.")],
    store: StoreOption = None,
    pool: PoolOption = None,
    limit: Annotated[
        int, typer.Option("--limit", "-n", metavar="N", min=1, help="At most this many.")
    ] = 10,
    policy: PolicyOption = None,
    window: WindowOption = None,
    as_json: JsonOption = False,
) -> None:
    """List what in a store is most like an article of it."""
    from nearcopy.cli.open_store import reading
    from nearcopy.io.serializers.answers import match_row

    with reading(store_address(store), *settings(None, policy, window), pool=pool) as deduper:
        found = deduper.similar(id_, limit=limit)
    if as_json:
        write_lines(map(match_row, found))
        return
    shown = table(
        "score",
        "article",
        "title",
        "host",
        "is",
        "sure",
        numbers=["score", "sure"],
        least=["host", "sure"],
    )
    for each in found:
        add_row(shown, each.score, each.id, each.title, each.host, each.relation, each.confidence)
    show(shown)
