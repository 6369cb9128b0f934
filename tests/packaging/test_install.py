"""Without a compiler the install succeeds and the reference runs; what an image does, works.

The targets of make set up what they need, once, and clean up after themselves.
"""

import os
import shutil
import subprocess
import sys
import sysconfig
import time
import zipfile
from pathlib import Path

import pytest
from tests.support.service_client import free_port

from nearcopy import kernels

ROOT = Path(__file__).parents[2]
USE = """
import warnings
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    from nearcopy import Article, fingerprints, kernels
    (made,) = fingerprints([Article(id="a", text="Words without a compiler")])
assert kernels.native is None
assert made.words == 4
print([str(w.message) for w in caught if w.category.__name__ == "SlowKernels"])
"""


@pytest.fixture(scope="module")
def pure_wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel as a machine without a compiler builds it, unpacked."""
    folder = tmp_path_factory.mktemp("wheel")
    source = tmp_path_factory.mktemp("source")
    tracked = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    ).stdout.split("\n")  # fmt: skip
    for name in tracked:
        if name.startswith(("src/", "pyproject", "CMake", "README", "LICENSE", "NOTICE")):
            target = source / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes((ROOT / name).read_bytes())
    build = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
    subprocess.run(
        [*build, "-w", str(folder), str(source)],
        env={**os.environ, "CXX": "/nonexistent/compiler", "CC": "/nonexistent/compiler"},
        check=True,
    )
    (wheel,) = folder.glob("nearcopy-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "site")
    return folder / "site"


def test_the_kernels_are_compiled_where_there_is_a_compiler():
    """A build that failed unseen would leave every test of the compiled kernels skipped."""
    if shutil.which(os.environ.get("CXX", "c++")) is None:
        pytest.skip("there is no compiler here")
    assert kernels.native is not None


def test_the_wheel_holds_no_compiled_module(pure_wheel):
    assert not list(pure_wheel.rglob("*.so"))
    assert (pure_wheel / "nearcopy/kernels/fold.npz").exists()
    assert (pure_wheel / "nearcopy/py.typed").exists()


def test_the_reference_runs_with_one_warning(pure_wheel):
    # -S and an explicit path: the development install must not be found in its place.
    paths = [str(pure_wheel), *(p for p in sys.path if p.endswith("site-packages"))]
    code = f"import sys; sys.path[:0] = {paths!r}\n{USE}"
    run = subprocess.run(
        [sys.executable, "-S", "-c", code], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.count("reference kernels") == 1
    assert "install a C++17 compiler" in run.stdout


PACKAGING = ROOT / "packaging"


@pytest.mark.package
def test_the_steps_of_the_image_run_in_a_clean_prefix(pure_wheel, tmp_path):
    """What the Dockerfile runs: the wheel installed, the service started, and healthy.

    Dependencies are those at hand, as they would take a minute to install.
    """
    (wheel,) = pure_wheel.parent.glob("nearcopy-*.whl")
    prefix, port = tmp_path / "opt", free_port()
    settings = os.environ | {
        "PATH": f"{prefix}/bin:{Path(sys.executable).parent}:{os.environ['PATH']}",
        "PIP_NO_DEPS": "1",
        "PYTHONPATH": sysconfig.get_path("purelib"),
        "NEARCOPY_PORT": str(port),
        "NEARCOPY_STORE": str(tmp_path / "seen.db"),
        "NEARCOPY_TOKENS": str(tmp_path / "tokens.db"),
    }
    install = [PACKAGING / "install.sh", prefix, wheel]
    shown = subprocess.run(install, env=settings, check=True, capture_output=True, text=True)
    assert shown.stdout.startswith("nearcopy ")
    with subprocess.Popen([PACKAGING / "start.sh"], env=settings, cwd=tmp_path) as service:
        try:
            end = time.monotonic() + 60
            while subprocess.run(
                [PACKAGING / "healthy.sh"], env=settings, stderr=subprocess.DEVNULL
            ).returncode:
                assert time.monotonic() < end, "it does not get healthy"
                assert service.poll() is None
                time.sleep(0.5)  # a Python process per check is not free
        finally:
            service.terminate()
    assert (tmp_path / "seen.db").exists()


def test_the_image_has_no_steps_but_these():
    steps = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    assert {path.name for path in PACKAGING.iterdir()} == {
        name for name in ("build.sh", "install.sh", "start.sh", "healthy.sh") if name in steps
    }


SETUP = """#!/bin/sh
echo "set up ${1:-all}"
mkdir -p .venv/bin
for name in python ruff mypy; do ln -sf /bin/true .venv/bin/$name; done
"""
# Logs how it is called, and makes an environment of itself.
PYTHON = """#!/bin/sh
echo "$* ${PIP_CONSTRAINT-}" >>"$LOG"
[ "$2" != venv ] || { mkdir -p "$3/bin"; cp "$0" "$3/bin/python"; }
"""
MADE = [
    ".venv/bin/python", "build/demo/seen.db", "dist/a.whl", "fuzz/build/a.o", "a.egg-info/b",
    "src/a.egg-info/b", "benchmarks/.peers/b", "benchmarks/.peers-a/b", ".hypothesis/a",
    ".mypy_cache/a", ".pytest_cache/a", ".ruff_cache/a", "src/a/__pycache__/b.pyc",
    "tests/__pycache__/b.pyc", "tools/__pycache__/b.pyc", "fuzz/__pycache__/b.pyc",
]  # fmt: skip
OWN = [
    "seen.db", "kept.csv", "src/a/b.py", "tests/seen.db", "fuzz/corpus/a", "mine/__pycache__/b",
    "benchmarks/results/a.json", "examples/a.db",
]  # fmt: skip


def script(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


def make(folder: Path, target: str) -> list[str]:
    """What a target says, beside the commands."""
    run = subprocess.run(["make", "-s", target], cwd=folder, check=True, capture_output=True)
    return run.stdout.decode().splitlines()


@pytest.fixture
def clone(tmp_path):
    """A folder in which make works, and its set-up only says what it would be."""
    if shutil.which("make") is None:
        pytest.skip("there is no make here")
    shutil.copy(ROOT / "Makefile", tmp_path)
    (tmp_path / "CMakeLists.txt").touch()
    (tmp_path / "pyproject.toml").touch()
    script(tmp_path / "tools" / "setup.sh", SETUP)
    return tmp_path


def test_the_demo_sets_up_what_it_needs_and_the_tests_the_rest(clone):
    assert make(clone, "demo") == ["set up demo"]
    assert make(clone, "demo") == []
    assert make(clone, "check") == ["set up all"]
    assert make(clone, "check") == []


def test_the_demo_has_all_it_needs_after_the_tests(clone):
    assert make(clone, "check") == ["set up all"]
    assert make(clone, "demo") == []


def test_cleaning_removes_what_was_made_and_nothing_else(clone):
    for name in MADE + OWN:
        script(clone / name, "")
    for name in ("src", "tests", "benchmarks", "examples", "tools", "fuzz"):
        (clone / name).mkdir(exist_ok=True)
    make(clone, "clean")
    assert [name for name in MADE if (clone / name).exists()] == []
    assert [name for name in OWN if not (clone / name).exists()] == []


@pytest.fixture
def calls(tmp_path):
    """How set-up calls Python, with everything of Debian's at hand."""

    def calls(*words: str, **more: str) -> list[str]:
        for name in ("initdb", "java", "redis-server", "chromium", "g++"):
            script(tmp_path / "bin" / name, "")
        settings = os.environ | more | {
            "PATH": f"{tmp_path}/bin:{os.environ['PATH']}",
            "LOG": str(tmp_path / "log"),
            "PYTHON": str(script(tmp_path / "python", PYTHON)),
            "VENV": str(tmp_path / "env"),
        }  # fmt: skip
        setup = [ROOT / "tools" / "setup.sh", *words]
        subprocess.run(setup, env=settings, check=True, stdout=subprocess.DEVNULL)
        return [line for line in (tmp_path / "log").read_text().splitlines() if "-m pip" in line]

    if not (ROOT / "tools").exists():
        pytest.skip("the tools are not part of this distribution")
    return calls


@pytest.mark.parametrize(
    ("words", "group", "what"),
    [(("demo",), "--group build", ".[serve]"), ((), "--group dev", "--editable . ")],
)
def test_set_up_installs_a_group_and_nearcopy(calls, words, group, what):
    _, tools, own = calls(*words)
    assert group in tools
    assert what in own


@pytest.mark.parametrize("words", [("demo",), ()])
def test_set_up_is_held_to_the_lock_where_asked(calls, words):
    _, *installs = calls(*words, LOCKED="1")
    assert all(line.endswith(" constraints.txt") for line in installs)
