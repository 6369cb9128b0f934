"""Junk: pages that are no article, told by what they say or by the many titles they stand under.

A notice speaks to its reader ("please enable cookies"), news speaks about things ("the court ruled
on cookies"). So the phrases are those of notices, they count by the share of the text whose
sentences hold them. Texts of more than 200 words are looked at only where they begin like a notice,
as a consent wall with all its clauses does, and those of more than 600 not at all.

`reason` asks nothing but the page itself: a Deduper goes by it, so that a page is junk, or not,
whoever came before it. `marked` is for those who have all articles at hand.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from nearcopy.extract.block_pages.phrases import ADDRESS, BOXES, OPENINGS, TITLES, WALLS
from nearcopy.extract.text import normalised, strip_html
from nearcopy.extract.urls import slug
from nearcopy.models import Fingerprint

MAX_WORDS = 600
LONG = 200  # a text of more words is no notice unless it begins like one
OPENING = 200  # characters in which it does
LONG_PHRASES = 4  # that a long one holds
LONGEST_SENTENCE = 100  # words: what is longer is a list, such as the countries of a form
TITLE_WORDS = 25  # a text of so few words says nothing against a title that says "404"
MIN_SHARE = 0.5  # of the words, in sentences that hold a phrase
MANY_PHRASES, MANY_SHARE = 6, 0.33  # so many phrases are a notice in a smaller share of the words
OPENED_SHARE = 0.2  # the same for a short text of several phrases that begins with one
MIN_COVER = 0.25  # of the words, in the phrase itself, where there is only one
ONE_PHRASE = 60  # a text of more words needs more than one phrase
LONGEST_TITLE = 80
PHRASES = {**WALLS, **BOXES}

_SENTENCES = re.compile(r"(?<!\d)[.!?…](?=\s|$)|[\n。！？؟।]")  # not after the 25. of May


def reason(title: str, text: str, words: int, *, html: bool = False) -> str | None:
    """Why this is no article, or None; `words` is how many the text has.

    >>> reason("", "Please enable JavaScript to read this page.", 7)
    'script notice: enable javascript'
    >>> reason("", "The court ruled on Tuesday that cookie walls are illegal.", 10)
    """
    if words > MAX_WORDS:
        return None
    text = strip_html(text) if html else text
    if words > LONG and not _begins_like_a_notice(text):
        return None
    phrases = _phrases_in(normalised(text))
    if words > LONG and len(phrases) < LONG_PHRASES:
        return None
    if words <= (ONE_PHRASE if phrases else TITLE_WORDS) and len(title) <= LONGEST_TITLE:
        named = _titles().get(normalised(title))
        if named is not None:
            return f"{named}: its title says so"
    if not phrases or (len(phrases) == 1 and words > ONE_PHRASE):
        return None
    return _notice(text, phrases, words)


def _begins_like_a_notice(text: str) -> bool:
    return not _openings().isdisjoint(normalised(text[:OPENING]).split(" "))


def _notice(text: str, phrases: Mapping[str, str], words: int) -> str | None:
    """The kind of notice that the text is, if it is hardly anything else."""
    signs = [*phrases, *(phrase for phrase in _address() if phrase in f" {normalised(text)} ")]
    held, lists = 0, 0
    for sentence in _sentences(text):
        if any(sign in sentence for sign in signs):
            held += _size(sentence)
        elif words > LONG:
            lists += _options(sentence)
    words -= lists
    cover = sum(map(_size, phrases))
    if held < _least_share(text, phrases, words) * words:
        return None
    if len(signs) == 1 and cover < MIN_COVER * words:
        return None
    kind, phrase = _likeliest(phrases)
    return f"{kind}: {phrase}"


def _size(phrase: str) -> int:
    """The words of a folded phrase with a space before and after."""
    return phrase.count(" ") - 1


def _options(sentence: str) -> int:
    """The words of a sentence that is none but a list of what to choose from, as forms have."""
    size = _size(sentence)
    return size if size > LONGEST_SENTENCE and not any(map(str.isdigit, sentence)) else 0


def _least_share(text: str, phrases: Mapping[str, str], words: int) -> float:
    """How much of a text has to be in sentences of a notice, by what it holds of one."""
    if words > LONG:
        return MIN_SHARE
    if len(phrases) >= MANY_PHRASES:
        return MANY_SHARE
    folded = f" {normalised(text)} "
    opened = len(phrases) > 1 and words <= ONE_PHRASE and any(map(folded.startswith, phrases))
    return OPENED_SHARE if opened else MIN_SHARE


def _sentences(text: str) -> Iterator[str]:
    """The sentences, folded, with a space before and after."""
    return (f" {normalised(s)} " for s in _SENTENCES.split(text) if s and not s.isspace())


def _likeliest(phrases: Mapping[str, str]) -> tuple[str, str]:
    """The kind with the most phrases, the first of the table among equals, and the longest."""
    kinds = list(phrases.values())
    kind = max(PHRASES, key=kinds.count)
    return kind, max((phrase for phrase in phrases if phrases[phrase] == kind), key=len).strip()


def _phrases_in(folded: str) -> dict[str, str]:
    """The phrases that stand in a folded text, and the kind of page that says so."""
    words, filed = _anchors()
    anchors = words.intersection(folded.split(" "))
    if not anchors:
        return {}
    text = f" {folded} "
    likely = (entry for word in sorted(anchors) for entry in filed[word])
    return {phrase: kind for phrase, kind in likely if phrase in text}


_Filed = dict[str, list[tuple[str, str]]]


@lru_cache(maxsize=1)
def _anchors() -> tuple[frozenset[str], _Filed]:
    """The longest words of the phrases, and the phrases with their kinds under them."""
    filed: _Filed = defaultdict(list)
    for kind, phrases in PHRASES.items():
        for phrase in _entries(phrases):
            filed[max(phrase.split(" "), key=len)].append((f" {phrase} ", kind))
    return frozenset(filed), dict(filed)


@lru_cache(maxsize=1)
def _titles() -> dict[str, str]:
    return {title: kind for kind, titles in TITLES.items() for title in _entries(titles)}


@lru_cache(maxsize=1)
def _address() -> tuple[str, ...]:
    return tuple(f" {phrase} " for phrase in _entries(ADDRESS))


@lru_cache(maxsize=1)
def _openings() -> frozenset[str]:
    return frozenset(_entries(OPENINGS))


def _entries(table: str) -> Iterator[str]:
    return (normalised(entry) for entry in table.split("|"))


def marked(members: Iterable[Fingerprint]) -> list[Fingerprint]:
    """The fingerprints, those of a text that stands under many unlike titles marked as junk."""
    fingerprints = list(members)
    reasons = repeated(fingerprints)
    return [
        replace(fingerprint, junk=fingerprint.junk or reasons.get(fingerprint.digest or b""))
        for fingerprint in fingerprints
    ]


def repeated(
    members: Sequence[Fingerprint], *, least: int = 3, common: float = 0.15
) -> Mapping[bytes, str]:
    """The digests of texts that stand under `least` or more unlike titles or addresses, and why.

    A wire story retitled by its takers shares words from title to title, and a page posted again
    shares them all: with `common` of their words shared on average, titles are not unlike.
    """
    groups: dict[bytes, list[Fingerprint]] = defaultdict(list)
    for member in members:
        if member.digest is not None:
            groups[member.digest].append(member)
    reasons = {}
    for digest, copies in groups.items():
        if len(copies) >= least and (why := _unlike(copies, least, common)):
            reasons[digest] = why
    return reasons


def _unlike(copies: Sequence[Fingerprint], least: int, common: float) -> str | None:
    """Why a text is no article, by its titles, or by its addresses where titles tell nothing."""
    kind, labels = "titles", [copy.title for copy in copies if copy.title]
    if len(set(labels)) < 2:
        kind, labels = "addresses", [_slug(copy.url) for copy in copies if copy.url]
    labels = [label for label in labels if label.split()]
    if len(set(labels)) < least or _words_in_common(labels) >= common:
        return None
    return f"one text under {len(set(labels))} unlike {kind}"


def _words_in_common(labels: Sequence[str]) -> float:
    """The words that two labels share on average, as a share of those that one has.

    >>> round(_words_in_common(["storm hits coast", "storm nears coast", "cup final"]), 2)
    0.25
    """
    sets = [set(label.split()) for label in labels]
    times = Counter(word for words in sets for word in words)
    pairs = len(sets) * (len(sets) - 1)
    shared = sum(count * (count - 1) for count in times.values()) / pairs
    return shared / (sum(map(len, sets)) / len(sets))


def _slug(url: str) -> str:
    """The folded words of the address that name the story; fewer than three name none."""
    words = normalised(slug(url))
    return words if words.count(" ") >= 2 else ""
