"""Numerals with their positions.

Notices of one kind from a wire differ only in their numbers, and each is news; a copy keeps its
numbers. The profiles of `kernels.numerals` distinguish the two without the texts; this module finds
the same numerals in the texts, to show them.
"""

from collections import defaultdict

import nearcopy.kernels as kernels
from nearcopy.kernels.reference.numerals import find_numerals
from nearcopy.kernels.result_types import Numeral

LONGEST = 200_000  # characters searched for changed numerals


def in_place(text: str, *, html: bool = False) -> list[Numeral]:
    """The numerals of a profile, with their spans in the source, HTML or not.

    >>> in_place("Rates rose to <b>10-1/2</b> pct", html=True)
    [Numeral(value='10.1.2', context=('to', 'pct'), start=17, end=23)]
    """
    if not html:
        return _find(text)
    plain, starts, ends = kernels.strip_html_positions(text)
    return [
        numeral._replace(start=starts[numeral.start], end=ends[numeral.end - 1])
        for numeral in _find(plain)
    ]


def _find(plain: str) -> list[Numeral]:
    return find_numerals(plain, spans=kernels.word_spans(plain))


def changed(
    a_text: str, b_text: str, *, html_a: bool = False, html_b: bool = False
) -> list[tuple[Numeral, Numeral]]:
    """The numerals with the same context and another value, the first of each context.

    >>> [(a.value, b.value) for a, b in changed("It paid 12 cents", "It paid fifteen cents")]
    [('12', '15')]
    """
    left = _by_context(in_place(a_text[:LONGEST], html=html_a))
    right = _by_context(in_place(b_text[:LONGEST], html=html_b))
    return [
        (numerals[0], right[context][0])
        for context, numerals in left.items()
        if context in right and not _values(numerals) & _values(right[context])
    ]


def _by_context(numerals: list[Numeral]) -> dict[tuple[str, str], list[Numeral]]:
    places: defaultdict[tuple[str, str], list[Numeral]] = defaultdict(list)
    for numeral in numerals:
        places[numeral.context].append(numeral)
    return places


def _values(numerals: list[Numeral]) -> set[str]:
    return {numeral.value for numeral in numerals}
