"""Stores copied into others: all of it, verified, and gone on with after a stop."""

import pytest

import lives
from nearcopy.inventory import KINDS, records
from nearcopy.moving import copy_store
from nearcopy.stores import open_store

LASTING = ("sqlite", "postgres", "redis")
WAYS = [
    *(("sqlite", to) for to in ("memory", *LASTING)),
    *((of, "sqlite") for of in ("memory", "postgres", "redis")),
    ("postgres", "redis"),
    ("redis", "postgres"),
    ("redis", "redis"),
]


@pytest.fixture
def place(request, tmp_path):
    """The address of an empty store of a kind, and of another one of the same."""

    def address(kind: str, number: int = 1) -> str:
        if kind == "sqlite":
            return f"sqlite:///{tmp_path}/{number}.db"
        found = str(request.getfixturevalue(f"{kind}_address"))
        if kind == "redis":
            return f"{found}?prefix=n{number}"
        return found

    return address


@pytest.fixture
def lived(place, tmp_path):
    """A store of a kind that has lived."""
    opened = []

    def of(kind: str):
        if kind == "memory":
            return copied_to_memory()
        address = place(kind)
        lives.live(address)
        opened.append(open_store(address))
        return opened[-1]

    def copied_to_memory():
        opened.append(open_store("memory://"))
        copy_store(of("sqlite"), opened[-1])
        return opened[-1]

    yield of
    for each in opened:
        each.close()


@pytest.mark.parametrize(("of", "to"), WAYS)
def test_everything_is_copied_between_any_two(lived, place, of, to):
    source = lived(of)
    target = open_store(place(to, 2))
    moved = copy_store(source, target)
    assert moved.copied == len(list(source.ids()))
    assert moved.there == 0
    assert list(moved.held) == list(KINDS)
    assert all(each.count for each in moved.held.values())
    assert list(records(source)) == list(records(target))
    target.close()
