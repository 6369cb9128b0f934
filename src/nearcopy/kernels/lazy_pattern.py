"""Regular expressions that are compiled at their first use.

Compiling those of this package takes a quarter of a second, and most titles and texts need few.
"""

import re
from typing import Any, cast


class LazyPattern:
    """A regular expression compiled at its first use; it has every attribute of a compiled one."""

    def __init__(self, pattern: str, flags: int = 0) -> None:
        self.pattern, self.given_flags = pattern, flags

    def __getattr__(self, name: str) -> Any:
        attribute = getattr(re.compile(self.pattern, self.given_flags), name)
        setattr(self, name, attribute)  # found at once from now on
        return attribute


def lazy_pattern(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """The regular expression, not yet compiled.

    >>> lazy_pattern("[ab]+").findall("abc ba")
    ['ab', 'ba']
    """
    return cast("re.Pattern[str]", LazyPattern(pattern, flags))
