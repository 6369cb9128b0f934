"""`nearcopy retell`: recluster all articles of a store."""

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
from nearcopy.cli.terminal import counted, noted, reported, write_lines
from nearcopy.io.settings import settings


@reported
def retell(
    store: StoreOption = None,
    pool: PoolOption = None,
    learn: Annotated[
        bool,
        typer.Option("--learn", help="Count first how common terms are in this store."),
    ] = False,
    policy: PolicyOption = None,
    window: WindowOption = None,
    as_json: JsonOption = False,
) -> None:
    """Tell all stories anew, as if all articles had come at once."""
    from nearcopy.cli.open_store import reading

    with reading(store_address(store), *settings(None, policy, window), pool=pool) as deduper:
        if learn:
            found = deduper.learn()
            noted(
                f"counted {counted(len(found.hashes), 'common term')}"
                f" in {counted(found.articles, 'article')}: from now on they count less"
            )
        else:
            deduper.retell()
        told = sum(len(story.members) > 1 for story in deduper.stories())
    if as_json:
        write_lines([{"stories": told, "learned": learn}])
    noted(f"stories of several articles: {told:,}")
