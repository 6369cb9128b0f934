"""Every promise of docs/guarantees.md names tests that are there."""

import ast
import re
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
PAGE = (TESTS.parent / "docs" / "guarantees.md").read_text(encoding="utf-8")
NAMED = sorted(set(re.findall(r"`([\w/]*test_\w+\.py::[\w:]+)`", PAGE)))


def named_in(name: str) -> set[str]:
    """The tests of a file, those of classes with their names."""
    found = set()
    for node in ast.parse((TESTS / name).read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef):
            found.add(node.name)
        elif isinstance(node, ast.ClassDef):
            found |= {f"{node.name}::{e.name}" for e in node.body if isinstance(e, ast.FunctionDef)}
    return found


@pytest.mark.parametrize("named", NAMED)
def test_the_test_of_a_promise_is_there(named):
    file, _, test = named.partition("::")
    assert test in named_in(file)


def test_every_promise_names_a_test():
    rows = [line for line in PAGE.splitlines() if line.startswith("| ") and "::" not in line]
    assert {row.split("|")[1].strip() for row in rows} <= {"promise", "what"}
