"""Copies made by script of the repository's own texts: words edited, excerpts, noise, scripts.

The texts are sentences of examples/wire.jsonl in a new order, with their content words replaced by
others of the language, the same one for the same: each is a text of its own, no data is needed. A
copy has no title and no address: it is found by its text alone, by a Deduper that holds all texts.
Figures stay as they are but for the noise, as another figure is other news.
"""

import json
import random
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from itertools import chain
from typing import NamedTuple

import corpora
from chinese_scripts import simplified, traditional
from nearcopy import Article, Deduper, Policy, Recipe, fingerprints
from nearcopy.fingerprint.fingerprint_table import RowPairs
from nearcopy.match.judgement import judge_pairs

SEED = 12
LANGUAGES = ("en", "de", "ar", "hi", "zh-Hans", "zh-Hant")
EACH = 40  # texts a language
SHORTEST, LONGEST = 170, 400  # words; half a Chinese word is a character
FUNCTION_WORDS, FUNCTION_CHARACTERS = 60, 120  # the most frequent, which stay
LETTERS = {  # what a scanner takes them for
    "o": "0c", "O": "0Q", "l": "1i", "i": "lj", "e": "c", "c": "e", "a": "o", "n": "u", "u": "v",
    "m": "rn", "h": "b", "b": "h", "t": "f", "f": "t", "s": "5", "S": "5", "B": "8", "g": "q",
    "0": "O", "1": "l", "5": "S", "8": "B",
}  # fmt: skip

Words = list[str]
Edit = Callable[[str, random.Random], str]


class Text(NamedTuple):
    """A text and its language."""

    language: str
    text: str


@cache
def texts(each: int = EACH) -> tuple[Text, ...]:
    """A deterministic sample of texts of every language."""
    return tuple(text for language in LANGUAGES for text in _texts(language, each))


def _texts(language: str, count: int) -> Iterator[Text]:
    sentences = _sentences(language)
    for number in range(count):
        dice = random.Random(f"{SEED} {language} {number}")
        target, drawn = dice.randint(SHORTEST, LONGEST), [*sentences]
        dice.shuffle(drawn)
        yield Text(language, _in_other_words(_so_many(drawn, target), sentences, dice))


def _sentences(language: str) -> list[str]:
    """The sentences of the examples in a language, each once."""
    with corpora.EXAMPLES.open(encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    plain = [r["text"] for r in rows if r["language"] == language and not r.get("html")]
    sentences = (re.findall(r"[^.!?。！？।؟\n]+(?:[.!?。！？।؟]+|$)", text) for text in plain)
    return list(dict.fromkeys(sentence.strip() for sentence in chain.from_iterable(sentences)))


def _so_many(sentences: Sequence[str], wanted: int) -> list[str]:
    chosen: list[str] = []
    for sentence in sentences:
        if sum(map(length, chosen)) >= wanted:
            break
        chosen.append(sentence)
    return chosen


def length(text: str) -> float:
    """The words of a text."""
    return len(text) / 2 if _is_chinese(text) else len(text.split())


def _in_other_words(taken: Sequence[str], known: Sequence[str], dice: random.Random) -> str:
    """The sentences, every content word replaced by another one throughout."""
    counts = Counter(word for sentence in known for word in units(sentence) if is_word(word))
    chinese = any(map(_is_chinese, taken))
    kept = {w for w, _ in counts.most_common(FUNCTION_CHARACTERS if chinese else FUNCTION_WORDS)}
    content = [word for word in counts if word not in kept]
    replacements = dict(zip(content, dice.sample(content, len(content)), strict=True))
    return join(replacements.get(word, word) for sentence in taken for word in units(sentence))


def units(text: str) -> Words:
    """Words and the signs between them; a Chinese word is two characters."""
    if _is_chinese(text):
        return re.findall(r"[0-9.,%]+|[\u4e00-\u9fff]{1,2}|\s+|.", text)
    return re.findall(
        r"[\w\u0300-\u036f\u0900-\u0903\u093a-\u094f]+|[^\w\u0300-\u036f\u0900-\u0903\u093a-\u094f]+",
        text + " ",
    )


def is_word(unit: str) -> bool:
    """Whether it is a word, no figure and no sign."""
    return unit[:1].isalpha() and not any(map(str.isdigit, unit))


def join(parts: Iterator[str] | Sequence[str]) -> str:
    """The text again."""
    return "".join(parts)


def _is_chinese(text: str) -> bool:
    return any("\u4e00" <= letter <= "\u9fff" for letter in text)


# The edits.


def word_edits(share: float) -> Edit:
    """An edit of this share of the words: replaced, left out, or one put in, by turns."""

    def edited(text: str, dice: random.Random) -> str:
        parts, pool = units(text), _other_words(text)
        places = [n for n, part in enumerate(parts) if is_word(part)]
        for turn, place in enumerate(dice.sample(places, round(share * len(places)))):
            space, gap = ("", " ") if _is_chinese(text) else (" ", "")
            new = dice.choice(pool)
            parts[place] = (new, gap, f"{parts[place]}{space}{new}")[turn % 3]
        return join(parts)

    return edited


def _other_words(text: str) -> Words:
    """Words of the other texts of its language."""
    language = next(candidate.language for candidate in texts() if _alike(candidate.text, text))
    return _vocabulary(language)


def _alike(one: str, other: str) -> bool:
    return one[:40] == other[:40]


@cache
def _vocabulary(language: str) -> Words:
    return sorted({w for s in _sentences(language) for w in units(s) if is_word(w)})


def excerpt(text: str, dice: random.Random) -> str:
    """A third of the text, from the start of a sentence in its first two thirds."""
    sentences = re.findall(r"[^.!?。！？।؟]+(?:[.!?。！？।؟]+\s*|$)", text)
    target = length(text) / 3
    starts = [n for n in range(len(sentences)) if length(join(sentences[n:])) >= target]
    return join(_so_many(sentences[dice.choice(starts) :], int(target)))


def scanned(text: str, dice: random.Random) -> str:
    """The text with one letter or figure in fifty misread."""
    letters = sorted({letter for letter in text if letter.isalpha()})
    characters = [*text]
    places = [n for n, letter in enumerate(text) if letter.isalnum()]
    for place in dice.sample(places, round(0.02 * len(places))):
        characters[place] = dice.choice(LETTERS.get(text[place]) or letters)
    return join(characters)


def other_script(text: str, _: random.Random) -> str:
    """A Chinese text in the other script."""
    converted = traditional(text)
    return converted if converted != text else simplified(text)


EDITS: Mapping[str, tuple[Edit, float]] = {
    "5 % of the words edited": (word_edits(0.05), 0.99),
    "30 % of the words edited": (word_edits(0.30), 0.95),
    "an excerpt of one third": (excerpt, 0.95),
    "2 % of the characters misread": (scanned, 0.95),
    "in the other Chinese script": (other_script, 0.99),
}


class Found(NamedTuple):
    """Whether the copy of a text was found, and as what."""

    language: str
    found: bool
    rule: str


def copies(name: str, known: Sequence[Text]) -> Iterator[tuple[int, Article]]:
    """The edited copies, each with the place of its original."""
    edit, _ = EDITS[name]
    for place, text in enumerate(known):
        if edit is not other_script or text.language.startswith("zh"):
            dice = random.Random(f"{SEED} {name} {place}")
            yield place, Article(id=f"copy-{place}", text=edit(text.text, dice))


def found(name: str, known: Sequence[Text], policy: Policy | None = None) -> list[Found]:
    """For each copy whether a Deduper that holds all the texts finds its original."""
    with Deduper(policy=policy) as deduper:
        originals = (Article(id=f"text-{n}", text=text.text) for n, text in enumerate(known))
        for _ in deduper.run(originals):
            pass
        verdicts = [(place, deduper.check(copy)) for place, copy in copies(name, known)]
    return [
        Found(known[place].language, v.is_duplicate and v.match == f"text-{place}", v.rule)
        for place, v in verdicts
    ]


def judged_copies(name: str, known: Sequence[Text], policy: Policy | None = None) -> list[Found]:
    """The same of each copy beside its original, as if keys had proposed every one."""
    placed = list(copies(name, known))
    texts = {copy.id: copy for _, copy in placed}
    texts |= {
        f"text-{place}": Article(id=f"text-{place}", text=known[place].text) for place, _ in placed
    }
    prints = {fingerprint.id: fingerprint for fingerprint in fingerprints(list(texts.values()))}
    pairs = RowPairs.of((prints[f"text-{place}"], prints[copy.id]) for place, copy in placed)
    decided = judge_pairs(
        pairs, Recipe(), policy or Policy(), lambda ids: {n: texts[n] for n in ids}
    )
    return [
        Found(known[place].language, judgement.decision.duplicate, judgement.decision.rule)
        for (place, _), judgement in zip(placed, decided, strict=True)
    ]


def main() -> None:
    """Prints how many are found, by language."""
    for name, (_, bar) in EDITS.items():
        lines = found(name, texts())
        share = sum(line.found for line in lines) / len(lines)
        print(f"{name}: {share:.3f} of {len(lines)}, bar {bar}")
        missed = Counter((line.language, line.rule) for line in lines if not line.found)
        print(f"  missed: {dict(missed)}", file=sys.stderr)


if __name__ == "__main__":
    main()
