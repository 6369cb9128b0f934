"""Every promise of docs/guarantees.md names tests that are there."""

import ast
import re
from functools import cache
from pathlib import Path

TESTS = Path(__file__).parents[1]
PAGE = (TESTS.parent / "docs" / "guarantees.md").read_text(encoding="utf-8")
NAMED = sorted(set(re.findall(r"`([\w/]*test_\w+\.py::[\w:]+)`", PAGE)))


@cache
def named_in(name: str) -> set[str]:
    """The tests of a file, those of classes with their names."""
    names = set()
    for node in ast.parse((TESTS / name).read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef):
            names.add(node.name)
        elif isinstance(node, ast.ClassDef):
            names |= {f"{node.name}::{e.name}" for e in node.body if isinstance(e, ast.FunctionDef)}
    return names


def test_the_tests_of_the_promises_are_there():
    files = [(*name.split("::", 1),) for name in NAMED]
    assert files
    assert [(file, test) for file, test in files if test not in named_in(file)] == []


def test_every_promise_names_a_test():
    rows = [line for line in PAGE.splitlines() if line.startswith("| ") and "::" not in line]
    assert {row.split("|")[1].strip() for row in rows} <= {"promise", "what"}
