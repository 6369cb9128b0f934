"""Imports point one way, the public names are listed once, and the core does no I/O."""

import ast
import re
import shutil
from pathlib import Path

import pytest

import nearcopy

ROOT = Path(__file__).parents[1]
SOURCE = Path(nearcopy.__file__).parent

# Each room may import from its own and from those above it.
ROOMS = [
    {"errors"},
    {"model", "config", "feedback", "acts"},
    {"text", "urls", "facts", "titles", "junk", "numerals", "kernels", "credits"},
    {
        "fingerprint",
        "keys",
        "calibration",
        "confidence",
        "compare",
        "decide",
        "embedding",
        "likeness",
        "vetoes",
        "cluster",
        "keeper",
        "explain",
        "joins",
        "judge",
        "news",
        "rarity",
        "lineage",
        "links",
        "linkage",
        "contrast",
        "stars",
        "told",
        "gather",
        "ranked",
        "spread",
    },
    {"stores"},
    {
        "deduper",
        "acting",
        "collecting",
        "corrected",
        "examples",
        "correcting",
        "matching",
        "listings",
        "reviewing",
        "settling",
        "learning",
        "standing",
        "stats",
        "steps",
        "times",
        "verdicts",
        "verifying",
        "evaluate",
        "tune",
        "filling",
        "inventory",
        "moving",
        "rebuilding",
        "resuming",
    },
    {"formats", "feeds", "frames", "replacing", "scrapy", "streams", "web", "corpus", "spark"},
    {"service", "cli", "mcp", "__main__"},
]
LEVEL = {name: level for level, room in enumerate(ROOMS) for name in room}
PURE = 3  # rooms up to this one read no clock, no file, no environment
IMPURE = {"os", "time", "socket", "subprocess", "pathlib", "random", "logging", "tempfile"}
FILES = sorted(
    path for path in SOURCE.rglob("*.py") if path.name != "__init__.py" or path.parent != SOURCE
)


def room_of(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def imports(path: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_imports_point_up(path):
    here = LEVEL[room_of(path)]
    for name in imports(path):
        top, *rest = name.split(".")
        if top == "nearcopy":
            assert rest, f"{path} imports the package itself"
            assert LEVEL[rest[0]] <= here, f"{path} imports {name} from below"


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_the_core_is_pure(path):
    used = {name.split(".")[0] for name in imports(path)}
    if LEVEL[room_of(path)] <= PURE:
        assert not used & IMPURE


def test_public_names_are_listed_once_and_exist():
    assert sorted(set(nearcopy.__all__)) == sorted(nearcopy.__all__)
    assert all(hasattr(nearcopy, name) for name in nearcopy.__all__)


def test_both_kernels_offer_the_same():
    from nearcopy import kernels

    if kernels.native is None:
        pytest.skip("the compiled kernels are not built here")
    extra = {"level", "use_level"}
    assert set(kernels.native.__all__) - extra == set(kernels.reference.__all__)
    assert all(hasattr(kernels.native, name) for name in kernels.native.__all__)


def test_the_picture_names_every_room():
    picture = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    rows = re.findall(r"^\| (`.*?) \|", picture.partition("## To add")[0], re.M)
    named = {name for row in rows for name in re.findall(r"`(\w+)`", row)}
    assert named == LEVEL.keys() - {"__main__"}
    levels = [max(LEVEL[name] for name in re.findall(r"`(\w+)`", row)) for row in rows]
    assert levels == sorted(levels)


def test_no_dumping_ground():
    names = {path.stem for path in FILES}
    assert not names & {"utils", "helpers", "common", "manager", "misc"}


@pytest.mark.skipif(shutil.which("g++") is None, reason="there is no compiler here")
def test_the_compiled_kernels_are_here_where_there_is_a_compiler():
    """A build that failed installs the Python alone, which must not go unseen here."""
    from nearcopy import kernels

    assert kernels.native is not None, "build it by hand to see why: pip install -v -e ."
