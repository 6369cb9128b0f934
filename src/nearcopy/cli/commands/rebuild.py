"""`nearcopy rebuild`: fingerprint a store again, with another recipe or a newer nearcopy."""

from time import perf_counter

from nearcopy.cli.open_store import inventory_row, inventory_table, open_two_stores, store_label
from nearcopy.cli.options import (
    JsonOption,
    PresetKeepOptions,
    StoreOptions,
    ThreadsOption,
    ToPoolOption,
    option,
    store_address,
)
from nearcopy.cli.terminal import Phases, format_count, note, show, write_json_lines
from nearcopy.errors import BadPolicy, StoreError


def rebuild(
    store: StoreOptions,
    decisions: PresetKeepOptions,
    to: str | None = option("ADDRESS", "New, empty store; or the same, with --to-pool."),
    to_pool: ToPoolOption = None,
    threads: ThreadsOption = 1,
    as_json: JsonOption = False,
) -> None:
    """Fingerprint a store again, into another store or pool.

    The recipe is that of --preset, by default that of the store. The old store is not changed.
    Interrupted at any point and started again, it resumes.
    """
    from nearcopy.maintenance.rebuild import RebuildSettings, rebuild

    started = perf_counter()
    recipe, policy = decisions.load()
    source, target = store.address, _target_address(to, store.store, to_pool)
    places = (source, store.pool, target, to_pool or store.pool)
    with open_two_stores(*places) as (one, other), Phases() as phases:
        settings = one.settings()
        if settings is None:
            raise StoreError(f"{one.address} is empty: add articles to it first")
        chosen = RebuildSettings(recipe or settings.recipe, policy, threads)
        name = store_label(source, store.pool)
        result = rebuild(one, other, chosen, name=name, progress=phases.track)
    for group in result.clusters.oversized:
        note(f"warning: {group.why}")
    if as_json:
        row = {
            "store": one.address,
            "to": other.address,
            "recipe": {"from": settings.recipe.id, "to": chosen.recipe.id},
            "added": result.added,
            "skipped": result.skipped,
            "stories": result.clusters.stories,
            "verified": True,
            "records": inventory_row(result.inventory),
            "seconds": round(perf_counter() - started, 3),
        }
        write_json_lines([row])
    else:
        show(inventory_table(result.inventory))
    note(f"recipe {settings.recipe.id} -> {chosen.recipe.id}")
    note(
        f"{format_count(result.added, 'article')} fingerprinted, {result.skipped:,} already there; "
        f"stories of several articles: {result.clusters.stories:,}"
    )


def _target_address(to: str | None, store: str | None, to_pool: str | None) -> str:
    """The address to write: that of --to, or that of the store for another pool of it."""
    if not to and not to_pool:
        raise BadPolicy(
            "where to? Give --to rebuilt.db, or --to-pool NAME for another pool of the same store"
        )
    return store_address(to or store)
