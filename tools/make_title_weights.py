"""Writes src/nearcopy/kernels/title_weights.txt: how much the common terms of titles weigh.

    python tools/make_title_weights.py ../shared/data

Terms are counted over distinct titles, language by language; a term's share is the largest it has
in any of them, so that the stop words of every language are light. Its weight, in hundredths, is
ln((N + 1) / (N * share + 1)): the idf, levelling off among rare terms. Only terms of many titles
are written: single stems of common vocabulary, no text.
"""

import gzip
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from math import log
from pathlib import Path

from nearcopy.extract.text import normalised
from nearcopy.extract.titles import clean
from nearcopy.kernels.reference.titles import title_terms

TARGET = Path(__file__).parents[1] / "src/nearcopy/kernels/title_weights.txt"
SETS = ("headline-stream", "semeval22", "saudi-july", "uci-titles", "wikinews")
SATURATION = 2000  # N: a term in fewer than one of so many titles weighs nearly as an unknown one
LEAST_TITLES = 20
LEAST_SHARE = 0.0007
FEW_TITLES = 1000  # added to each language, so that a word or two of few titles say little
SWEDISH = {
    "och",
    "att",
    "det",
    "som",
    "på",
    "för",
    "är",
    "av",
    "till",
    "med",
    "om",
    "inte",
    "i",
    "en",
}
ENGLISH = {"the", "of", "to", "in", "and", "for", "on", "a", "is", "with", "as", "at", "by", "from"}
HEAD = """\
# How much a term weighs in a title, in hundredths; * is any other.
# Made by tools/make_title_weights.py.
"""


def main() -> None:
    titles = sorted(set(read(Path(sys.argv[1]))))
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    sizes: Counter[str] = Counter()
    for language, title in titles:
        sizes[language] += 1
        counts[language].update(set(title_terms(title)))
    weights = {"*": weight(0)} | {term: weight(share) for term, share in shares(counts, sizes)}
    lines = [f"{weights[term]} {term}\n" for term in sorted(weights)]
    TARGET.write_text(HEAD + "".join(lines), encoding="utf-8")
    print(f"{TARGET}: {len(lines)} terms of {dict(sizes)} titles, {TARGET.stat().st_size} B")


def read(folder: Path) -> Iterator[tuple[str, str]]:
    """(language, normal title) of every title."""
    with gzip.open(folder / "headlines" / "titles.txt.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            yield found(line, None, None)
    for name in SETS:
        with gzip.open(folder / name / "articles.jsonl.gz", "rt", encoding="utf-8") as lines:
            for article in map(json.loads, lines):
                if article.get("title"):
                    yield found(article["title"], article.get("source"), article.get("lang"))


def found(title: str, source: str | None, language: str | None) -> tuple[str, str]:
    folded = normalised(clean(title, source).text)
    words = title.lower().split()
    swedish = sum(w in SWEDISH for w in words) > sum(w in ENGLISH for w in words)
    return language or ("sv" if swedish or "å" in title or "ö" in title else "en"), folded


def shares(counts: dict[str, Counter[str]], sizes: Counter[str]) -> Iterator[tuple[str, float]]:
    """The terms seen often enough, with the largest share each has in a language."""
    for term in set().union(*counts.values()):
        seen = {language: count[term] for language, count in counts.items()}
        share = max(seen[language] / (sizes[language] + FEW_TITLES) for language in seen)
        if sum(seen.values()) >= LEAST_TITLES and share >= LEAST_SHARE:
            yield term, share


def weight(share: float) -> int:
    return max(1, round(100 * log((SATURATION + 1) / (SATURATION * share + 1))))


if __name__ == "__main__":
    main()
