"""The window on disk: runs of the candidate index in files, mapped by every process of a machine.

A folder holds one chain of runs: all articles dated from some day on, in the order they were added.
`chain.json` names its files and has their checksums; it is replaced atomically, and the files never
change, so a process that is killed leaves the old chain or the new one. Everything in the folder is
derived from the store: it may be deleted at any time, and is written again.
"""

import json
import logging
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from hashlib import blake2b
from mmap import ACCESS_READ, mmap
from pathlib import Path
from time import time
from typing import NamedTuple
from uuid import uuid4

import numpy as np

from nearcopy.match.candidate_index import IndexedArticle, IndexRun, checksum

FORMAT = 1
CHAIN, NEXT_CHAIN, LOCK = "chain.json", "chain.json.part", "lock"
RUN_SUFFIX = ".run"
LOCK_SECONDS = 600.0  # after which a process that was writing is taken for dead
ATTEMPTS = 3  # to read a chain while another process replaces it
WORD = 8  # bytes
log = logging.getLogger("nearcopy")

Witnesses = Mapping[int, str]  # the digests of some articles, by sequence number


class RunFile(NamedTuple):
    """One run of a chain."""

    name: str
    articles: int
    buckets: int
    entries: int
    blocks: int  # of entries, each with a checksum
    checksum: int  # of everything before the entries
    removals: str | None  # how often articles had been removed from the store
    witnesses: Witnesses  # by which it is recognised as one of this store


class Chain(NamedTuple):
    """The runs of a window, first to last."""

    identity: str  # of the store, with the recipe and version of its keys
    first_day: int  # all articles of partitions from this day on are in the runs,
    last_number: int  # if their sequence numbers are up to this one
    runs: tuple[RunFile, ...]


class DamagedFile(Exception):
    """A file of the window is not what was written."""


def article_digest(article: IndexedArticle) -> str:
    """What recognises an article: two stores may give the same number to different ones."""
    data = repr((article.published, article.seen)).encode() + article.keys
    return blake2b(data, digest_size=8).hexdigest()


class WindowFiles:
    """The folder of one window; what cannot be read or written there is done without."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def read_chain(self) -> Chain | None:
        """The current chain; None where there is none."""
        try:
            packed = (self.folder / CHAIN).read_bytes()
        except OSError:
            return None
        try:
            return _decode(packed)
        except (ValueError, KeyError, TypeError) as error:
            self.discard(f"{CHAIN} is damaged: {error}")
            return None

    def map_chain(self) -> tuple[Chain, list[IndexRun]] | None:
        """The current chain, with its runs mapped."""
        for _ in range(ATTEMPTS):
            chain = self.read_chain()
            if chain is None:
                return None
            try:
                return chain, [self._map(run) for run in chain.runs]
            except DamagedFile as damaged:
                self.discard(str(damaged))
                return None
            except OSError as error:  # replaced meanwhile, or deleted
                missing = error
        self.discard(str(missing))
        return None

    def _map(self, file: RunFile) -> IndexRun:
        """The arrays of a run, in the pages that all processes share."""
        with (self.folder / file.name).open("rb") as opened:
            size = opened.seek(0, 2)
            if size != WORD * _word_count(file):
                raise DamagedFile(f"{file.name} has {size} bytes, not those that were written")
            words = np.frombuffer(mmap(opened.fileno(), 0, access=ACCESS_READ), "<u8")
        ends = np.cumsum([*[file.articles] * 4, file.blocks, _start_words(file)])
        *columns, checksums, starts, entries = np.split(words, ends)
        if checksum(words[: ends[-1]]) != file.checksum:
            raise DamagedFile(f"{file.name} does not have its checksum")
        numbers, published, seen, title_counts = (column.view(np.int64) for column in columns)
        buckets = starts.view(np.uint32)[: file.buckets + 1]
        return IndexRun(numbers, published, seen, title_counts, buckets, entries, checksums)

    @contextmanager
    def lock(self) -> Iterator[bool]:
        """Whether this process may write a chain."""
        lock = self.folder / LOCK
        with suppress(OSError):
            if time() - lock.stat().st_mtime > LOCK_SECONDS:
                lock.unlink()
        self.folder.mkdir(parents=True, exist_ok=True)
        try:
            lock.touch(exist_ok=False)
        except FileExistsError:
            yield False
            return
        try:
            yield True
        finally:
            lock.unlink(missing_ok=True)

    def write_run(self, run: IndexRun, removals: str | None, witnesses: Witnesses) -> RunFile:
        """Write a run to a new file, within the lock."""
        starts = np.zeros(2 * (-(-len(run.starts) // 2)), np.uint32)
        starts[: len(run.starts)] = run.starts
        columns = (run.numbers, run.published, run.seen, run.title_counts)
        head = np.concatenate(
            [*(column.view(np.uint64) for column in columns), run.checksums, starts.view(np.uint64)]
        )
        name = f"{uuid4().hex}{RUN_SUFFIX}"
        try:
            with (self.folder / name).open("xb") as file:
                file.write(head.astype("<u8", copy=False).data)
                file.write(run.entries.astype("<u8", copy=False).data)
        except BaseException:
            (self.folder / name).unlink(missing_ok=True)
            raise
        sizes = len(run.numbers), len(run.starts) - 1, len(run.entries), len(run.checksums)
        return RunFile(name, *sizes, checksum(head), removals, witnesses)

    def replace_chain(self, chain: Chain) -> None:
        """Make this the current chain, within the lock, and delete what is in no chain."""
        part = self.folder / NEXT_CHAIN
        part.write_bytes(_encode(chain))
        part.replace(self.folder / CHAIN)
        self._delete_runs({run.name for run in chain.runs})

    def discard(self, reason: str) -> None:
        """Delete the chain, and say why."""
        log.warning("the window in %s is made again: %s", self.folder, reason)
        with suppress(OSError):
            (self.folder / CHAIN).unlink(missing_ok=True)
            self._delete_runs(set())

    def _delete_runs(self, names: set[str]) -> None:
        for path in self.folder.glob(f"*{RUN_SUFFIX}"):
            if path.name not in names:
                with suppress(OSError):  # on Windows, while it is mapped
                    path.unlink()


def user_folder(address: str, pool: str) -> Path | None:
    """Where this user keeps the window of a store on a server; None without a home."""
    name = blake2b(f"{address} {pool}".encode(), digest_size=16).hexdigest()
    with suppress(RuntimeError):
        cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
        return Path(cache) / "nearcopy" / "windows" / name
    return None


def _start_words(file: RunFile) -> int:
    return file.buckets // 2 + 1  # two to a word


def _word_count(file: RunFile) -> int:
    return 4 * file.articles + file.blocks + _start_words(file) + file.entries


def _encode(chain: Chain) -> bytes:
    """The chain as two lines: a digest, and the JSON that has it."""
    runs = [{**run._asdict(), "witnesses": dict(run.witnesses)} for run in chain.runs]
    plain = json.dumps({"format": FORMAT, **chain._asdict(), "runs": runs}).encode()
    return _digest(plain) + b"\n" + plain


def _decode(packed: bytes) -> Chain:
    digest, _, plain = packed.partition(b"\n")
    if digest != _digest(plain):
        raise ValueError("it does not have its digest")
    fields = json.loads(plain)
    if fields.pop("format") != FORMAT:
        raise ValueError("it is of another version")
    return Chain(**{**fields, "runs": tuple(_decode_run(run) for run in fields["runs"])})


def _decode_run(fields: dict[str, object]) -> RunFile:
    run = RunFile(**fields)  # type: ignore[arg-type]
    return run._replace(witnesses={int(n): str(digest) for n, digest in run.witnesses.items()})


def _digest(plain: bytes) -> bytes:
    return blake2b(plain, digest_size=16).hexdigest().encode()
