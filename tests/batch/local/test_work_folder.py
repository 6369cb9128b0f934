"""The work folder: interrupted jobs are resumed, other files are safe."""

import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
from tests.batch.local.conftest import Stop

from nearcopy import POLICIES, RECIPES
from nearcopy.batch.local import (
    CorpusJob,
    deduplicate,
    pipeline,
    work_folder,
)
from nearcopy.errors import BadCorpus


@pytest.mark.parametrize("preset", ["copies", "default"])
def test_an_interrupted_job_is_resumed(wire, tmp_path, monkeypatch, preset):
    """Stopped after every file that is put in its place, once; each time a little more is done."""
    settings = {"recipe": RECIPES[preset], "policy": POLICIES[preset]}
    deduplicate(CorpusJob(wire, tmp_path / "whole", **settings))
    job = CorpusJob(wire, tmp_path / "out", **settings, unit_bytes=wire.stat().st_size // 4)
    put, seen = Path.replace, {"job.json"}

    def once(self, target):
        put(self, target)
        if target.name not in seen:
            seen.add(target.name)
            raise Stop

    stops = 0
    monkeypatch.setattr(Path, "replace", once)
    while True:
        try:
            deduplicate(job)
            break
        except Stop:
            stops += 1
            assert stops < 200
    monkeypatch.undo()
    assert stops > 8
    for name in ("wire.jsonl", "nearcopy.json"):
        assert (job.paths.output / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
    assert not job.paths.work.exists()


@pytest.mark.parametrize("settings", ["copies", "default"], indirect=True)
def test_a_killed_job_is_resumed(wire, tmp_path, annotated, request):
    preset = request.node.callspec.params["settings"]
    program = (
        "from nearcopy import POLICIES, RECIPES\n"
        "from nearcopy.batch.local import CorpusJob, deduplicate\n"
        "if __name__ == '__main__':\n"
        f"    settings = dict(recipe=RECIPES[{preset!r}], policy=POLICIES[{preset!r}])\n"
        f"    job = CorpusJob({str(wire)!r}, {str(tmp_path / 'out')!r}, jobs=2, **settings)\n"
        "    deduplicate(job)\n"
    )
    (tmp_path / "program.py").write_text(program)
    command = [sys.executable, str(tmp_path / "program.py")]
    for wait in (0.4, 0.6, 0.8):
        process = subprocess.Popen(command, start_new_session=True)
        time.sleep(wait)
        process.send_signal(signal.SIGKILL)
        process.wait()
    deadline = time.monotonic() + 60
    while subprocess.run(command, stderr=subprocess.DEVNULL, check=False).returncode:
        assert time.monotonic() < deadline  # an orphan may hold the folder for a moment
    assert (tmp_path / "out" / "wire.jsonl").read_bytes() == annotated


def test_damaged_files_are_written_again(small, annotated, monkeypatch):
    monkeypatch.setattr(pipeline, "publish", lambda _: (_ for _ in ()).throw(Stop))
    with pytest.raises(Stop):
        deduplicate(small)
    for path in [*small.paths.work.rglob("*.pack"), *small.paths.work.rglob("*.jsonl")]:
        data = bytearray(path.read_bytes())
        data[-1] ^= 1
        path.write_bytes(data)
    monkeypatch.undo()
    deduplicate(small)
    assert (small.paths.output / "wire.jsonl").read_bytes() == annotated


def test_a_job_with_other_settings_is_not_resumed(small, monkeypatch):
    monkeypatch.setattr(pipeline, "publish", lambda _: (_ for _ in ()).throw(Stop))
    with pytest.raises(Stop):
        deduplicate(small)
    monkeypatch.undo()
    with pytest.raises(BadCorpus, match="other settings"):
        deduplicate(replace(small, policy=replace(small.policy, near_overlap=0.91)))


def test_a_job_interrupted_before_its_first_stage_is_resumed(small, annotated, monkeypatch):
    monkeypatch.setattr(work_folder, "write_json", lambda *_: (_ for _ in ()).throw(Stop))
    with pytest.raises(Stop):
        deduplicate(small)
    assert small.paths.work.exists()
    (small.paths.work / ".job.json.ab_c1234.part").write_text("{")
    monkeypatch.undo()
    deduplicate(small)
    assert (small.paths.output / "wire.jsonl").read_bytes() == annotated
    assert not small.paths.work.exists()


@pytest.mark.parametrize("name", ["notes.txt", "rows", "job.json", "store-1.jsonl"])
def test_a_work_folder_with_other_files_is_refused(wire, tmp_path, name):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / name).write_text("mine")
    with pytest.raises(BadCorpus, match=f"mine holds {name}, .* --work"):
        deduplicate(CorpusJob(wire, tmp_path / "out", work=tmp_path / "mine"))
    assert [path.name for path in tmp_path.rglob("*")] == ["mine", name]
    assert (tmp_path / "mine" / name).read_text() == "mine"


@pytest.mark.parametrize("place", ["work", "work/out.jsonl", "work/deep/out.jsonl"])
def test_output_in_the_work_folder_is_refused(wire, tmp_path, monkeypatch, place):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(BadCorpus, match=f"{place} is in the work folder work"):
        deduplicate(CorpusJob(wire, place, work="work"))
    with pytest.raises(BadCorpus, match=f"{place} is in the work folder work"):
        deduplicate(CorpusJob(wire, "out", work="work", rejected=place))
    assert not list(tmp_path.iterdir())


def test_other_files_in_the_work_folder_are_kept(wire, tmp_path):
    work = tmp_path / "work"
    work.mkdir()

    def put(stage: str, *_: int) -> None:
        if stage == "writing":
            (work / "mine.txt").write_text("mine")

    deduplicate(CorpusJob(wire, tmp_path / "out", work=work), put)
    assert [path.name for path in work.iterdir()] == ["mine.txt"]
