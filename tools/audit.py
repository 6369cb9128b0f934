"""Check the locked versions against a database of advisories: python tools/audit.py DATABASE.

The database is a folder or a zip file of advisories in the OSV format, as OSV publishes for PyPI.
With network access `pip-audit -r constraints.txt` does the same without one.
"""

import json
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version

LOCK = Path(__file__).parents[1] / "constraints.txt"


def read_lock(lock: Path = LOCK) -> dict[str, Version]:
    """The version of each library."""
    rows = (line.split("==") for line in lock.read_text("utf-8").splitlines() if "==" in line)
    return {canonicalize_name(name): Version(version) for name, version in rows}


def read_advisories(database: Path) -> Iterator[dict[str, Any]]:
    """All advisories of a folder or a zip file."""
    if database.is_dir():
        yield from (json.loads(path.read_bytes()) for path in sorted(database.rglob("*.json")))
        return
    with zipfile.ZipFile(database) as archive:
        names = sorted(name for name in archive.namelist() if name.endswith(".json"))
        yield from (json.loads(archive.read(name)) for name in names)


def affects(affected: dict[str, Any], version: Version) -> bool:
    """Whether an entry of an advisory covers this version."""
    if any(_equals(listed, version) for listed in affected.get("versions", ())):
        return True
    ranges = (span for span in affected.get("ranges", ()) if span.get("type") == "ECOSYSTEM")
    return any(_is_in_range(span["events"], version) for span in ranges)


def _equals(listed: str, version: Version) -> bool:
    try:
        return Version(listed) == version
    except InvalidVersion:  # older than the version scheme
        return False


def _is_in_range(events: list[dict[str, str]], version: Version) -> bool:
    inside = False
    for event in events:
        ((kind, text),) = event.items()
        bound = Version(text)
        if kind == "introduced":
            inside = inside or version >= bound
        else:  # fixed, or the last one affected
            inside = inside and (version < bound or (kind == "last_affected" and version == bound))
    return inside


def find_vulnerabilities(database: Path, versions: dict[str, Version]) -> Iterator[str]:
    """A line for each advisory that covers a locked version."""
    for advisory in read_advisories(database):
        if advisory.get("withdrawn"):
            continue
        for affected in advisory.get("affected", ()):
            package = affected.get("package", {})
            name = canonicalize_name(package.get("name", ""))
            is_locked = package.get("ecosystem") == "PyPI" and name in versions
            if is_locked and affects(affected, versions[name]):
                summary = advisory.get("summary", "")
                yield f"{name} {versions[name]}: {advisory['id']} {summary}".rstrip()


def main() -> int:
    """Exit code: 0 without vulnerabilities, 1 with some, 2 without a database."""
    database = Path(sys.argv[1]) if len(sys.argv) == 2 else None
    if database is None or not database.exists():
        print(f"{database or 'no database given'}: give a folder or a zip file of OSV advisories")
        return 2
    versions = read_lock()
    vulnerabilities = list(find_vulnerabilities(database, versions))
    none = f"no known vulnerabilities in the {len(versions)} packages of {LOCK.name}"
    print("\n".join(vulnerabilities) or none)
    return 1 if vulnerabilities else 0


if __name__ == "__main__":
    sys.exit(main())
