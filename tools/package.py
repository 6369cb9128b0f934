"""Build the distributions, check them, and run the demo in a clean environment."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parent.parent
DIST = ROOT / "dist"


def main() -> None:
    """Build and check the distributions in dist/."""
    shutil.rmtree(DIST, ignore_errors=True)
    environment = os.environ | {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    _run(str(ROOT / "packaging" / "build.sh"), str(DIST), env=environment)
    _run(sys.executable, "-m", "pip", "install", "--quiet", "twine")
    distributions = sorted(map(str, DIST.iterdir()))
    _run(sys.executable, "-m", "twine", "check", "--strict", *distributions)
    (wheel,) = DIST.glob("*.whl")
    with TemporaryDirectory() as folder:
        place = Path(folder)
        _run(str(ROOT / "packaging" / "install.sh"), f"{place}/env", str(wheel), "serve")
        shutil.copytree(ROOT / "examples", place / "examples")
        python = f"{place}/env/bin/python"
        _run(python, "-c", "from nearcopy import kernels; assert kernels.native is not None")
        _run(python, f"{place}/examples/demo.py")
    print(*distributions, sep="\n")


def _run(*words: str, env: dict[str, str] | None = None) -> None:
    print("$", *words, flush=True)
    subprocess.run(words, check=True, env=env)  # noqa: S603


if __name__ == "__main__":
    main()
