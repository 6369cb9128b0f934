"""Places: what is read is not written over, and what is written does not go with the work."""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from nearcopy.batch.local.durable import read_json
from nearcopy.errors import BadCorpus

_WHOLE = r"known-[0-9a-f]{16}\.jsonl|likes\.pack|told\.pack"
# What the work makes in its folder, beside folders and job.json; a stop may leave parts of files.
WORK_FILES = re.compile(rf"lock|{_WHOLE}|\.(job\.json|{_WHOLE})\.\w{{8}}\.part")


class Paths(NamedTuple):
    """Where a corpus goes, where what is no article, and where the work is done meanwhile."""

    output: Path
    rejected: Path | None
    work: Path

    def check(self) -> None:
        """Raises where one of them would take another away, or the work is among others' files."""
        check_folder(self.work)
        for place in (self.output, self.rejected):
            if place is not None and place.resolve().is_relative_to(self.work.resolve()):
                raise BadCorpus(
                    f"{place} is in {self.work}, the folder of the work: write to another place, "
                    "or name another folder with --work"
                )
        if len(set(self._outputs())) < len(self._outputs()):
            raise BadCorpus(f"{self.output} is to hold both output and rejected rows: name two")

    def protect(self, files: Iterable[str | Path], *folders: Path) -> None:
        """Raises where a file that is read would be written over, or is in one of these folders."""
        written = set(self._outputs())
        within = [folder.resolve() for folder in (self.work, *folders)]
        for file in files:
            source = Path(file).resolve()
            if source in written or any(source.is_relative_to(folder) for folder in within):
                raise BadCorpus(f"{file} would be written over: write to a place of its own")

    def _outputs(self) -> list[Path]:
        return [place.resolve() for place in (self.output, self.rejected) if place is not None]


def has_job(folder: Path) -> bool:
    """Whether work was begun in a folder: a job.json says which."""
    try:
        identity = read_json(folder / "job.json")
    except ValueError:  # it is another's
        return False
    return isinstance(identity, dict) and "version" in identity


def check_folder(folder: Path) -> None:
    """Raises where a folder holds something, and no work that was begun."""
    if not folder.exists() or has_job(folder):
        return
    for entry in sorted(folder.iterdir()):
        if not WORK_FILES.fullmatch(entry.name):
            raise BadCorpus(
                f"{folder} holds {entry.name}, which is no work that was begun: "
                "name a folder with --work that is empty or not there"
            )
