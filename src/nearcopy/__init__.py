"""Near-duplicate detection and de-duplication for news and web articles.

The names in `nearcopy.__all__` are the public Python API; the first use of one imports them all.
Larger jobs have packages of their own: `nearcopy.batch` for whole corpora, `nearcopy.io` for
files, feeds, streams and sinks.
"""

import sys
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nearcopy._public import *  # noqa: F403
    from nearcopy._public import __all__ as __all__

__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    """A public name or a subpackage, at its first use.

    The public names are imported at once, and first: threads that use the first names at the same
    time wait for one import, and do not meet in the middle of two.
    """
    if f"nearcopy.{name}" in sys.modules:  # it is being imported: wait where another thread does
        return import_module(f"nearcopy.{name}")
    if name == "__all__" or not name.startswith("_"):
        public = import_module("nearcopy._public")
        names = {each: getattr(public, each) for each in ("__all__", *public.__all__)}
        globals().update(names)
        if name in names:
            return names[name]
        if find_spec(f"nearcopy.{name}"):
            return import_module(f"nearcopy.{name}")
    raise AttributeError(f"module 'nearcopy' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__getattr__("__all__")})
