"""`nearcopy forget`: remove articles from a store by id."""

from typing import TYPE_CHECKING, Annotated

import typer

from nearcopy.cli.options import JsonOption, PoolOption, StoreOption, YesOption, store_address
from nearcopy.cli.terminal import agreed, counted, in_a_line, noted, reported, write_lines
from nearcopy.errors import NotStored

if TYPE_CHECKING:
    from nearcopy.deduper.deduper import Deduper

SHOWN = 20  # articles named one by one


@reported
def forget(
    ids: Annotated[list[str], typer.Argument(metavar="ID", help="Articles in the store.")],
    store: StoreOption = None,
    pool: PoolOption = None,
    yes: YesOption = False,
    as_json: JsonOption = False,
) -> None:
    """Remove articles, and all that was found about them."""
    from nearcopy.cli.open_store import reading

    address = store_address(store)
    with reading(address, pool=pool) as deduper:
        titles = {each: _title(deduper, each) for each in dict.fromkeys(ids)}
        there = [each for each, title in titles.items() if title is not None]
        missing = [each for each in titles if each not in there]
        _name(titles)
        sure = bool(there) and agreed(
            f"Forget {counted(len(there), 'article')} from {deduper.address}?", yes
        )
        count = deduper.forget(there) if sure else 0
    if as_json:
        write_lines([{"forgotten": count, "ids": there if sure else [], "missing": missing}])
    noted(f"forgot {counted(count, 'article')}")


def _title(deduper: "Deduper", name: str) -> str | None:
    """The title of an article, None where it is not in the store."""
    try:
        return deduper.article(name).title
    except NotStored:
        return None


def _name(titles: dict[str, str | None]) -> None:
    for name, title in list(titles.items())[:SHOWN]:
        noted(f"  {in_a_line(name)}: {'not in the store' if title is None else in_a_line(title)}")
    if len(titles) > SHOWN:
        noted(f"  and {len(titles) - SHOWN} more")
