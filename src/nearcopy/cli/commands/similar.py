"""`nearcopy similar`: the articles in a store that are most similar to one of them."""

from nearcopy.cli.options import JsonOption, LimitOption, PolicyOptions, StoreOptions, argument
from nearcopy.cli.tables import add_row, make_table
from nearcopy.cli.terminal import show, write_json_lines


def similar(
    id_: str = argument("ID", "Article in the store."),
    *,
    store: StoreOptions,
    decisions: PolicyOptions,
    limit: LimitOption = 10,
    as_json: JsonOption = False,
) -> None:
    """List the articles most similar to one in a store."""
    from nearcopy.cli.open_store import open_existing
    from nearcopy.io.serializers import match_row

    with open_existing(store, decisions) as deduper:
        matches = deduper.similar(id_, limit=limit)
    if as_json:
        write_json_lines(map(match_row, matches))
        return
    columns = ("score", "article", "title", "host", "is", "sure")
    table = make_table(*columns, numbers=["score", "sure"], optional=["host", "sure"])
    for match in matches:
        origin = match.id, match.title, match.host
        add_row(table, match.score, *origin, match.relation, match.confidence)
    show(table)
