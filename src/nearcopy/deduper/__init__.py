"""The facade: `Deduper` checks and adds articles, and reads stories, feedback and statistics.

`deduper.py` has all public methods; each hands on to a part that works on a `Session`.
"""

from nearcopy.deduper.deduper import Deduper

__all__ = ["Deduper"]
