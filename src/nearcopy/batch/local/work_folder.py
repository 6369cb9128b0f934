"""The work folder of a corpus job: its lock, its identity, and what an interrupted job resumes."""

import json
import re
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

from nearcopy.batch.local.column_files import read_json, write_json
from nearcopy.errors import BadCorpus
from nearcopy.io.files.atomic_write import lock_file

FOLDERS = ("rows", "pairs", "edges", "output")
JOB_FILE = "job.json"
_FILES = r"store-[0-9a-f]{16}\.jsonl|exact_duplicates\.pack|clusters\.pack"
# The files a job creates beside FOLDERS and JOB_FILE; an interrupted one may leave .part files.
WORK_FILES = re.compile(rf"lock|{_FILES}|\.(job\.json|{_FILES})\.\w{{8}}\.part")


class Paths(NamedTuple):
    """Where the output, the other rows and the intermediate files of a job are."""

    output: Path
    removed: Path | None
    rejected: Path | None
    work: Path

    def check(self) -> None:
        """Raise where one path would overwrite another, or the work folder is not our own."""
        check_work_folder(self.work)
        for path in (self.output, self.removed, self.rejected):
            if path is not None and path.resolve().is_relative_to(self.work.resolve()):
                raise BadCorpus(
                    f"{path} is in the work folder {self.work}: write to another place, "
                    "or name another folder with --work"
                )
        if len(set(self._outputs())) < len(self._outputs()):
            raise BadCorpus(
                f"{self.output} cannot hold both output and removed or rejected rows: name others"
            )

    def protect(self, files: Iterable[str | Path], *folders: Path) -> None:
        """Raise where an input file would be overwritten, or is in one of these folders."""
        outputs = set(self._outputs())
        within = [folder.resolve() for folder in (self.work, *folders)]
        for file in files:
            source = Path(file).resolve()
            if source in outputs or any(source.is_relative_to(folder) for folder in within):
                raise BadCorpus(f"{file} would be overwritten: write to another place")

    def _outputs(self) -> list[Path]:
        paths = (self.output, self.removed, self.rejected)
        return [path.resolve() for path in paths if path is not None]


def has_job(folder: Path) -> bool:
    """Whether a folder holds an interrupted job."""
    try:
        identity = read_json(folder / JOB_FILE)
    except ValueError:  # a file of that name that is not ours
        return False
    return isinstance(identity, dict) and "version" in identity


def check_work_folder(folder: Path) -> None:
    """Raise where a folder holds other files than those of an interrupted job."""
    if not folder.exists() or has_job(folder):
        return
    for entry in sorted(folder.iterdir()):
        if not WORK_FILES.fullmatch(entry.name):
            raise BadCorpus(
                f"{folder} holds {entry.name}, which is not part of an interrupted job: "
                "name an empty or a new folder with --work"
            )


@contextmanager
def open_work_folder(
    folder: Path, identity: Mapping[str, Any], *, keep: bool = False
) -> Iterator[None]:
    """Create or resume the work folder under a lock; it is removed when the job is complete."""
    check_work_folder(folder)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)  # it holds texts of articles
    with (folder / "lock").open("w") as lock:
        try:
            lock_file(lock)
        except OSError:
            raise BadCorpus(f"{folder} is in use by another process: wait for it") from None
        earlier = read_json(folder / JOB_FILE)
        if earlier is not None and earlier != json.loads(json.dumps(identity)):
            raise BadCorpus(
                f"{folder} holds an interrupted job on other files or with other settings: "
                "finish that, remove the folder, or name another with --work"
            )
        write_json(folder / JOB_FILE, identity)
        for name in FOLDERS:
            (folder / name).mkdir(exist_ok=True)
        yield
    if not keep:
        _remove(folder)


def _remove(folder: Path) -> None:
    """Remove the files of the job, and the folder unless it holds other files."""
    for name in FOLDERS:
        shutil.rmtree(folder / name)
    for path in [*folder.iterdir()]:
        if WORK_FILES.fullmatch(path.name):
            path.unlink()
    (folder / JOB_FILE).unlink()  # last: it marks the other files as ours
    with suppress(OSError):  # not empty
        folder.rmdir()
