"""Rooms import in one direction, and the core does no I/O."""

import ast
import re
import shutil
from collections.abc import Callable
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import nearcopy

ROOT = Path(__file__).parents[1]
SOURCE = Path(nearcopy.__file__).parent

# The path of an article: a module imports from its own room and from rooms above it.
ROOMS = [
    "errors",
    "models",
    "config",
    "kernels",
    "extract",
    "fingerprint",
    "match",
    "cluster",
    "stores",
    "deduper",
    "evaluate",
    "io",
    "maintenance",
    "batch",
    "service",
    "cli",
]
ALIASES = {"scrapy": "io", "__main__": "cli"}  # modules at the top that represent one of a room
STORES_IMPORT = [*("errors", "models", "config", "fingerprint", "match.candidate_index", "stores")]
PURE = ROOMS[: ROOMS.index("cluster") + 1]
IMPURE = {"os", "time", "socket", "subprocess", "pathlib", "random", "logging", "tempfile"}
FILES = sorted(
    path for path in SOURCE.rglob("*.py") if path.name != "__init__.py" or path.parent != SOURCE
)


def room_of(path: Path) -> str:
    top = path.relative_to(SOURCE).parts[0].removesuffix(".py")
    return ALIASES.get(top, top)


def module_of(path: Path) -> str:
    parts = path.relative_to(SOURCE.parent).with_suffix("").parts
    return ".".join(parts).removesuffix(".__init__")


def known_modules(path: Path) -> set[str]:
    """The modules of the package that a module imports when it is loaded."""
    names = {module_of(file) for file in FILES}
    modules = set()
    for node in ast.parse(path.read_text("utf-8")).body:
        if isinstance(node, ast.ImportFrom):
            targets = [f"{node.module}.{alias.name}" for alias in node.names]
            modules |= {name if name in names else str(node.module) for name in targets}
    return (modules & names) - {module_of(path)}


def imported_modules(path: Path) -> set[str]:
    modules: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            modules |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            modules |= {f"{node.module}.{alias.name}" for alias in node.names}
    return modules


def violations(rooms: list[str], allowed: Callable[[str], bool]) -> list[str]:
    """The imports of these rooms from others that are not allowed."""
    return [
        f"{path.relative_to(SOURCE)} imports {module}"
        for path in FILES
        if room_of(path) in rooms
        for module in sorted(imported_modules(path))
        if module.startswith("nearcopy.") and not allowed(module)
    ]


def test_rooms_import_only_from_rooms_above_them():
    for room in ROOMS:
        above = ROOMS[: ROOMS.index(room) + 1]
        assert not violations([room], lambda module, above=above: module.split(".")[1] in above)


def test_stores_import_no_decisions():
    allowed = tuple(f"nearcopy.{name}" for name in STORES_IMPORT)
    assert not violations(["stores"], lambda module: module.startswith(allowed))


def test_there_are_no_import_cycles():
    graph = {module_of(path): known_modules(path) for path in FILES}
    TopologicalSorter(graph).prepare()  # raises CycleError


def test_no_module_imports_the_package_itself():
    assert not [path for path in FILES if "nearcopy" in imported_modules(path)]


def test_the_core_is_pure():
    violations = [
        f"{path.relative_to(SOURCE)} imports {module}"
        for path in FILES
        if room_of(path) in PURE
        for module in sorted({name.split(".")[0] for name in imported_modules(path)} & IMPURE)
    ]
    assert not violations


def test_both_kernels_offer_the_same():
    from nearcopy import kernels

    if kernels.native is None:
        pytest.skip("the compiled kernels are not built here")
    extra = {"level", "use_level"}
    assert set(kernels.native.__all__) - extra == set(kernels.reference.__all__)
    assert all(hasattr(kernels.native, name) for name in kernels.native.__all__)


def test_contributing_lists_every_room_in_order():
    picture = (ROOT / "CONTRIBUTING.md").read_text("utf-8").partition("## Add a store")[0]
    assert re.findall(r"^\| `(\w+)` \|", picture, re.M) == ROOMS


def test_every_room_says_what_lives_there():
    packages = [path for path in SOURCE.rglob("__init__.py") if path.parent.name != "static"]
    assert not [path for path in packages if not ast.get_docstring(ast.parse(path.read_text()))]


def test_no_dumping_ground():
    names = {path.stem for path in FILES}
    assert not names & {"utils", "helpers", "common", "manager", "misc"}


@pytest.mark.skipif(shutil.which("g++") is None, reason="there is no compiler here")
def test_the_compiled_kernels_are_here_where_there_is_a_compiler():
    """A build that failed installs the Python alone, which must not go unseen here."""
    from nearcopy import kernels

    assert kernels.native is not None, "build it by hand to see why: pip install -v -e ."
