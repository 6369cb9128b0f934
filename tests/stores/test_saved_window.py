"""The window on disk: it finds what the store finds without it, whatever happens to its files."""

import os
import random
import shutil
import signal
import subprocess
import sys
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nearcopy import Article, Recipe
from nearcopy.fingerprint.blocking_keys import VERSION
from nearcopy.fingerprint.fingerprint import fingerprints
from nearcopy.stores import StoredArticle, open_store, saved_window, window_files
from nearcopy.stores.base import Probe
from nearcopy.stores.sql.sqlite import SqliteDatabase, SqliteStore

NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)
WINDOW = timedelta(days=3)
UNSAVED = 20  # articles in memory, from which on they are saved
(PRINT,) = fingerprints([Article(id="a", text="one two three")], Recipe())


@pytest.fixture(autouse=True)
def saved_early(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(saved_window, "MAX_UNSAVED", UNSAVED)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "seen.db"


def opened(place: Path | str) -> Any:
    """The store in a file, or at an address."""
    store = open_store(place if isinstance(place, str) else f"sqlite:///{place}")
    store.bind(Recipe(), VERSION)
    return store


def without_files(place: Path | str) -> Any:
    """The same store, which reads the window from the store as if nothing else were there."""
    store = opened(place)
    window_of(store)._saved._files = None
    return store


def window_of(store: Any) -> Any:
    return store.session.window if hasattr(store, "session") else store.window


def folder_of(path: Path) -> Path:
    return path.with_name(path.name + "-window") / "default"


def runs_in(path: Path) -> list[Path]:
    return sorted(folder_of(path).glob("*.run"))


def stored(name: str, keys: list[int], days: float | None, seen: float = 0.0) -> StoredArticle:
    """An article of these keys, dated so many days from noon."""
    published = None if days is None else NOON + timedelta(days=days)
    times = {"published": published, "seen": NOON + timedelta(days=seen)}
    article = Article(id=name, text=name, **times)
    print_ = replace(PRINT, id=name, **times)
    return StoredArticle(article, print_, np.array(sorted({2 * key for key in keys}), np.uint64))


def probe(keys: list[int], days: float | None, seen: float = 0.0) -> Probe:
    item = stored("probe", keys, days, seen)
    return item.fingerprint, item.keys


def save(store: Any, *articles: StoredArticle) -> None:
    with store.transaction():
        store.save_articles(articles)


def find(store: Any, asked: Probe, window: timedelta | None = WINDOW) -> list[str]:
    with store.snapshot():
        (found,) = store.find_candidates([asked], window)
    return [fingerprint.id for fingerprint in found.candidates]


def filled(path: Path, count: int = 100) -> Any:
    """A store whose window is on disk: article i has the keys i and 1000."""
    store = opened(path)
    for start in range(0, count, 10):
        save(store, *(stored(f"a{i}", [i, 1000], i / count) for i in range(start, start + 10)))
        find(store, probe([1], 0.5))
    assert runs_in(path)
    return store


EVERYTHING = [f"a{i}" for i in range(100)]


def test_a_small_window_is_not_kept_on_disk(path: Path) -> None:
    store = opened(path)
    save(store, *(stored(f"a{i}", [i], 0) for i in range(UNSAVED)))
    assert find(store, probe([1], 0)) == ["a1"]
    assert not folder_of(path).exists()


def test_a_fresh_process_maps_what_another_saved_and_reads_the_rest(path: Path) -> None:
    first = filled(path)
    save(first, stored("new", [5, 7], 0.1))
    second = opened(path)
    assert find(second, probe([5, 1000], 0)) == [*EVERYTHING, "new"]
    cache = second.window.cache
    assert cache.mapped > 60
    assert len(cache.index) == 101


def test_runs_are_few_and_hold_each_article_once(path: Path) -> None:
    store = filled(path, 1000)
    chain = chain_of(path)
    sizes = [run.articles for run in chain.runs]
    assert 1000 - 2 * UNSAVED <= sum(sizes) <= 1000
    assert all(larger > 2 * smaller for larger, smaller in pairwise(sizes))
    assert len(runs_in(path)) == len(sizes)
    assert len(store.window.cache.index) == 1000


def test_days_that_no_query_needs_any_more_are_dropped(path: Path) -> None:
    store = opened(path)
    for day in range(40):
        save(store, *(stored(f"{day}-{i}", [i], day, seen=day) for i in range(10)))
        assert find(store, probe([3], day, seen=day)) == [
            f"{d}-3" for d in range(max(0, day - 3), day + 1)
        ]
    assert sum(run.articles for run in chain_of(path).runs) < 200
    assert len(store.window.cache.index) < 200


def test_a_wider_window_is_saved_as_well(path: Path) -> None:
    store = opened(path)
    save(store, *(stored(f"a{i}", [1000], -i / 10) for i in range(100)))
    for window in (WINDOW, timedelta(days=30)):
        find(store, probe([1000], 0), window)
    assert opened_size(path) == 100
    assert find(opened(path), probe([1000], 0), timedelta(days=30)) == EVERYTHING


def opened_size(path: Path) -> int:
    """The number of articles that a fresh process maps."""
    store = opened(path)
    find(store, probe([1], 0))
    return store.window.cache.mapped


# --- Files that are gone, damaged, or of something else ------------------------------------------


def checked_again(path: Path, caplog: pytest.LogCaptureFixture, reason: str) -> None:
    """A fresh process finds everything, says why it reads all, and saves it again."""
    caplog.clear()
    store = opened(path)
    assert find(store, probe([1000], 0.5)) == EVERYTHING
    assert reason in caplog.text
    store.close()
    assert opened_size(path) == 100


@pytest.mark.parametrize("place", ["numbers", "published", "seen", "titles", "sums", "starts"])
def test_a_run_that_is_damaged_before_its_entries_is_made_again(
    path: Path, caplog: pytest.LogCaptureFixture, place: str
) -> None:
    saved_whole(path)
    (run,) = runs_in(path)
    (file,) = chain_of(path).runs
    at = ["numbers", "published", "seen", "titles", "sums", "starts"].index(place)
    ends = [*(file.articles * column for column in range(5)), 4 * file.articles + file.blocks]
    flip(run, 8 * ends[at] + 3)
    checked_again(path, caplog, "does not have its checksum")


@pytest.mark.parametrize("byte", [-1, -8 * 40, -8 * 99 + 5])
def test_a_run_with_damaged_entries_is_made_again(
    path: Path, caplog: pytest.LogCaptureFixture, byte: int
) -> None:
    saved_whole(path)
    flip(runs_in(path)[0], byte)
    checked_again(path, caplog, "do not have their checksum")


@pytest.mark.parametrize("name", ["chain.json", "*.run"])
@pytest.mark.parametrize("size", [0, 100])
def test_a_file_that_is_cut_short_is_made_again(
    path: Path, caplog: pytest.LogCaptureFixture, name: str, size: int
) -> None:
    saved_whole(path)
    (file,) = folder_of(path).glob(name)
    os.truncate(file, size)
    checked_again(path, caplog, "is made again")


def test_a_chain_that_is_damaged_is_made_again(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    saved_whole(path)
    flip(folder_of(path) / "chain.json", 60)
    checked_again(path, caplog, "it does not have its digest")


def test_a_run_that_is_gone_is_made_again(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    saved_whole(path)
    runs_in(path)[0].unlink()
    checked_again(path, caplog, "No such file")


def test_files_may_be_deleted_while_they_are_in_use(path: Path) -> None:
    store = filled(path)
    shutil.rmtree(folder_of(path))
    assert find(store, probe([1000], 0.5)) == EVERYTHING
    save(store, *(stored(f"b{i}", [2000], 0.5) for i in range(2 * UNSAVED)))
    assert len(find(store, probe([2000], 0.5))) == 2 * UNSAVED
    assert opened_size(path) == 100 + 2 * UNSAVED


def test_files_of_another_store_are_not_used(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    saved_whole(path)
    other = path.with_name("other.db")
    store = opened(other)
    save(store, *(stored(f"a{i}", [i, 1000], i / 100) for i in range(100)))
    store.close()
    path.unlink()
    other.rename(path)
    checked_again(path, caplog, "it is of another store")


def test_files_of_an_older_recipe_are_not_used(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    saved_whole(path)
    database = SqliteDatabase(f"sqlite:///{path}")
    database.run("UPDATE settings SET value = '999' WHERE name = 'keys'")
    database.close()
    store = SqliteStore(f"sqlite:///{path}")
    assert find(store, probe([1000], 0.5)) == EVERYTHING
    assert "it is of another store, recipe or version" in caplog.text


@pytest.mark.parametrize("added", [0, 10, 100])
def test_a_backup_that_was_restored_is_noticed(
    path: Path, caplog: pytest.LogCaptureFixture, added: int
) -> None:
    store = opened(path)
    save(store, *(stored(f"a{i}", [1000], 0) for i in range(60)))
    find(store, probe([1000], 0))
    store.close()
    shutil.copy(path, path.with_name("backup.db"))
    store = opened(path)
    save(store, *(stored(f"lost{i}", [1000], 0) for i in range(60)))
    find(store, probe([1000], 0))
    store.close()
    assert opened_size(path) == 120
    path.with_name("backup.db").rename(path)
    store = without_files(path)
    for at in range(0, added, 10):
        save(store, *(stored(f"new{i}", [1000, i], 0) for i in range(at, at + 10)))
    expected = find(store, probe([1000], 0), None)
    store.close()
    assert len(expected) == 60 + added
    assert find(opened(path), probe([1000], 0), None) == expected
    assert opened_size(path) >= 60
    if added == 100:
        assert "it is of other articles" in caplog.text


def test_removed_articles_leave_the_files_when_these_are_merged(path: Path) -> None:
    store = filled(path)
    with store.transaction():
        store.remove(EVERYTHING[:50])
    assert find(opened(path), probe([1000], 0.5)) == EVERYTHING[50:]
    save(store, *(stored(f"b{i}", [1000], 0.5) for i in range(100)))
    assert find(store, probe([7], 0.5)) == []
    assert opened_size(path) == 150


def test_when_all_newest_articles_are_gone_it_is_made_again(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    saved_whole(path)
    store = without_files(path)
    with store.transaction():
        store.remove(EVERYTHING)
    save(store, *(stored(f"b{i}", [1000], 0.5) for i in range(30)))
    store.close()
    assert len(find(opened(path), probe([1000], 0.5))) == 30
    assert "its newest articles are gone" in caplog.text


def test_a_folder_that_cannot_be_written_is_done_without(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    folder_of(path).parent.write_text("a file in the place of the folder")
    store = opened(path)
    save(store, *(stored(f"a{i}", [1000], 0) for i in range(100)))
    assert find(store, probe([1000], 0)) == EVERYTHING
    assert find(store, probe([1000], 0)) == EVERYTHING
    assert caplog.text.count("the window is not kept on disk") == 1


def test_a_full_disk_is_done_without(
    path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(window_files.WindowFiles, "write_run", full)
    store = opened(path)
    save(store, *(stored(f"a{i}", [1000], 0) for i in range(100)))
    assert find(store, probe([1000], 0)) == EVERYTHING
    assert "No space left" in caplog.text
    assert not list(folder_of(path).iterdir())


def test_entries_damaged_while_in_use_are_noticed(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    saved_whole(path)
    store = opened(path)
    asked = probe([], 0.5)
    find(store, asked)  # maps the run, reads no entry of it
    assert store.window.cache.mapped == 100
    flip(runs_in(path)[0], -20)
    with store.transaction():
        store.save_articles([stored("late", [1000], 0.5)])
        (found,) = store.find_candidates([probe([1000], 0.5)], WINDOW)
    assert [item.id for item in found.candidates] == [*EVERYTHING, "late"]
    assert "do not have their checksum" in caplog.text


def saved_whole(path: Path) -> None:
    """A store of 100 articles, all in one run."""
    store = opened(path)
    save(store, *(stored(f"a{i}", [i, 1000], i / 100) for i in range(100)))
    find(store, probe([1], 0.5))
    store.close()
    assert opened_size(path) == 100


def chain_of(path: Path) -> window_files.Chain:
    chain = window_files.WindowFiles(folder_of(path)).read_chain()
    assert chain
    return chain


def flip(file: Path, place: int) -> None:
    """Change one byte of a file in place, as a failing disk would."""
    with file.open("r+b") as opened_file:
        place = opened_file.seek(place, 0 if place >= 0 else 2)
        (byte,) = opened_file.read(1)
        opened_file.seek(place)
        opened_file.write(bytes([byte ^ 4]))


# --- Servers ------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["postgres", "redis"])
def test_the_window_of_a_server_is_in_the_cache_folder_of_the_user(
    kind: str,
    request: pytest.FixtureRequest,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    address = request.getfixturevalue(f"{kind}_address")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    first, second = opened(address), opened(address)
    save(first, *(stored(f"a{i}", [i, 1000], i / 100) for i in range(100)))
    assert find(first, probe([1000], 0.5)) == EVERYTHING
    (run,) = tmp_path.glob("nearcopy/windows/*/*.run")
    assert find(second, probe([1000], 0.5)) == EVERYTHING
    assert window_of(second).cache.mapped == 100
    save(first, stored("late", [7], 0.5))
    assert find(second, probe([7], 0.5)) == ["a7", "late"]
    flip(run, -20)
    third = opened(address)
    assert find(third, probe([1000, 7], 0.5)) == [*EVERYTHING, "late"]
    assert "do not have their checksum" in caplog.text
    assert find(third, probe([7], 0.5)) == ["a7", "late"]
    for store in (first, second, third):
        store.close()


# --- Processes that are killed, and that write at the same time ----------------------------------

WRITER = """
import sys
sys.path.insert(0, {root!r})
from pathlib import Path
from typing import Any
from nearcopy.stores import saved_window
from tests.stores.test_saved_window import find, opened, probe, save, stored
saved_window.MAX_UNSAVED = 20
store = opened(Path({path!r}))
print("ready", flush=True)
for number in range({count}):
    save(store, *(stored(f"{name}-{{number}}-{{i}}", [i, 1000], 0.1) for i in range(30)))
    find(store, probe([1000], 0.1))
"""
ROOT = Path(__file__).parents[2]


def writer(path: Path, name: str, count: int) -> "subprocess.Popen[bytes]":
    """A process that adds 30 articles so many times, and saves the window each time."""
    script = WRITER.format(root=str(ROOT), path=str(path), name=name, count=count)
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE)
    assert process.stdout
    process.stdout.readline()
    return process


def test_a_process_killed_at_any_point_leaves_a_window_that_is_right(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(window_files, "LOCK_SECONDS", -1.0)  # a dead process holds it no longer
    for attempt in range(6):
        process = writer(path, f"p{attempt}", 1000)
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(0.3 + 0.13 * attempt)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        plain, store = without_files(path), opened(path)
        for key in (1000, 3, 29):
            asked = probe([key], 0)
            assert find(store, asked) == find(plain, asked)
        plain.close()
        store.close()


def test_two_processes_may_save_at_the_same_time(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    processes = [writer(path, name, 25) for name in ("one", "two")]
    for process in processes:
        process.communicate()
        assert process.returncode == 0
    plain, store = without_files(path), opened(path)
    for key in range(30):
        assert find(store, probe([key], 0)) == find(plain, probe([key], 0))
    assert store.window.cache.mapped > 1300
    assert len(runs_in(path)) <= 8
    assert not caplog.records


class History:
    """Random changes by two processes, each query held against the store without files."""

    def __init__(self, address: str, seed: int) -> None:
        self.address, self.dice = address, random.Random(seed)
        self.stores = [opened(address), opened(address)]
        self.names: list[str] = []
        self.today = 0.0

    def days(self) -> float | None:
        """Usually about today; sometimes long ago, or to come, or unknown."""
        choice = self.dice.random()
        if choice < 0.1:
            return None
        if choice < 0.2:
            return self.dice.choice([-400, -30, 300]) + self.dice.random()
        return self.today - 2 * self.dice.random()

    def keys(self) -> list[int]:
        return [self.dice.randrange(60) for _ in range(3)]

    def step(self) -> None:
        act = self.dice.choice([self.save, self.save, self.save, self.query, self.query])
        if self.dice.random() < 0.15:
            act = self.dice.choice([self.remove, self.reopen, self.fail, self.forget_files])
        act(self.dice.choice(self.stores))

    def save(self, store: Any) -> None:
        self.today += 0.3 * self.dice.random()
        articles = [self.article() for _ in range(self.dice.randrange(1, 30))]
        save(store, *{item.article.id: item for item in articles}.values())

    def article(self) -> StoredArticle:
        fresh = not self.names or self.dice.random() < 0.9
        name = f"a{len(self.names)}" if fresh else self.dice.choice(self.names)
        self.names += [name] if fresh else []
        return stored(name, self.keys(), self.days(), self.today)

    def fail(self, store: Any) -> None:
        with suppress(ZeroDivisionError), store.transaction():
            store.save_articles([self.article()])
            store.find_candidates([probe(self.keys(), self.today)], WINDOW)
            raise ZeroDivisionError

    def remove(self, store: Any) -> None:
        with store.transaction():
            store.remove(self.dice.sample(self.names, min(len(self.names), 5)))

    def reopen(self, store: Any) -> None:
        self.stores[self.stores.index(store)] = opened(self.address)
        store.close()

    def forget_files(self, store: Any) -> None:
        shutil.rmtree(window_of(store)._saved._files.folder, ignore_errors=True)

    def query(self, store: Any) -> None:
        asked = probe(self.keys(), self.days(), self.today)
        window = self.dice.choice([WINDOW, WINDOW, WINDOW, timedelta(days=40), None])
        plain = without_files(self.address)
        assert find(store, asked, window) == find(plain, asked, window)
        plain.close()


@pytest.mark.parametrize("seed", range(5))
def test_the_answers_are_those_of_the_store_without_it(
    lasting_address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    history = History(lasting_address, seed)
    saves = 0
    for _ in range(150):
        history.step()
        saves += sum(window_of(store).cache.chain is not None for store in history.stores)
    for store in history.stores:
        for _ in range(5):
            history.query(store)
        store.close()
    assert saves > 50


def test_the_lock_is_held_until_its_holder_is_done_with_the_chain(tmp_path: Path) -> None:
    one, other = window_files.WindowFiles(tmp_path), window_files.WindowFiles(tmp_path)
    with one.lock() as locked:
        assert locked
        one.replace_chain(window_files.Chain("a store", 0, 0, ()))
        with other.lock() as also:
            assert not also
    with other.lock() as locked:
        assert locked
