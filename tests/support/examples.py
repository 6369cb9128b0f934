"""How many examples a property test tries."""

from typing import Any

from hypothesis import settings

USUAL = 100  # examples of Hypothesis' own default


def examples(count: int, **options: Any) -> settings:
    """This many in place of the usual hundred; `make properties` tries more in proportion."""
    return settings(max_examples=max(1, count * settings().max_examples // USUAL), **options)
