"""Show the share of lines that the tests ran, and fail below a floor.

python tools/coverage.py build/coverage.json --floor 0.97
"""

import argparse
import json
import sys
from pathlib import Path

LISTED = 5  # files with the most lines that were not run


def main() -> int:
    """1 below the floor, else 0."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("report", type=Path, help="the JSON report of slipcover")
    parser.add_argument("--floor", type=float, required=True, help="a share, 0..1")
    options = parser.parse_args()
    report = json.loads(options.report.read_text(encoding="utf-8"))
    missing = {name: len(file["missing_lines"]) for name, file in report["files"].items()}
    share = report["summary"]["percent_covered"] / 100
    print(f"coverage: {share:.1%} of lines, at least {options.floor:.0%} are asked for")
    for name in sorted(missing, key=missing.__getitem__, reverse=True)[:LISTED]:
        print(f"  {missing[name]:4} lines not run in {name}")
    return int(share < options.floor)


if __name__ == "__main__":
    sys.exit(main())
