"""Filling: a store that is being filled from elsewhere says so until it is whole."""

from nearcopy.errors import StoreError
from nearcopy.stores import Store
from nearcopy.stores.retry import tried

NOTE = "filling"


@tried
def begin(target: Store, what: str) -> bool:
    """Whether the target is ours to fill: empty, which is noted, or half filled by the same.

    One that is half filled from elsewhere is refused.
    """
    with target.writing():
        note = target.note(NOTE)
        if note is not None and note != what:
            raise StoreError(
                f"{target.address} is half of the {note}: finish that first, or give another store"
            )
        if note is None and not _is_empty(target):
            return False
        target.keep_note(NOTE, what)
        return True


def _is_empty(store: Store) -> bool:
    listed = (
        store.ids(),
        store.story_ids(),
        store.all_told(),
        store.acts(limit=1),
        store.redirects(),
        store.times(None),
    )
    return not any(next(iter(items), None) for items in listed)


@tried
def end(target: Store) -> None:
    """The target is whole."""
    with target.writing():
        target.keep_note(NOTE, None)


def refuse_half(store: Store) -> None:
    """Raises where a store is not whole yet."""
    note = tried(store.note)(NOTE)
    if note is not None:
        raise StoreError(
            f"{store.address} is half of the {note}: run that command again, it goes on"
        )
