"""A missing extra names itself."""

import pytest

from nearcopy import MissingExtra, NearcopyError
from nearcopy.errors import require


def test_a_missing_extra_says_what_to_install():
    with pytest.raises(MissingExtra, match=r"pip install 'nearcopy\[kafka\]'") as raised:
        require("no_such_driver", extra="kafka")
    assert isinstance(raised.value, NearcopyError)
    assert isinstance(raised.value, ImportError)


def test_what_is_there_is_given():
    assert require("json", extra="html").loads("1") == 1
