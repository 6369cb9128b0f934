"""Detection of block pages: pages that are no article, by their phrases.

A notice addresses its reader ("please enable cookies"), news reports ("the court ruled on
cookies"). So the phrases are those of notices, weighted by the share of the text in sentences that
contain one. Texts over 200 words are considered only if they open like a notice, as a consent wall
with all its clauses does; texts over 600 words are never considered.

`block_page_reason` depends on the page alone, so that the result is independent of the order in
which articles arrive.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import compress
from typing import Any

import nearcopy.kernels as kernels
from nearcopy.extract.text import normalised, plain_text
from nearcopy.extract.word_lists import load_word_lists

MAX_WORDS = 600
LONG = 200  # words; a longer text is no notice unless it opens like one
OPENING = 200  # characters of the opening
LONG_PHRASES = 4  # minimum number of phrases in a long text
LONGEST_SENTENCE = 100  # words; a longer one is a list, such as the countries of a form
TITLE_WORDS = 25  # a text this short does not outweigh a title such as "404"
MIN_SHARE = 0.5  # of the words, in sentences with a phrase
MANY_PHRASES, MANY_SHARE = 6, 0.33  # with many phrases a smaller share is enough
OPENED_SHARE = 0.2  # for a short text of several phrases that begins with one
MIN_COVER = 0.25  # of the words, in the phrase itself, if there is only one
ONE_PHRASE = 60  # a text of more words needs more than one phrase
LONGEST_TITLE = 80

_SENTENCES = re.compile(r"(?<!\d)[.!?…](?=\s|$)|[\n。！？؟।]")  # not in "25. May"


def block_page_reason(title: str, text: str, words: int, *, html: bool = False) -> str | None:
    """Why this is no article, or None; `words` is the word count of the text.

    >>> block_page_reason("", "Please enable JavaScript to read this page.", 7)
    'script notice: enable javascript'
    >>> block_page_reason("", "The court ruled on Tuesday that cookie walls are illegal.", 10)
    """
    if words > MAX_WORDS:
        return None
    text = plain_text(text, html=html)
    if words > LONG and not _opens_like_a_notice(text):
        return None
    phrases = _find_phrases(normalised(text))
    if words > LONG and len(phrases) < LONG_PHRASES:
        return None
    if words <= (ONE_PHRASE if phrases else TITLE_WORDS) and len(title) <= LONGEST_TITLE:
        named = _titles().get(normalised(title))
        if named is not None:
            return f"{named}: its title says so"
    if not phrases or (len(phrases) == 1 and words > ONE_PHRASE):
        return None
    return _notice(text, phrases, words)


def block_page_reasons(
    titles: Sequence[str], texts: Sequence[str], words: Sequence[int], *, html: Sequence[bool]
) -> list[str | None]:
    """`block_page_reason` of each page; only those with a phrase of a notice are read."""
    reasons: list[str | None] = [None] * len(words)
    for row in _likely_rows(titles, texts, words, html):
        reasons[row] = block_page_reason(titles[row], texts[row], words[row], html=html[row])
    return reasons


def _likely_rows(
    titles: Sequence[str], texts: Sequence[str], words: Sequence[int], html: Sequence[bool]
) -> set[int]:
    """The rows with a phrase of a notice, or in long texts of its opening, or with its title."""
    sizes = list(enumerate(words))
    short = [row for row, size in sizes if size <= LONG]
    long = [row for row, size in sizes if LONG < size <= MAX_WORDS]
    titled = [
        row for row in short if words[row] <= TITLE_WORDS and len(titles[row]) <= LONGEST_TITLE
    ]
    openings = [
        text if marked else text[:OPENING] for text, marked in zip(texts, html, strict=True)
    ]
    return {
        *_rows_with(_phrase_finder(), short, texts, html),
        *_rows_with(_opening_finder(), long, openings, html),
        *_rows_with(_title_finder(), titled, titles, [False] * len(titles)),
    }


def _rows_with(
    finder: kernels.PhraseFinder, rows: list[int], texts: Sequence[str], html: Sequence[bool]
) -> Iterator[int]:
    """The rows whose texts have a phrase."""
    matches = finder.match([texts[row] for row in rows], html=[html[row] for row in rows])
    return compress(rows, matches)


def _opens_like_a_notice(text: str) -> bool:
    return not _openings().isdisjoint(normalised(text[:OPENING]).split(" "))


def _notice(text: str, phrases: Mapping[str, str], words: int) -> str | None:
    """The kind of notice, if the text is little else."""
    signs = [*phrases, *(phrase for phrase in _site_phrases() if phrase in f" {normalised(text)} ")]
    covered, lists = 0, 0
    for sentence in _sentences(text):
        if any(sign in sentence for sign in signs):
            covered += _size(sentence)
        elif words > LONG:
            lists += _list_size(sentence)
    words -= lists
    cover = sum(map(_size, phrases))
    if covered < _min_share(text, phrases, words) * words:
        return None
    if len(signs) == 1 and cover < MIN_COVER * words:
        return None
    kind, phrase = _main_kind(phrases)
    return f"{kind}: {phrase}"


def _size(phrase: str) -> int:
    """The number of words of a folded phrase padded with spaces."""
    return phrase.count(" ") - 1


def _list_size(sentence: str) -> int:
    """The number of words of a list of options, as in forms; 0 for a sentence."""
    size = _size(sentence)
    return size if size > LONGEST_SENTENCE and not any(map(str.isdigit, sentence)) else 0


def _min_share(text: str, phrases: Mapping[str, str], words: int) -> float:
    """The minimum share of the text in sentences of a notice, by the phrases in it."""
    if words > LONG:
        return MIN_SHARE
    if len(phrases) >= MANY_PHRASES:
        return MANY_SHARE
    folded = f" {normalised(text)} "
    opened = len(phrases) > 1 and words <= ONE_PHRASE and any(map(folded.startswith, phrases))
    return OPENED_SHARE if opened else MIN_SHARE


def _sentences(text: str) -> Iterator[str]:
    """The folded sentences, padded with spaces."""
    return (f" {normalised(s)} " for s in _SENTENCES.split(text) if s and not s.isspace())


def _main_kind(phrases: Mapping[str, str]) -> tuple[str, str]:
    """The kind with the most phrases, the first in the table on a tie, and its longest phrase."""
    kinds = list(phrases.values())
    kind: str = max(_lists()["phrases"], key=kinds.count)
    return kind, max((phrase for phrase in phrases if phrases[phrase] == kind), key=len).strip()


def _find_phrases(folded: str) -> dict[str, str]:
    """The phrases in a folded text, with the kind of page of each."""
    words, by_anchor = _phrase_index()
    anchors = words.intersection(folded.split(" "))
    if not anchors:
        return {}
    text = f" {folded} "
    likely = (entry for word in sorted(anchors) for entry in by_anchor[word])
    return {phrase: kind for phrase, kind in likely if phrase in text}


_PhraseIndex = dict[str, list[tuple[str, str]]]


@cache
def _phrase_index() -> tuple[frozenset[str], _PhraseIndex]:
    """The phrases and their kinds by the longest word of each."""
    by_anchor: _PhraseIndex = defaultdict(list)
    for kind, phrases in _lists()["phrases"].items():
        for phrase in map(normalised, phrases):
            by_anchor[max(phrase.split(" "), key=len)].append((f" {phrase} ", kind))
    return frozenset(by_anchor), dict(by_anchor)


@cache
def _phrase_finder() -> kernels.PhraseFinder:
    _, by_anchor = _phrase_index()
    return kernels.PhraseFinder(
        [phrase.strip() for entries in by_anchor.values() for phrase, _ in entries]
    )


@cache
def _opening_finder() -> kernels.PhraseFinder:
    return kernels.PhraseFinder(sorted(_openings()))


@cache
def _title_finder() -> kernels.PhraseFinder:
    return kernels.PhraseFinder(list(_titles()))


@cache
def _titles() -> dict[str, str]:
    kinds = _lists()["titles"].items()
    return {normalised(title): kind for kind, titles in kinds for title in titles}


@cache
def _site_phrases() -> tuple[str, ...]:
    return tuple(f" {normalised(phrase)} " for phrase in _lists()["site_phrases"])


@cache
def _openings() -> frozenset[str]:
    return frozenset(map(normalised, _lists()["opening_words"]))


@cache
def _lists() -> dict[str, Any]:
    return load_word_lists(__package__, "block_pages.toml")
