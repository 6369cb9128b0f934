"""The corpus job: input files split into units, settings, and where the output and the work are."""

import glob
from collections.abc import Iterator, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from hashlib import sha256
from os import cpu_count, fsencode
from pathlib import Path
from typing import NamedTuple

from nearcopy.batch.corpus_settings import Form, Settings, check_removed
from nearcopy.batch.local.column_files import checksum
from nearcopy.batch.local.work_folder import Paths, has_job
from nearcopy.errors import BadCorpus
from nearcopy.io.files.decompress import Stream
from nearcopy.io.files.read import READ_ONLY, Format, format_of, sniff_format
from nearcopy.io.files.write import open_writer
from nearcopy.io.serializers import dataclass_row
from nearcopy.models.batches import batches
from nearcopy.stores import Store, open_store

Names = str | Path | Sequence[str | Path]
VERSION = 3  # of the files in the work folder
LEAST_MEMORY = 256 << 20
UNIT_BYTES = 16 << 20  # of a plain file, read by one task
WHOLE = -1  # the end of a file that cannot be split
ARTICLES_PER_BATCH = 500
SQLITE = "sqlite:///"
WILDCARDS = frozenset("*?[")


class Input(NamedTuple):
    """A file, and the name of its copy below the output folder."""

    path: str
    name: str
    format: Format
    plain: bool  # uncompressed JSON lines: a line can be read again by its offset
    size: int
    changed: int  # time of modification in nanoseconds
    reference: bool = False  # a reference: compared with, not written


class Unit(NamedTuple):
    """A part of a file, as byte offsets."""

    number: int
    file: int  # its position among the inputs
    start: int
    end: int


@dataclass(frozen=True)
class CorpusJob(Settings):
    """A corpus to deduplicate, checked as far as that is possible without reading a file.

    `inputs` and `reference` name files, folders and patterns; `reference` is compared with but not
    written, and may name stores. The work folder is beside the output unless `work` names one.
    """

    inputs: Names
    output: str | Path
    _: KW_ONLY
    reference: Names = ()
    form: Form = "annotations"
    memory: int = 4 << 30  # approximate limit in bytes for all processes together
    jobs: int = 1  # processes; 0 for one per core
    work: str | Path | None = None
    removed: str | Path | None = None  # with form "clean": where the duplicates are written
    rejected: str | Path | None = None
    sample: float | None = None  # a share of the rows to read
    unit_bytes: int = UNIT_BYTES

    def __post_init__(self) -> None:
        super().__post_init__()
        check_removed(self.form, self.removed)
        if self.memory < LEAST_MEMORY:
            raise BadCorpus(
                f"memory is {self.memory:,} bytes: give at least {LEAST_MEMORY >> 20} MB"
            )
        if self.sample is not None and not 0 < self.sample <= 1:
            raise BadCorpus(
                f"sample is {self.sample!r}: give a share of the rows above 0, at most 1"
            )
        for name in ("inputs", "reference"):
            object.__setattr__(self, name, _as_names(getattr(self, name)))
        object.__setattr__(self, "jobs", self.jobs or cpu_count() or 1)
        self.paths.check()
        self.paths.protect([self.boilerplate] if self.boilerplate is not None else [])

    @cached_property
    def paths(self) -> Paths:
        """Where the output, the rejected rows and the intermediate files are."""
        output = Path(self.output)
        beside = output.parent / f".{output.name}.nearcopy"
        return Paths(
            output,
            None if self.removed is None else Path(self.removed),
            None if self.rejected is None else Path(self.rejected),
            beside if self.work is None else Path(self.work),
        )

    @cached_property
    def sources(self) -> tuple[Input, ...]:
        """The reference files, then the files to deduplicate; none of them is overwritten.

        Stores among the references are first copied to files in the work folder.
        """
        paths = self.paths
        own = find_inputs(_as_names(self.inputs))
        paths.protect((source.path for source in own), paths.output)
        reference = _as_names(self.reference)
        paths.protect(file for name in reference if (file := store_file(name)) is not None)
        names = [
            str(write_store_snapshot(name, paths.work)) if is_store(name) else name
            for name in reference
        ]
        references = find_inputs(names, reference=True) if names else []
        snapshots = set(names) - set(reference)
        paths.protect(
            (source.path for source in references if source.path not in snapshots), paths.output
        )
        return (*references, *own)

    @cached_property
    def units(self) -> list[Unit]:
        """The parts of the sources, in order."""
        return split_units(self.sources, self.unit_bytes, self.sample)

    def source_of(self, unit: int) -> Input:
        """The file that a unit is a part of."""
        return self.sources[self.units[unit].file]

    @property
    def memory_per_process(self) -> int:
        """The bytes that one process may use for its working set."""
        return max(LEAST_MEMORY, self.memory // 2) // max(1, self.jobs)

    def folder(self, name: str) -> Path:
        """A folder below the work folder."""
        return self.paths.work / name

    @property
    def identity(self) -> dict[str, object]:
        """What must be unchanged for an interrupted job to be resumed."""
        inputs = [
            [source.path, source.size, source.changed, source.reference] for source in self.sources
        ]
        settings = self.as_text.encode("utf-8", "surrogatepass")
        return {
            "version": VERSION,
            "inputs": inputs,
            "settings": sha256(settings).hexdigest(),
            "unit_bytes": self.unit_bytes,
            "form": self.form,
            "removed": self.removed is not None,
            "sample": self.sample,
            "boilerplate": None if self.boilerplate is None else checksum(Path(self.boilerplate)),
        }


def _as_names(names: Names) -> tuple[str, ...]:
    return (str(names),) if isinstance(names, str | Path) else tuple(map(str, names))


# Files.


def find_inputs(names: Sequence[str], *, reference: bool = False) -> list[Input]:
    """The files that are named, sorted; those of folders by their suffixes."""
    inputs: dict[str, Input] = {}
    seen: set[Path] = set()
    for name in names:
        for path, output_name in _files(name, alone=len(names) == 1):
            resolved = path.resolve()
            if resolved in seen:
                raise BadCorpus(f"{path} is named twice: name each file once")
            seen.add(resolved)
            source = _input(path, output_name, reference)
            if source.name in inputs:
                raise BadCorpus(
                    f"two files would be written as {source.name}: "
                    "give the folder they are in, or rename one"
                )
            inputs[source.name] = source
    if not inputs:
        raise BadCorpus(f"no files to read in {', '.join(names) or 'nothing'}")
    return list(inputs.values())


def _files(name: str, *, alone: bool) -> Iterator[tuple[Path, str]]:
    """The files of a name, each with its name below the output."""
    path = Path(name)
    if path.is_dir():
        top = Path() if alone else Path(path.resolve().name)
        for file in sorted(path.rglob("*")):
            hidden = any(part.startswith(".") for part in file.relative_to(path).parts)
            if file.is_file() and not hidden and format_of(file.name):
                yield file, str(top / file.relative_to(path))
    elif path.exists():
        yield path, path.name
    elif WILDCARDS & set(name):
        for match in sorted(glob.glob(name, recursive=True)):
            if Path(match).is_file():
                yield Path(match), Path(match).name
    else:
        raise BadCorpus(f"{name} does not exist: name a file, a folder or a pattern as '*.jsonl'")


def _input(path: Path, name: str, reference: bool) -> Input:
    kind = format_of(path.name) or sniff_format(path)
    if kind == "json":
        kind = sniff_format(path)
    with Stream(path) as stream:
        plain = kind == "jsonl" and not stream.compressed
    stat = path.stat()
    name = f"{name}.jsonl" if kind in READ_ONLY else name
    return Input(str(path), name, kind, plain, stat.st_size, stat.st_mtime_ns, reference)


def split_units(
    inputs: Sequence[Input], unit_bytes: int = UNIT_BYTES, sample: float | None = None
) -> list[Unit]:
    """The units of all files, in order; plain files are split at line ends.

    Of a sample, a share of each unit.
    """
    units: list[Unit] = []
    for file, source in enumerate(inputs):
        for start, end in _spans(source, unit_bytes):
            if sample is not None and end != WHOLE:
                end = _sample_end(source, start, end, sample)
            units.append(Unit(len(units), file, start, end))
    return units


def _spans(source: Input, unit_bytes: int) -> Iterator[tuple[int, int]]:
    if not source.plain or source.size == 0:
        yield 0, 0 if source.plain else WHOLE
        return
    start = 0
    with Path(source.path).open("rb") as file:
        while start < source.size:
            file.seek(min(start + unit_bytes, source.size) - 1)
            while (line := file.readline(unit_bytes)) and not line.endswith(b"\n"):
                pass
            end = file.tell()
            yield start, end
            start = end


def _sample_end(source: Input, start: int, end: int, share: float) -> int:
    """The end of the first lines of a unit that are the sample."""
    with Path(source.path).open("rb") as file:
        file.seek(start + int((end - start) * share))
        file.readline()
        return min(end, file.tell())


# Stores.


def is_store(name: str) -> bool:
    """Whether a name is the address of a store, not of files."""
    return "://" in name or name.endswith((".db", ".sqlite", ".sqlite3"))


def store_file(name: str) -> Path | None:
    """The file of a SQLite store, None for all other names."""
    address = _address(name)
    return Path(address.removeprefix(SQLITE)) if address.startswith(SQLITE) else None


def write_store_snapshot(name: str, work: Path) -> Path:
    """The file in the work folder with the articles of a store as JSON lines.

    A resumed job keeps the snapshot that it began with.
    """
    path = work / f"store-{_digest(name)}.jsonl"
    if not (path.exists() and has_job(work)):
        work.mkdir(mode=0o700, parents=True, exist_ok=True)
        _write(open_store(_address(name), None), path)
    return path


def _address(name: str) -> str:
    return f"{SQLITE}{name}" if is_store(name) and "://" not in name else name


def _digest(name: str) -> str:
    """A digest of the address, the same for all spellings of a file name."""
    file = store_file(name)
    return sha256(fsencode(file.resolve() if file is not None else name)).hexdigest()[:16]


def _write(store: Store, path: Path) -> None:
    try:
        with store.snapshot(), open_writer(path, "jsonl") as out:
            for batch in batches(store.ids(), ARTICLES_PER_BATCH):
                articles = store.articles(batch)
                for article_id in batch:
                    if article_id in articles:
                        out.write(dataclass_row(articles[article_id]))
    finally:
        store.close()
