"""The exceptions that nearcopy raises on purpose.

NearcopyError
├── BadArticle (ValueError)      an invalid article
├── BadCorpus (ValueError)       input files that cannot be processed, or not together
├── BadFeedback (ValueError)     invalid or contradictory feedback, or an impossible action
├── BadPolicy (ValueError)       an invalid policy or setting
├── BadRecipe (ValueError)       an invalid recipe
├── MissingExtra (ImportError)   an optional dependency that is not installed
├── NotStored (LookupError)      an article or a story that is not in the store
├── TooManyDuplicates            more duplicates to remove than usual, without a confirmation
├── StoreError                   a store that cannot be opened or used
│   ├── RecipeMismatch           a store that was filled with another recipe
│   └── TransientStoreError      a failed transaction that wrote nothing and can be retried
└── StreamError                  a stream that cannot be read or written
    └── WebError                 a failed HTTP request, or a refused response

SlowKernels (RuntimeWarning)     the compiled kernels are not installed
"""

from importlib import import_module
from types import ModuleType


class NearcopyError(Exception):
    """The root of all exceptions raised on purpose."""


class BadArticle(NearcopyError, ValueError):
    """An invalid article."""


class BadCorpus(NearcopyError, ValueError):
    """Input files that cannot be processed, or not together."""


class BadFeedback(NearcopyError, ValueError):
    """Invalid or contradictory feedback, or an impossible action."""


class BadPolicy(NearcopyError, ValueError):
    """An invalid policy or setting."""


class BadRecipe(NearcopyError, ValueError):
    """An invalid recipe."""


class MissingExtra(NearcopyError, ImportError):
    """An optional dependency that is not installed."""


class NotStored(NearcopyError, LookupError):
    """An article or a story that is not in the store."""


class TooManyDuplicates(NearcopyError):
    """More articles would be removed than is usual, without a confirmation."""


class StoreError(NearcopyError):
    """A store that cannot be opened or used."""


class RecipeMismatch(StoreError):
    """A store that was filled with another recipe."""


class TransientStoreError(StoreError):
    """A transaction that failed for a transient reason: it wrote nothing and can be retried."""


class StreamError(NearcopyError):
    """A stream that cannot be read or written."""


class WebError(StreamError):
    """A failed HTTP request, or a refused response."""


class SlowKernels(RuntimeWarning):
    """The compiled kernels are not installed; the Python reference is used."""


def require(module: str, *, extra: str) -> ModuleType:
    """The imported module; raises MissingExtra with the extra to install."""
    try:
        return import_module(module)
    except ImportError as missing:
        raise MissingExtra(
            f"{module} is needed for this and not installed: "
            f"run `pip install 'nearcopy[{extra}]'` ({missing})"
        ) from missing
