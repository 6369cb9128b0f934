"""Collecting: how often Python looks for what nobody needs any more, and through how much.

Whatever is in memory is looked through again and again, and nobody gets an answer meanwhile: for a
second or two where a million articles are kept there. Hardly anything of that ever goes round in a
circle, which is all that looking finds.
"""

import gc
from collections.abc import Mapping
from typing import Any

SELDOM = 10_000, 5  # things made between two looks at the new ones, and such looks between wider
WIDE, WIDEST = 1, 2  # kinds of looks: at what is rather new, at all that is not set aside
SET_ASIDE = 10_000  # times, until all is looked through once more


class _Aside:
    """What was in use when Python last looked is set aside; circles among it go in the end."""

    def __init__(self, times: int) -> None:
        self.times, self.left = times, times

    def __call__(self, phase: str, info: Mapping[str, Any]) -> None:
        if phase != "stop" or info["generation"] < WIDE:
            return
        if self.left:
            self.left -= 1
            gc.freeze()
        elif info["generation"] == WIDEST and not gc.get_freeze_count():
            self.left = self.times
        else:
            gc.unfreeze()  # the next look at all is one at everything


def collect_seldom(*, set_aside: int = SET_ASIDE) -> None:
    """Have Python look seldom, and only through what was made since it last looked widely."""
    gc.set_threshold(*SELDOM)
    if not any(isinstance(each, _Aside) for each in gc.callbacks):
        gc.callbacks.append(_Aside(set_aside))
