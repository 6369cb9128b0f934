"""Writes src/nearcopy/kernels/fold.npz: what every code point becomes in a normalised text.

Run only when the folding itself is to change: the table is part of every fingerprint, so a new
table needs a new `TEXT_VERSION` in nearcopy/config/recipe.py. Needs unicodedata2 and opencc.

    python tools/make_fold.py

Rules, in order, for one code point:

1. NFKC, case folding, NFKC again; then canonical decomposition, except Hangul and kana.
2. Marks that only decorate (accents of Latin, Greek and Cyrillic, Arabic and Hebrew points,
   variation selectors) and invisible characters are removed: e + U+0301 = U+00E9 = e.
   Marks that spell (Devanagari vowel signs and the like) stay.
3. Digits of every script become 0-9.
4. Han characters become their simplified form by OpenCC's character tables
   (Taiwan and Hong Kong variants -> traditional -> simplified).
5. Scripts written without spaces (Han, kana, Thai, Lao, Khmer, Myanmar): one character, one token.
6. Letters, numbers and the marks left are parts of words; all else separates words.
"""

from pathlib import Path

import numpy as np
import opencc
import unicodedata2 as ucd

SEPARATOR, WORD, SINGLE, REMOVED, SEQUENCE, JOIN = range(6)
KIND_SHIFT = 29
LONGEST_SEQUENCE = 8
TARGET = Path(__file__).parents[1] / "src/nearcopy/kernels/fold.npz"

DECORATION = [
    (0x0300, 0x036F), (0x0483, 0x0489), (0x0591, 0x05C7), (0x0610, 0x061A), (0x064B, 0x065F),
    (0x0670, 0x0670), (0x06D6, 0x06ED), (0x0711, 0x0711), (0x0730, 0x074A), (0x0898, 0x08FF),
    (0x1AB0, 0x1AFF), (0x1DC0, 0x1DFF), (0x20D0, 0x20FF), (0xA66F, 0xA67D), (0xFE20, 0xFE2F),
    (0xFE00, 0xFE0F), (0x180B, 0x180F), (0xE0100, 0xE01EF),
]  # fmt: skip
TRADE_MARKS = {0x2120, 0x2122}  # would glue "TM" to the name before them
INVISIBLE = {0x0640, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x3164, 0xFFA0}  # tatweel, fillers
KANA_MARKS = {0x3099, 0x309A}
VOWELS_AND_FINALS = range(0x1161, 0x1200)
UNSPACED = [
    (0x0E01, 0x0E4E), (0x0E81, 0x0EDF), (0x1000, 0x109F), (0x1780, 0x17DD), (0x3005, 0x3007),
    (0x3021, 0x3029), (0x3041, 0x30FF), (0x31F0, 0x31FF), (0x3400, 0x4DBF), (0x4E00, 0x9FFF),
    (0xA9E0, 0xA9FE), (0xAA60, 0xAA7F), (0xF900, 0xFAFF), (0x1AFF0, 0x1B16F), (0x20000, 0x3FFFD),
]  # fmt: skip
HAN = [(0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0x20000, 0x3FFFD)]

converters = [opencc.OpenCC(name) for name in ("tw2t", "hk2t", "t2s")]


def within(point: int, ranges: list[tuple[int, int]]) -> bool:
    return any(low <= point <= high for low, high in ranges)


def simplified(char: str) -> str:
    """The simplified form, followed to its end: a variant's simplified form may have one too."""
    seen = []
    while within(ord(char), HAN) and char not in seen:
        seen.append(char)
        for converter in converters:
            char = converter.convert(char)
        assert len(char) == 1
    return min(seen[seen.index(char) :]) if char in seen else char


def compatible(char: str) -> str:
    """Rule 1."""
    if ord(char) in TRADE_MARKS:
        return char
    folded = ucd.normalize("NFKC", ucd.normalize("NFKC", char).casefold()).replace("ı", "i")
    keep = lambda c: 0xAC00 <= ord(c) <= 0xD7A3 or 0x3040 <= ord(c) <= 0x30FF  # noqa: E731
    return "".join(c if keep(c) else ucd.normalize("NFKD", c) for c in folded)


def simple_entry(char: str) -> int:
    """Rules 2 to 6 for a character that decomposes no further."""
    point, category = ord(char), ucd.category(char)
    if point in KANA_MARKS or point in VOWELS_AND_FINALS:
        return JOIN << KIND_SHIFT | point
    if category == "Cf" or point in INVISIBLE or (category[0] == "M" and within(point, DECORATION)):
        return REMOVED << KIND_SHIFT
    if category == "Nd":
        return WORD << KIND_SHIFT | ord("0") + ucd.digit(char)
    letter = category[0] in "LMN" or (category == "Cn" and within(point, HAN))
    if not letter:
        return SEPARATOR << KIND_SHIFT
    if within(point, UNSPACED):
        return SINGLE << KIND_SHIFT | ord(simplified(char))
    return WORD << KIND_SHIFT | point


def collapse(entries: list[int]) -> list[int]:
    """Without what is removed, and with runs of separators as one."""
    kept: list[int] = []
    for entry in entries:
        kind = entry >> KIND_SHIFT
        if kind == REMOVED or (kind == SEPARATOR and kept and kept[-1] >> KIND_SHIFT == SEPARATOR):
            continue
        kept.append(entry)
    return kept


def main() -> None:
    entries = np.zeros(0x110000, dtype=np.uint32)
    sequences: list[int] = []
    offsets: dict[tuple[int, ...], int] = {}
    for point in range(0x110000):
        if 0xD800 <= point <= 0xDFFF:
            continue
        char = chr(point)
        # An unassigned or private code point has no fold; U+FDFA would spell out 18 letters.
        expanded = compatible(char)
        if len(expanded) > LONGEST_SEQUENCE:
            expanded = char
        parts = collapse([simple_entry(c) for c in expanded])
        if not parts:
            entries[point] = REMOVED << KIND_SHIFT
        elif len(parts) == 1:
            entries[point] = parts[0]
        else:
            key = tuple(parts)
            if key not in offsets:
                offsets[key] = len(sequences)
                sequences += [len(parts), *parts]
            entries[point] = SEQUENCE << KIND_SHIFT | offsets[key]
    # Stored as "what differs from the code point itself", most pages are equal and fold into one.
    mapped = np.isin(entries >> KIND_SHIFT, (WORD, SINGLE, JOIN))
    entries[mapped] ^= np.arange(len(entries), dtype=np.uint32)[mapped]
    pages, index = np.unique(entries.reshape(-1, 256), axis=0, return_inverse=True)
    joins = [
        (base, mark, ord(joined))
        for mark in sorted(KANA_MARKS)
        for base in range(0x3041, 0x30FF)
        if len(joined := ucd.normalize("NFC", chr(base) + chr(mark))) == 1
    ]
    np.savez_compressed(
        TARGET,
        pages=pages.astype(np.uint32),
        index=index.astype(np.uint16).ravel(),
        sequences=np.array(sequences, dtype=np.uint32),
        joins=np.array(joins, dtype=np.uint32),
        unicode=np.array([int(part) for part in ucd.unidata_version.split(".")]),
    )
    print(f"{TARGET}: Unicode {ucd.unidata_version}, {len(pages)} pages, {TARGET.stat().st_size} B")


if __name__ == "__main__":
    main()
