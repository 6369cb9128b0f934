"""Everything nearcopy raises on purpose.

NearcopyError
├── BadArticle (ValueError)     an article that cannot be read as one
├── BadCorpus (ValueError)      files that cannot be gone through, or not together
├── BadFeedback (ValueError)    what cannot be said of two articles
├── BadPolicy (ValueError)      a policy that cannot be made
├── BadRecipe (ValueError)      a recipe that cannot be made
├── MissingExtra (ImportError)  an optional part that is not installed
├── NotStored (LookupError)     an article or a story that the store does not have
├── TooManyDuplicates           more would be removed than is usual, without a confirmation
├── StoreError                  a store that cannot be opened or used
│   ├── RecipeMismatch          a store that was filled with another recipe
│   └── TryAgain                a step that was lost through no fault of its own; nothing is done
└── StreamError                 a stream that cannot be read, or handed on to
    └── WebError                an answer from the web that did not come, or is not taken

SlowKernels (RuntimeWarning)    the compiled kernels are not here
"""

from importlib import import_module
from types import ModuleType


class NearcopyError(Exception):
    """The root of all errors raised on purpose."""


class BadArticle(NearcopyError, ValueError):
    """An article that cannot be read as one."""


class BadCorpus(NearcopyError, ValueError):
    """Files that cannot be gone through, or not together."""


class BadFeedback(NearcopyError, ValueError):
    """What cannot be said of two articles."""


class BadPolicy(NearcopyError, ValueError):
    """A policy that cannot be made."""


class BadRecipe(NearcopyError, ValueError):
    """A recipe that cannot be made."""


class MissingExtra(NearcopyError, ImportError):
    """An optional part that is not installed."""


class NotStored(NearcopyError, LookupError):
    """An article or a story that the store does not have."""


class TooManyDuplicates(NearcopyError):
    """More articles would be removed than is usual, without a confirmation."""


class StoreError(NearcopyError):
    """A store that cannot be opened or used."""


class RecipeMismatch(StoreError):
    """A store that was filled with another recipe."""


class TransientStoreError(StoreError):
    """A step that was lost through no fault of its own, of which nothing is done."""


class StreamError(NearcopyError):
    """A stream that cannot be read, or handed on to."""


class WebError(StreamError):
    """An answer from the web that did not come, or is not taken."""


class SlowKernels(RuntimeWarning):
    """The compiled kernels are not here; the reference runs in their place."""


def require(module: str, *, extra: str) -> ModuleType:
    """The module, or an error that names the extra which brings it."""
    try:
        return import_module(module)
    except ImportError as missing:
        raise MissingExtra(
            f"{module} is needed for this and not installed: "
            f"run `pip install 'nearcopy[{extra}]'` ({missing})"
        ) from missing
