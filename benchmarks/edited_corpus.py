"""A corpus of as many documents as wanted: allsides again and again, with random edits.

Each document is one of the 12,000 articles, cut to about 2.3 KB, with a third of its words
exchanged, so that it is like no other of the same article; or, for a third of them, a copy of one
of the last 20,000 with 0 to 12 % of its words exchanged. So the share of copies is the same at any
size.
"""

import json
from pathlib import Path

import numpy as np

import corpora

WORDS = 380  # about 2.3 KB
LEAST_WORDS = 150
COPIES = 0.35  # of the documents
STRANGE = 0.35  # of the words of a document that is no copy
RATES = (0.0, 0.0, 0.005, 0.01, 0.02, 0.03, 0.05, 0.08, 0.1, 0.12)
RECENT = 20_000


def write(path: Path, count: int, seed: int = 7) -> None:
    """Writes a document a line: id, text, and what it was made from."""
    dice = np.random.default_rng(seed)
    texts = (text.split()[:WORDS] for text in corpora.english(12_000).texts)
    bases = [words for words in texts if len(words) >= LEAST_WORDS]
    vocabulary = [word for words in bases[:3000] for word in words]
    recent: list[tuple[int, list[str]]] = []

    def edited(words: list[str], rate: float) -> list[str]:
        variant = list(words)
        places = np.flatnonzero(dice.random(len(variant)) < rate)
        choices = dice.integers(len(vocabulary), size=len(places))
        for place, other in zip(places.tolist(), choices.tolist(), strict=True):
            variant[place] = vocabulary[other]
        return variant

    with path.open("w", encoding="utf-8") as out:
        for number in range(count):
            copy = bool(recent) and dice.random() < COPIES
            if copy:
                of, words = recent[dice.integers(len(recent))]
                words = edited(words, RATES[dice.integers(len(RATES))])
            else:
                of, words = None, edited(bases[dice.integers(len(bases))], STRANGE)
                recent.append((number, words))
                if len(recent) > RECENT:
                    recent[dice.integers(RECENT)] = recent.pop()
            row = {
                "id": f"d{number}",
                "text": " ".join(words),
                "of": None if of is None else f"d{of}",
            }
            out.write(json.dumps(row, ensure_ascii=False) + "\n")
