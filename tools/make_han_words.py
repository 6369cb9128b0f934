"""Writes match/titles/han_words.txt: common two-character words that are no names.

    python tools/make_han_words.py dict.txt.small

The dictionary is extra_dict/dict.txt.small of github.com/fxsjy/jieba: a word, how often it was
counted and what kind of word it is, a line. Words of fewer counts, and those that are marked as
names of people, places and organisations, are left out.
"""

import sys
from pathlib import Path

from nearcopy.extract.text import normalised

TARGET = Path(__file__).parents[1] / "src/nearcopy/match/titles/han_words.txt"
LEAST_COUNT = 500
NAMES = frozenset(("nr", "ns", "nt", "nz", "nrt", "nrfg"))
A_LINE = 40
HEAD = """\
# Common words of two Han characters that are no names.
# Made by tools/make_han_words.py.
"""


def main() -> None:
    rows = [line.split() for line in Path(sys.argv[1]).read_text("utf-8").splitlines()]
    kept = {
        normalised(word).replace(" ", "")
        for word, count, kind in rows
        if len(word) == 2 and int(count) >= LEAST_COUNT and kind not in NAMES
    }
    words = sorted(word for word in kept if len(word) == 2)
    lines = (" ".join(words[at : at + A_LINE]) for at in range(0, len(words), A_LINE))
    TARGET.write_text(HEAD + "".join(f"{line}\n" for line in lines), encoding="utf-8")


if __name__ == "__main__":
    main()
