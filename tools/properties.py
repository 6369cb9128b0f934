"""Run the property tests with random seeds for some minutes; stop at the first failure.

python tools/properties.py --minutes 30
"""

import argparse
import random
import subprocess
import sys
import time

COMMAND = (
    *(sys.executable, "-m", "pytest", "-m", "hypothesis", "-n", "auto", "--dist", "worksteal"),
    "--hypothesis-profile=search",
)


def main() -> int:
    """The exit code of the first run that failed, else 0."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("tests", nargs="*", default=["tests"])
    options = parser.parse_args()
    end = time.monotonic() + options.minutes * 60
    while time.monotonic() < end:
        seed = random.SystemRandom().randrange(1 << 32)
        print(f"properties: seed {seed}", flush=True)
        run = subprocess.run([*COMMAND, f"--hypothesis-seed={seed}", *options.tests], check=False)  # noqa: S603
        if run.returncode:
            print(
                f"properties: seed {seed} failed: add the example as a plain test",
                flush=True,
            )
            return run.returncode
    return 0


if __name__ == "__main__":
    sys.exit(main())
