"""What there is to check of any store."""

from collections.abc import Sequence

from nearcopy.models.model import Check

SHOWN = 5


def copies(count: int, lost: Sequence[str]) -> Check:
    """Whether each copy is one of an article that is kept, in the same story; `lost` are not."""
    said = f"{count:,} copies, {len(lost):,} of none that is kept in their story"
    named = ", ".join(map(repr, sorted(lost)[:SHOWN]))
    advice = f": {named}; tell the stories again with `nearcopy retell`" if lost else ""
    return Check("copies", not lost, said + advice)
