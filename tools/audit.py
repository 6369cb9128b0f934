"""Holds the locked versions against a database of advisories: python tools/audit.py DATABASE.

The database is a folder or a zip of advisories in the OSV format, such as OSV publishes for PyPI.
Where there is a network and none is at hand, `pip-audit -r constraints.txt` asks for it.
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


def locked(lock: Path = LOCK) -> dict[str, Version]:
    """The version of each library."""
    rows = (line.split("==") for line in lock.read_text("utf-8").splitlines() if "==" in line)
    return {canonicalize_name(name): Version(version) for name, version in rows}


def advisories(database: Path) -> Iterator[dict[str, Any]]:
    """Every advisory of a folder or a zip."""
    if database.is_dir():
        yield from (json.loads(path.read_bytes()) for path in sorted(database.rglob("*.json")))
        return
    with zipfile.ZipFile(database) as archive:
        names = sorted(name for name in archive.namelist() if name.endswith(".json"))
        yield from (json.loads(archive.read(name)) for name in names)


def affects(affected: dict[str, Any], version: Version) -> bool:
    """Whether an advisory's part on a library is about this version."""
    if any(_is(listed, version) for listed in affected.get("versions", ())):
        return True
    ranges = (each for each in affected.get("ranges", ()) if each.get("type") == "ECOSYSTEM")
    return any(_within(each["events"], version) for each in ranges)


def _is(listed: str, version: Version) -> bool:
    try:
        return Version(listed) == version
    except InvalidVersion:  # of times before there were rules for them
        return False


def _within(events: list[dict[str, str]], version: Version) -> bool:
    inside = False
    for event in events:
        ((kind, text),) = event.items()
        bound = Version(text)
        if kind == "introduced":
            inside = inside or version >= bound
        else:  # fixed, or the last one affected
            inside = inside and (version < bound or (kind == "last_affected" and version == bound))
    return inside


def findings(database: Path, versions: dict[str, Version]) -> Iterator[str]:
    """What is known against the versions, a line each."""
    for advisory in advisories(database):
        if advisory.get("withdrawn"):
            continue
        for affected in advisory.get("affected", ()):
            package = affected.get("package", {})
            name = canonicalize_name(package.get("name", ""))
            known = package.get("ecosystem") == "PyPI" and name in versions
            if known and affects(affected, versions[name]):
                about = advisory.get("summary", "")
                yield f"{name} {versions[name]}: {advisory['id']} {about}".rstrip()


def main() -> int:
    """0 where nothing is known, 1 where something is, 2 where there is no database."""
    database = Path(sys.argv[1]) if len(sys.argv) == 2 else None
    if database is None or not database.exists():
        print(f"{database or 'no database given'}: give a folder or a zip of OSV's advisories")
        return 2
    versions = locked()
    found = list(findings(database, versions))
    print("\n".join(found) or f"nothing is known against the {len(versions)} of {LOCK.name}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
