"""Every regular expression of the package takes time in proportion to the text.

A pattern that goes over what it has read again for each character takes a tenth of a second or
more for the texts tried here, and a millisecond else. Those that are used on short texts alone may
do so: they stand below with the length that bounds them.
"""

import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.support.regex_patterns import ENDINGS, Found, all_patterns, hostile, made_while_running

import nearcopy
from nearcopy.extract.facts import LONGEST_TITLE

LENGTH = 20_000
# Characters with which a pattern that doubles its work with each takes long enough: more on a quick
# processor, and only two at a time, as with many it would never end.
A_FEW = range(20, 30, 2)
SECONDS = 0.05
PATIENCE = 1.0  # seconds after which a match is stopped: it is slow beyond doubt
SHORT = {"nearcopy.extract.facts": LONGEST_TITLE, "nearcopy.service.pages.view_models": 400}
OTHERS = {"postgres_connections.py"}  # looks for words of its own in a line that the server says


class TakesTooLong(Exception):
    """A match was stopped."""


def stop(*_: object) -> None:
    raise TakesTooLong


@contextmanager
def stopped_after(limit: float) -> Iterator[None]:
    """Raises TakesTooLong after this many seconds of processor time, also within a match."""
    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, limit)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def seconds(found: Found, text: str, use: str) -> float:
    """Of the processor, the least of some; once where it is slow beyond doubt."""
    pattern = found.compiled()
    sample = text.encode("latin-1", "replace") if found.is_bytes else text
    spent: list[float] = []
    while len(spent) < 3 and SECONDS < min(spent, default=SECONDS * 2) < SECONDS * 5:
        start = time.thread_time()
        try:
            with stopped_after(PATIENCE):
                list(pattern.finditer(sample)) if use == "search" else getattr(pattern, use)(sample)
        except TakesTooLong:
            return PATIENCE
        spent.append(time.thread_time() - start)
    return min(spent)


def slowest(found: Found, size: int) -> tuple[float, str]:
    """The text of this size that the pattern takes longest for, up to the first that is slow."""
    worst = (0.0, "")
    for text in hostile(found, size):
        worst = max(worst, *((seconds(found, text, use), text[:40]) for use in found.uses))
        if worst[0] > SECONDS:
            break
    return worst


def slow(found: Found) -> str | None:
    """What the pattern takes long for, if anything.

    Texts grow until one is slow. What is so quick with an eighth that squaring would not make it
    slow is not tried with all.
    """
    length = next((n for name, n in SHORT.items() if found.module.startswith(name)), LENGTH)
    for size, least in (
        *((size, 0.0) for size in A_FEW),
        (length // 8, SECONDS / 100),
        (length // 3, 0.0),
        (length, SECONDS),
    ):
        spent, text = slowest(found, size)
        if spent > SECONDS:
            return f"{found.module}: {found.pattern:.80} takes {spent:.2f} s for {text!r}..."
        if spent < least:
            return None
    return None


def test_every_pattern_takes_no_longer_than_the_text():
    patterns = all_patterns()
    assert len(patterns) > 150
    assert not list(filter(None, map(slow, patterns)))


def test_no_pattern_is_made_on_the_way():
    """Or the test above would not see it."""
    places = made_while_running(Path(nearcopy.__file__).parent)
    assert {place.partition(":")[0] for place in places} == OTHERS


@pytest.mark.parametrize(
    "pattern",
    [
        *(r"\d+x", r"<a[^>]*>", r"\s+$", r"(\w+)[ -]\Z", r"<!--.*?-->", r"a.*b.*c", r"\w+@\w+"),
        *(r"(?:a|b)*c", r"[^,]*,[^,]*;", r"(?:\d{1,3}[ .])+x", r"(a+)+b", r"(?:a|a)*b", r"(\w*)*!"),
    ],
)
def test_one_that_takes_longer_is_found(pattern):
    assert slow(Found("nearcopy.x", pattern, 0, False, ("search",)))


@pytest.mark.parametrize(
    "pattern", [r"\d{1,9}x", r"\d++(?!\d)|\d", r"[a-z]+", r"https?://[^ ]{1,99}"]
)
def test_one_that_does_not_is_not(pattern):
    assert not slow(Found("nearcopy.x", pattern, 0, False, ("search",)))


def test_one_that_would_never_end_is_stopped():
    assert seconds(Found("nearcopy.x", r"(a+)+b", 0, False, ("search",)), "a" * 200, "search") >= (
        PATIENCE
    )


def test_texts_are_as_long_as_they_are_asked_to_be():
    pattern = Found("nearcopy.x", r"ab+c", 0, False, ("search",))
    assert max(map(len, hostile(pattern, 100))) <= 100 + max(map(len, ENDINGS))
