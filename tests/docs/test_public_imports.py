"""Pages and examples name what is public, and nothing else: see docs/reference/python.md."""

import ast
import re
from collections.abc import Iterator
from doctest import DocTestParser
from importlib import import_module
from pathlib import Path

import pytest
from tests.support import servers

import nearcopy

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
REFERENCE = DOCS / "reference" / "python.md"
FILES = [
    ROOT / "README.md",
    *sorted(DOCS.glob("*.md")),
    *sorted((DOCS / "presets").glob("*.md")),
    REFERENCE,
    *sorted((ROOT / "examples").glob("*.py")),
]
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.M | re.S)
ROW = re.compile(r"^\| `(nearcopy\.[\w.]+)` \|.*\|(.*)\|$", re.M)
DOTTED = re.compile(r"[`\"'](nearcopy(?:\.\w+)+)\.(\w+)")
TABLE = {
    package: re.findall(r"`(\w+)`", names)
    for package, names in ROW.findall(REFERENCE.read_text("utf-8"))
}
DRIVERS = {"nearcopy.batch.spark": "pyspark", "nearcopy.scrapy": "scrapy"}


def is_public(module: str, name: str | None) -> bool:
    """Whether a name of a module is public; None for the module itself."""
    if name is None:
        return module == "nearcopy" or module in TABLE
    return f"{module}.{name}" in TABLE or name in public_names(module)


def public_names(module: str) -> list[str]:
    """What a package offers: what it lists, or else the table."""
    if module != "nearcopy" and module not in TABLE:
        return []
    if module in DRIVERS:
        servers.driver(DRIVERS[module])
    return getattr(import_module(module), "__all__", None) or TABLE[module]


def imports(code: str) -> Iterator[tuple[str, str | None]]:
    """The modules of nearcopy that are imported, and the names imported from them."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Import):
            names = [(alias.name, None) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [(node.module or "", alias.name) for alias in node.names]
        else:
            continue
        yield from (pair for pair in names if pair[0].partition(".")[0] == "nearcopy")


def code_of(file: Path) -> Iterator[str]:
    """A script, or the Python blocks of a page without their prompts and output."""
    text = file.read_text("utf-8")
    for block in [text] if file.suffix == ".py" else BLOCK.findall(text):
        examples = DocTestParser().get_examples(block)
        yield "".join(example.source for example in examples) or block


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_pages_and_examples_use_public_names_only(file):
    """In imports, and where a name is written with its module."""
    used = [pair for code in code_of(file) for pair in imports(code)]
    used += DOTTED.findall(file.read_text("utf-8"))
    assert [pair for pair in used if not is_public(*pair)] == []


@pytest.mark.parametrize("package", TABLE)
def test_the_names_in_the_reference_are_there(package):
    offered = public_names(package)
    assert set(TABLE[package]) <= set(offered)
    assert [name for name in offered if not hasattr(import_module(package), name)] == []


def test_the_reference_has_every_public_name():
    text = REFERENCE.read_text("utf-8")
    errors = set(TABLE["nearcopy.errors"])
    assert [
        name
        for name in nearcopy.__all__
        if name not in errors and f"::: nearcopy.{name}\n" not in text and f"`{name}`" not in text
    ] == []
