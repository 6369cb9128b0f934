"""Word lists: data in TOML files beside the modules that read them."""

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any


@cache
def load_word_lists(package: str, name: str) -> dict[str, Any]:
    """The sections of a TOML file in a package."""
    return tomllib.loads(files(package).joinpath(name).read_text("utf-8"))


def words(listed: str) -> frozenset[str]:
    """The words of a list separated by spaces."""
    return frozenset(listed.split())


def key_by_word(section: Mapping[str, str]) -> dict[str, str]:
    """The key of each word in a section of lists; the last one if a word is in several.

    >>> key_by_word({"2": "two zwei", "3": "three"})
    {'two': '2', 'zwei': '2', 'three': '3'}
    """
    return {word: key for key, listed in section.items() for word in listed.split()}
