"""Near-duplicate detection and de-duplication for news and web articles.

The names listed in `__init__.pyi` are the public Python API; each is imported at its first use.
Larger jobs have packages of their own: `nearcopy.batch` for whole corpora, `nearcopy.io` for
files, feeds, streams and sinks.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
__version__ = "0.1.0"
