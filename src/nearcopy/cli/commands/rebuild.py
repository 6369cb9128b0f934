"""`nearcopy rebuild`: a store fingerprinted anew, with another recipe or a newer nearcopy."""

from time import perf_counter
from typing import Annotated

import typer

from nearcopy.cli.open_store import ToPoolOption, held_row, held_table, place, two_stores
from nearcopy.cli.options import (
    JsonOption,
    KeepOption,
    PolicyOption,
    PoolOption,
    PresetOption,
    StoreOption,
    ThreadsOption,
    WindowOption,
    store_address,
)
from nearcopy.cli.terminal import counted, noted, reported, show, write_lines
from nearcopy.errors import BadPolicy, StoreError
from nearcopy.io.settings import settings

To = Annotated[
    str | None,
    typer.Option(
        "--to", metavar="ADDRESS", help="The new store, empty; else the same, with --to-pool."
    ),
]


@reported
def rebuild(
    store: StoreOption = None,
    pool: PoolOption = None,
    to: To = None,
    to_pool: ToPoolOption = None,
    preset: PresetOption = None,
    policy: PolicyOption = None,
    window: WindowOption = None,
    keep: KeepOption = None,
    threads: ThreadsOption = 1,
    as_json: JsonOption = False,
) -> None:
    """Fingerprint a store anew, into another store or pool.

    With the recipe of --preset, else with its own, as this nearcopy makes it. The old store stays
    as it is. Stopped at any point and started again, it goes on.
    """
    from nearcopy.cli.progress import Phases
    from nearcopy.maintenance.rebuild import Settings, rebuild

    started = perf_counter()
    recipe, judged = settings(preset, policy, window, keep)
    source, target = store_address(store), _target(to, store, to_pool)
    with two_stores(source, pool, target, to_pool or pool) as (one, other), Phases() as phases:
        stated = one.stated()
        if stated is None:
            raise StoreError(f"{one.address} holds nothing: nobody has added to it yet")
        chosen = Settings(recipe or stated.recipe, judged, threads)
        found = rebuild(one, other, chosen, name=place(source, pool), watch=phases.each)
    for brake in found.retold.braked:
        noted(f"warning: {brake.why}")
    if as_json:
        row = {
            "store": one.address,
            "to": other.address,
            "recipe": {"from": stated.recipe.id, "to": chosen.recipe.id},
            "added": found.added,
            "there": found.there,
            "stories": found.retold.stories,
            "verified": True,
            "records": held_row(found.held),
            "seconds": round(perf_counter() - started, 3),
        }
        write_lines([row])
    else:
        show(held_table(found.held))
    noted(f"recipe {stated.recipe.id} -> {chosen.recipe.id}")
    noted(
        f"{counted(found.added, 'article')} fingerprinted anew, {found.there:,} were there; "
        f"stories of several articles: {found.retold.stories:,}"
    )


def _target(to: str | None, store: str | None, to_pool: str | None) -> str:
    """The address to write: as given, else that of the store, where another pool of it is."""
    if not to and not to_pool:
        raise BadPolicy(
            "where to? Give --to rebuilt.db, or --to-pool NAME for another pool of the same store"
        )
    return store_address(to or store)
