"""Stores copied into others: whole, verified, and resumed after a stop."""

import shutil
import signal
import subprocess
import sys
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from tests.support import aged_store as lives

from nearcopy import RECIPES, Deduper, RecipeMismatch, StoreError
from nearcopy.fingerprint.blocking_keys import VERSION
from nearcopy.maintenance.copy_store import copy_store
from nearcopy.maintenance.store_records import KINDS, compare_stores, records
from nearcopy.stores import integrity, open_store

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
    """The address of an empty store of a kind; by another number another one."""

    def address(kind: str, number: int = 1) -> str:
        if kind == "sqlite":
            return f"sqlite:///{tmp_path}/{number}.db"
        server = str(request.getfixturevalue(f"{kind}_address"))
        return f"{server}?prefix=n{number}" if kind == "redis" else server

    return address


@pytest.fixture
def opened():
    """Opens stores, and closes them in the end."""
    stores = []

    def open_one(address: str, pool: str | None = None):
        stores.append(open_store(address, pool))
        return stores[-1]

    yield open_one
    for store in stores:
        store.close()


@pytest.fixture(scope="module")
def lived_file(tmp_path_factory) -> Path:
    """A SQLite store that has lived, made once and copied for each test."""
    path = tmp_path_factory.mktemp("lived") / "lived.db"
    lives.live(f"sqlite:///{path}")
    assert [file.name for file in path.parent.iterdir()] == [path.name]  # all is in this file
    return path


@pytest.fixture
def lived(place, opened, request):
    """A store of a kind that has lived."""

    def of(kind: str):
        if kind == "memory":
            memory = opened("memory://")
            copy_store(of("sqlite"), memory)
            return memory
        if kind == "sqlite":
            file = request.getfixturevalue("lived_file")
            shutil.copyfile(file, place(kind).removeprefix("sqlite:///"))
        else:
            lives.live(place(kind))
        return opened(place(kind))

    return of


@pytest.fixture
def source(lived):
    return lived("sqlite")


@pytest.mark.parametrize(("of", "to"), WAYS)
def test_everything_is_copied_between_any_two(lived, place, opened, of, to):
    source, target = lived(of), opened(place(to, 2))
    moved = copy_store(source, target)
    ids = list(source.ids())
    assert (moved.copied, moved.skipped) == (len(ids), 0)
    assert list(moved.inventory) == list(KINDS)
    assert all(entry.count for entry in moved.inventory.values())
    assert list(records(source)) == list(records(target))
    assert source.members(ids) == target.members(ids)
    assert source.run_count() == target.run_count() == 4


@pytest.mark.parametrize("to", LASTING)
def test_a_copy_goes_on_as_the_original_would(source, place, opened, to):
    copy_store(source, opened(place(to, 2)))
    answers = []
    for address in (source.address, place(to, 2)):
        with Deduper(address, clock=lambda: lives.NOON) as deduper:
            assert all(check.passed for check in deduper.verify())
            first = deduper.check(lives.harbour("new"))
            added = deduper.add(lives.harbour("new", "Monday", "rot"))
            changes = deduper.retract_feedback("q1", "q2")
            stories = sorted(deduper.stories(), key=lambda story: story.id)
            answers.append((first, added, changes, stories, deduper.story("s-bee98bf120e89063")))
            answers[-1] += (list(deduper.verdicts(story.kept for story in stories)),)
    assert answers[0] == answers[1]
    assert opened(place(to, 2)).runs(["new"]) == {"new": 5}


def test_pools_are_copied_to_pools(place, opened):
    lives.live(place("sqlite"), "sport")
    with Deduper(place("sqlite")) as deduper:
        deduper.add(lives.harbour("of another pool"))
    target = opened(place("sqlite", 2), "arts")
    copy_store(opened(place("sqlite"), "sport"), target)
    assert "of another pool" not in set(target.ids())


def test_a_pool_is_copied_within_its_own_file(source, opened):
    assert copy_store(source, opened(source.address, "again")).copied == 70


# Stopped and started again.


class Stopped(Exception):
    pass


def stopping(phase: str, after: int):
    """Progress that stops the work when this many of a phase are done."""

    def watch(things, named, *, total=None):  # noqa: ARG001
        for number, thing in enumerate(things):
            if (named, number) == (phase, after):
                raise Stopped
            yield thing

    return watch


@pytest.mark.parametrize("to", LASTING)
def test_it_goes_on_where_it_was_stopped(source, place, opened, to):
    target = opened(place(to, 2))
    for after in (30, 50):
        with pytest.raises(Stopped):
            copy_store(source, target, batch_size=8, progress=stopping("copying", after))
    with pytest.raises(Stopped):
        copy_store(source, target, batch_size=8, progress=stopping("verifying", 5))
    moved = copy_store(source, target, batch_size=8)
    assert (moved.copied, moved.skipped) == (0, 70)
    assert target.note(integrity.INCOMPLETE) is None


@pytest.mark.parametrize("to", LASTING)
def test_half_a_copy_is_no_store_yet(source, place, opened, to):
    target = opened(place(to, 2))
    with pytest.raises(Stopped):
        copy_store(source, target, batch_size=8, progress=stopping("copying", 30))
    with pytest.raises(StoreError, match=r"incomplete copy of .*: run that command again"):
        Deduper(place(to, 2))
    with pytest.raises(StoreError, match="incomplete copy"):
        copy_store(target, opened("memory://"))
    with pytest.raises(StoreError, match=r"incomplete copy of .*: finish that first"):
        copy_store(source, target, name="another")


def test_what_changed_in_the_meantime_is_copied_too(source, place, opened):
    target = opened(place("redis", 2))
    with pytest.raises(Stopped):
        copy_store(source, target, batch_size=8, progress=stopping("verifying", 5))
    ids = list(source.ids())
    with Deduper(source.address, clock=lambda: lives.NOON) as deduper:
        deduper.add(replace(deduper.article(ids[0]), text="Something else altogether."))
        deduper.add(replace(deduper.article(ids[-1]), text="The last one is another now."))
        deduper.forget([ids[9], ids[30], "q1"])
        deduper.retract_feedback("q1", "q2")
        deduper.feedback("q2", "q4", same=False)
        deduper.recluster()
        deduper.add(lives.harbour("new"))
    moved = copy_store(source, target, batch_size=8)
    assert moved.skipped < 67
    assert list(records(source)) == list(records(target))


# Each run is a process that this one forks: the modules are imported once.
KILLED = """
import os, signal, sys
from nearcopy.maintenance.copy_store import copy_store
from nearcopy.stores import open_store, redis
from nearcopy.stores.sql import sqlite

of, to, *stops = sys.argv[1:]

def watch_until(stop):
    def watch(things, named, *, total=None):
        for number, thing in enumerate(things):
            if f"{named} {number}" == stop:
                os.kill(os.getpid(), signal.SIGKILL)
            yield thing
    return watch

for stop in stops:
    pid = os.fork()
    if not pid:
        watch = watch_until(stop)
        print(copy_store(open_store(of), open_store(to), batch_size=8, progress=watch).copied)
        sys.exit()
    print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)
"""


@pytest.mark.parametrize("to", LASTING)
def test_killed_anywhere_it_goes_on(source, place, opened, to):
    stops = ["copying 41", "verifying 11", "copying 1000"]
    words = [sys.executable, "-c", KILLED, source.address, place(to, 2), *stops]
    runs = subprocess.run(words, capture_output=True, text=True, check=True)
    killed = str(-signal.SIGKILL)
    assert runs.stdout.split() == [killed, killed, "0", "0"], runs.stderr  # copied, exit code
    target = opened(place(to, 2))
    target.bind(None, VERSION)
    assert compare_stores(source, target).difference is None


def test_a_full_disk_is_told_and_gone_on_from(source, place, opened, tmp_path):
    script = (
        "import resource, sys; from nearcopy.cli import app;"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000)); app(sys.argv[1:])"
    )
    words = [sys.executable, "-c", script, "copy-store", source.address, f"{tmp_path}/2.db"]
    full = subprocess.run(words, capture_output=True, text=True, check=False)
    assert full.returncode == 2
    assert "2.db: database or disk is full" in full.stderr or "disk I/O error" in full.stderr
    name = f"sqlite:///{Path(source.address.removeprefix('sqlite:///')).resolve()}"
    moved = copy_store(source, opened(place("sqlite", 2)), name=name)
    assert moved.inventory["articles"].count == 70


# Refused.


def test_a_copy_that_is_there_is_found_to_be_the_same(source, place, opened):
    target = opened(place("sqlite", 2))
    copy_store(source, target)
    moved = copy_store(source, target)
    assert (moved.copied, moved.skipped) == (0, 70)


def test_a_target_that_holds_other_things_is_refused(source, place, opened):
    with Deduper(place("sqlite", 2)) as deduper:
        deduper.add(lives.harbour("mine"))
    target = opened(place("sqlite", 2))
    with pytest.raises(StoreError, match=r"holds other things already .*article 'mine'"):
        copy_store(source, target)
    assert list(target.ids()) == ["mine"]
    assert target.note(integrity.INCOMPLETE) is None


def test_a_target_of_another_recipe_is_refused(source, place, opened):
    Deduper(place("sqlite", 2), RECIPES["feed"]).close()
    with pytest.raises(RecipeMismatch):
        copy_store(source, opened(place("sqlite", 2)))


def test_a_source_that_nobody_has_filled_is_refused(place, opened):
    with pytest.raises(StoreError, match="holds nothing"):
        copy_store(opened(place("sqlite")), opened("memory://"))


def test_a_target_that_keeps_no_texts_is_refused_and_left_empty(source, place, opened):
    target = opened(place("redis") + "&keep=fingerprints")
    with pytest.raises(StoreError, match="does not keep articles as they came"):
        copy_store(source, target)
    assert list(target.ids()) == []


@pytest.mark.parametrize(("keep", "preset"), [("fingerprints", "default"), ("sketches", "crawler")])
def test_without_texts_a_store_is_copied_into_its_like(place, opened, keep, preset):
    address = f"{place('redis')}&keep={keep}"
    with Deduper(address, RECIPES[preset]) as deduper:
        deduper.add(lives.harbour("a", url="https://example.org/a"))
        deduper.add(lives.harbour("b"))
    for to in (f"{place('redis', 2)}&keep={keep}", place("sqlite", 2)):
        assert copy_store(opened(address), opened(to)).copied == 2


def test_what_differs_in_the_end_is_named(source, opened, monkeypatch):
    target = opened("memory://")
    monkeypatch.setattr(target, "save_edges", lambda _: None)
    with pytest.raises(StoreError, match=r"not the same: the first has edge '.+ / .+' where"):
        copy_store(source, target)
    assert target.note(integrity.INCOMPLETE) is not None


def test_a_difference_within_a_record_is_shown(source, opened, monkeypatch):
    target = opened("memory://")
    put = target.save_articles

    def altered(entries, runs=None):
        put([e._replace(article=replace(e.article, language="xx")) for e in entries], runs)

    monkeypatch.setattr(target, "save_articles", altered)
    monkeypatch.setattr("nearcopy.maintenance.copy_store.refuse_lossy", lambda *_: None)
    with pytest.raises(StoreError, match=r"article '.+' differs: the first has .* the other .*xx"):
        copy_store(source, target)


def test_articles_of_redis_stay_for_the_window_of_the_source(lived, place, opened):
    source, target = lived("redis"), opened(place("redis", 2))
    copy_store(source, target, window=timedelta(days=3))
    assert target.settings().window == source.settings().window == timedelta(days=14)


@pytest.mark.parametrize("window", [None, timedelta(days=3)])
def test_else_for_the_one_asked_for_or_for_ever(source, place, opened, window):
    target = opened(place("redis", 2))
    copy_store(source, target, window=window)
    assert target.settings().window == window
