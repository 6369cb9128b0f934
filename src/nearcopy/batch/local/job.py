"""The corpus job: inputs, settings, and where the output and the work folder are."""

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from hashlib import sha256
from os import cpu_count
from pathlib import Path

from nearcopy.batch.local.column_files import Paths, checksum
from nearcopy.batch.local.inputs import (
    UNIT_BYTES,
    Input,
    Unit,
    find_inputs,
    is_store,
    split_units,
    store_file,
    write_store_snapshot,
)
from nearcopy.batch.output_columns import Form, Settings, check_form
from nearcopy.errors import BadCorpus

Names = str | Path | Sequence[str | Path]
VERSION = 2  # of the files in the work folder
LEAST_MEMORY = 256 << 20


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
    rejected: str | Path | None = None
    sample: float | None = None  # a share of the rows to read
    unit_bytes: int = UNIT_BYTES

    def __post_init__(self) -> None:
        super().__post_init__()
        check_form(self.form)
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
            "sample": self.sample,
            "boilerplate": None if self.boilerplate is None else checksum(Path(self.boilerplate)),
        }


def _as_names(names: Names) -> tuple[str, ...]:
    return (str(names),) if isinstance(names, str | Path) else tuple(map(str, names))
