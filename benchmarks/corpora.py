"""What is measured on: real news where ../shared/data is there, the repository's examples where
it is not. Nothing of the former is written anywhere but into a temporary folder."""

import gzip
import json
import random
import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT.parent / "shared" / "data"
EXAMPLES = ROOT / "examples" / "wire.jsonl"

LEAST_WORDS = 30
PASSAGE_WORDS = 100


class Corpus(NamedTuple):
    """Texts, and where they come from."""

    source: str
    texts: list[str]


def english(count: int) -> Corpus:
    """News in English: allsides, or edited copies of the examples."""
    return _news("allsides", "en", count)


def arabic(count: int) -> Corpus:
    """News in Arabic: saudi-july, or edited copies of the examples."""
    return _news("saudi-july", "ar", count)


def chinese(count: int, seed: int = 3) -> Corpus:
    """Documents of 300-600 characters, made of the examples' Chinese sentences at random."""
    dice = random.Random(seed)
    sentences = [
        sentence
        for text in examples("zh")
        for sentence in re.findall(r"[^。！？\n]+[。！？]", text)
    ]
    texts = [_shuffled(sentences, dice.randint(300, 600), dice) for _ in range(count)]
    return Corpus("examples/wire.jsonl, sentences shuffled", texts)


def passages(count: int, seed: int = 4) -> Corpus:
    """Passages of 100 words, all different: of allsides, or of the examples' words at random."""
    windows: list[str] = []
    if (DATA / "allsides").is_dir():
        windows = list(islice(_windows(), count))
    dice = random.Random(seed)
    words = [word for text in examples("en") for word in text.split()]
    random_texts = (
        " ".join(dice.choices(words, k=PASSAGE_WORDS)) for _ in range(count - len(windows))
    )
    source = "allsides, cut every 100 words" if windows else "examples/wire.jsonl, words at random"
    return Corpus(source, [*windows, *random_texts])


def edited(text: str, share: float, dice: random.Random) -> str:
    """The text with this share of its words replaced by others of its own."""
    words = text.split(" ")
    for place in dice.sample(range(len(words)), round(share * len(words))):
        words[place] = dice.choice(words)
    return " ".join(words)


def html_pages() -> list[str]:
    """Real news pages, or none."""
    pages = sorted((DATA / "html-pages" / "html").glob("*.html.gz"))
    return [gzip.decompress(page.read_bytes()).decode("utf-8", "replace") for page in pages]


def articles(name: str) -> Iterator[dict[str, str]]:
    """The articles of one of the shared sets."""
    with gzip.open(DATA / name / "articles.jsonl.gz", "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def examples(language: str) -> list[str]:
    """The plain texts of the repository's examples in a language."""
    with EXAMPLES.open(encoding="utf-8") as lines:
        rows = list(map(json.loads, lines))
    return [
        article["text"]
        for article in rows
        if article["language"].startswith(language) and not article.get("html")
    ]


def _news(name: str, language: str, count: int) -> Corpus:
    if (DATA / name).is_dir():
        return Corpus(name, list(islice(_long_texts(name), count)))
    dice, bases = random.Random(2), examples(language)
    texts = [edited(bases[place % len(bases)], 0.2, dice) for place in range(count)]
    return Corpus("examples/wire.jsonl, edited copies", texts)


def _long_texts(name: str) -> Iterator[str]:
    for article in articles(name):
        text = article.get("text") or ""
        if len(text.split(None, LEAST_WORDS)) > LEAST_WORDS:
            yield text


def _windows() -> Iterator[str]:
    for text in _long_texts("allsides"):
        words = text.split()
        for start in range(0, len(words) - PASSAGE_WORDS + 1, PASSAGE_WORDS):
            yield " ".join(words[start : start + PASSAGE_WORDS])


def _shuffled(sentences: list[str], length: int, dice: random.Random) -> str:
    text = ""
    while len(text) < length:
        text += dice.choice(sentences)
    return text[:length]
