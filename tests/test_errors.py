"""The exception tree, and the message of a missing extra."""

import re

import pytest

from nearcopy import MissingExtra, NearcopyError, errors
from nearcopy.errors import require


def test_a_missing_extra_names_what_to_install():
    with pytest.raises(MissingExtra, match=r"pip install 'nearcopy\[kafka\]'") as raised:
        require("no_such_driver", extra="kafka")
    assert isinstance(raised.value, NearcopyError)
    assert isinstance(raised.value, ImportError)


def test_an_installed_module_is_imported():
    assert require("json", extra="html").loads("1") == 1


def test_the_tree_in_the_docstring_names_every_exception():
    kinds = {
        name
        for name, value in vars(errors).items()
        if isinstance(value, type) and issubclass(value, Exception)
    }
    assert kinds == {name for name in kinds if re.search(rf"\b{name}\b", errors.__doc__)}
