"""Without a compiler the install succeeds and the reference runs, with one warning."""

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from nearcopy import kernels

ROOT = Path(__file__).parents[1]
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
