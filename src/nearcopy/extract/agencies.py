"""News agencies that a text credits as its source; `agencies.toml` lists their names and sites.

Credits are in the dateline, the byline, a line of their own, or at the very end. "Apple told
Reuters" mentions an agency and is no credit. Only the first 600 and the last 400 characters are
read, line by line. Picture credits do not count.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache, lru_cache

from nearcopy.extract.text import plain_text
from nearcopy.extract.urls import site
from nearcopy.extract.word_lists import load_word_lists, words
from nearcopy.kernels.lazy_pattern import lazy_pattern
from nearcopy.models import Article

_LISTS = load_word_lists(__package__, "agencies.toml")
AGENCIES: str = _LISTS["agencies"]
NOT_DATELINES = words(_LISTS["not_datelines"])
ONLY_BRACKETED = words(_LISTS["only_bracketed"])
HEAD, TAIL = 600, 400
LONGEST_NAME = 40
LONGEST_LINE = 120  # of a byline, or a line with nothing but a credit
SHORT_LINE = 45  # shorter lines were not wrapped
LONGEST_PLACE = 60  # characters before the agency in a dateline
MAX_OTHER_PARTS = 3  # parts of a credit that are no agency: initials, the short name of a paper

PICTURES = lazy_pattern(
    r"\b(?:photo|photos|photograph|picture|pictures|image|images|pool|getty|foto|fotos|bild|"
    r"bilder|rubriklistenbild|symbolbild|zdjęcie|fot|fotoğraf|fotógrafo|caption|video|imagen|credit|"
    r"фото|epa)\b|"
    r"الصور|صورة|图片|图|写真|사진",
    re.IGNORECASE,
)
BETWEEN = lazy_pattern(r"\s?[/,;+&|·•=]\s?|\s(?:and|und|et|y|e|i|ve|и|و)\s|\s[-–—]\s")
INITIALS = lazy_pattern(r"[a-zäöüß]{1,5}+|[A-ZÄÖÜ]{1,5}+|File")
DASH = lazy_pattern(r"\s[-–—]{1,2}+\s?|[-–—]{1,2}+\s|[–—]|\s?\|\s?")
# "LONDON, March 3 (Reuters) - ", "Sofia, 1 January. /TASS/. ", and the next character.
BRACKETED = lazy_pattern(
    r"(?:[(\[（【]|(?<![^\s])/)\s?([^\W_][^()\[\]（）【】/\n]{1,40}+(?:/[^()\[\]（）【】/\n]{1,20}+)?)"
    r"\s?[)\]）】/]\s{0,3}(\.?\s?[-–—�:]|)(?:\s{0,3}(\w))?"
)
# East Asian agencies end the text in brackets: 【ロンドン共同】, (서울=연합뉴스).
EASTERN = lazy_pattern(r"[【［\[(（]([^】］\])）\n]{2,30}+)[】］\])）]")
EASTERN_NAMES = lazy_pattern(
    r"(共同|共同通信|時事|時事通信|ロイター|연합뉴스|연합|뉴시스|뉴스1|로이터|新华社|新華社|中央社|中新社|"
    r"\A(?:AFP|AP|Reuters))\Z"
)
EASTERN_PARTS = lazy_pattern(r"[=/＝・]")
EASTERN_LETTER = lazy_pattern(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]")
TELEGRAM = lazy_pattern(
    r"(新华社|新華社|中新社|中新网|中央社)[^。，,\n]{0,24}?\d日?[^。，,\n]{0,8}?[电電]"
)
LABEL = lazy_pattern(
    r"\s{0,3}(?:source|sources|kaynak|źródło|quelle|fuente|fonte|via|con información de|"
    r"avec|с материалами|источник|المصدر|来源|來源|出典|출처|agency|agencies|ajans|from|by|von|par|"
    r"por|da|di|przez|with|text|oleh|de|od|av)\s?[:：]?\s{1,3}|\s{0,3}(?:[^\W\d_]{2,12}+)[:：]\s?",
    re.IGNORECASE,
)
BYLINE = lazy_pattern(
    r"\s{0,3}(?:by|von|par|por|di|przez|av|door|oleh|de|от|بقلم)\s", re.IGNORECASE
)
BYLINE_PARTS = lazy_pattern(r"[,|/·•–—]|\s-\s")
CALLED = lazy_pattern(r"[.:،,](?=\s|\Z)")  # the end of the name of an agency
SPACE = " \t\r\x03\xa0"
OWN = SPACE + "()[]（）【】«»“”\"'.*_—–-©~•|"
# Phrases that name agencies as contributors or owners.
SHARED = lazy_pattern(
    r"contributed to this|with inputs? from|with information from|con información de|"
    r"com informações d|mit material (?:von|der)|avec l'?agence|all rights reserved|"
    r"syndicated feed|agency feed|auto-generated from|wire services?\b",
    re.IGNORECASE,
)
OWNED = lazy_pattern(
    r"copyright[\s\d,–©-]{1,20}+(?:by )?|(?:©|\(c\))\s?[\d,–-]{4,12}+\s", re.IGNORECASE
)
DATED = lazy_pattern(r"© ?([^\d\n]{2,40}+)(?:19|20)\d\d\b")
WRITERS = lazy_pattern(
    r"(?:writers?|reporters?|journalists?|correspondents?|staff)\b", re.IGNORECASE
)
SAID = lazy_pattern(f"{SHARED.pattern}|copyright|©|\\(c\\)|{WRITERS.pattern}", re.IGNORECASE)
SENTENCE = lazy_pattern(r"(?<=[.!?…])[\"”’»)]?\s|\n")
WORD = lazy_pattern(r"[^\W_][\w'.-]{1,30}")
NUMBERED = lazy_pattern(r"dpa:\d{6}-\d")
# The end of the last line: "(dpa)", "— Reuters", or the name after a full stop.
ENDING = lazy_pattern(
    r"[(\[（【]\s?([^()\[\]（）【】\n]{2,50}+)[)\]）】]\s?\.?\Z|"
    r"(?:\s[-–—]{1,2}+|[–—])\s?([^\s–—.][^–—.\n]{1,40}+)\.?\Z|"
    r"[.!?…。][\"”»’]?\s{0,12}[«“\"]([^«»“”\"\n]{2,30}+)[»”\"]\Z|"
    r"[.!?…。][\"”»’]?\s{1,12}([^\W\d_][^\s.]{1,20}+)\Z"
)
# Agencies that are not in the table, recognised in datelines: "Meridian Wire".
UNLISTED_AGENCY = lazy_pattern(
    r"(?:[^\W\d_a-zа-я][\w'.&-]{0,20}+ ){1,3}"
    r"(?:Wire|Newswire|News Agency|News Service|Press Agency)"
)
Agencies = Iterator[str]


def find_credits(text: str, title: str = "", source: str | None = None) -> tuple[str, ...]:
    """The agencies that a text credits, in order; first its source if that is an agency.

    >>> find_credits("LONDON, March 3 (Reuters) - Ships may sail again.")
    ('Reuters',)
    >>> find_credits("Ships may sail again, the harbour master told Reuters.")
    ()
    """
    head = _in_head(text[:HEAD], cut=len(text) > HEAD)
    tail = _in_tail(text[-TAIL:], cut=len(text) > TAIL)
    agencies = [*_in_title(title), *head, *tail]
    own = agency_of(source) if source else None
    return tuple(dict.fromkeys([*([own] if own else []), *agencies]))


def credited_agencies(article: Article) -> tuple[str, ...]:
    """The agencies that an article credits, whether its text is plain or HTML."""
    text = plain_text(article.text, html=article.html)
    return find_credits(text, article.title, article.source)


def agency(called: str) -> str | None:
    """The agency with this spelling; None if there is none.

    >>> agency("The Associated Press"), agency("REUTERS"), agency("spa"), agency("واس")
    ('Associated Press', 'Reuters', None, 'SPA')
    """
    if len(called) > LONGEST_NAME:
        return None
    forms = _forms()
    return forms.get(called) or forms.get(called.lower())


@lru_cache(maxsize=4096)
def agency_of(source: str) -> str | None:
    """The agency that a source is, by its name or its site.

    >>> agency_of("reuters"), agency_of("www.apnews.com"), agency_of("harbourtimes.example")
    ('Reuters', 'Associated Press', None)
    """
    host = site("//" + source) if "." in source and " " not in source else None
    return _sites().get(host or "") or agency(source.strip()) or agency(source.strip().upper())


def _lines() -> list[list[list[str]]]:
    return [
        [[part.strip() for part in cell.split(",")] for cell in line.split("|")]
        for line in AGENCIES.strip().splitlines()
    ]


@cache
def _forms() -> dict[str, str]:
    return {form: name for (name,), forms, _ in _lines() for form in forms}


@cache
def _sites() -> dict[str, str]:
    return {host: name for (name,), _, sites in _lines() for host in sites if host}


@cache
def _spelled_out() -> tuple[str, ...]:
    """The unambiguous spellings: two words or more, in lower case."""
    return tuple(form for form in _forms() if " " in form and form.islower() and len(form) > 10)


def _in_title(title: str) -> Agencies:
    end = ENDING.search(title[-LONGEST_LINE:])
    yield from _only(end[1] or end[2] or "") if end else ()


def _in_head(head: str, *, cut: bool) -> Agencies:
    lines = head.split("\n")
    for place, line in enumerate(lines):
        whole = not (cut and place == len(lines) - 1) and not _continues(lines, place)
        yield from _first(line, *(WHOLE if whole else ()), _dateline, _eastern)
    yield from _contributors(head)


def _in_tail(tail: str, *, cut: bool) -> Agencies:
    lines = tail.split("\n")
    for place, line in enumerate(lines):
        whole = not (cut and place == 0) and not _continues(lines, place)
        ends = not _continues(lines, place + 1)
        rules = (*(WHOLE if whole else ()), *((_ending,) if ends else ()), _eastern)
        yield from _first(line.strip(SPACE), *rules)
    yield from _contributors(tail)


def _continues(lines: Sequence[str], place: int) -> bool:
    """Whether a line continues the sentence of the previous one, as in wrapped text."""
    if not 0 < place < len(lines) or lines[place][:1] in SPACE:
        return False
    before = lines[place - 1].rstrip(SPACE)
    broken = lines[place][:1].islower() or before[-1:].isalnum() or before[-1:] == ","
    return len(before) > SHORT_LINE and broken


def _first(line: str, *rules: Callable[[str], Agencies]) -> Agencies:
    """The agencies of the first rule that finds any."""
    for rule in rules:
        if agencies := list(rule(line)):
            return iter(agencies)
    return iter(())


def _only(chunk: str, *, bracketed: bool = False) -> Agencies:
    """The agencies of a credit, if it has nothing but their names and a few initials."""
    whole = agency(chunk.strip())
    parts = [chunk.strip()] if whole else [part.strip() for part in BETWEEN.split(chunk)]
    named = [agency(part) for part in parts]
    unnamed = [part for part, name in zip(parts, named, strict=True) if name is None]
    if len(unnamed) > MAX_OTHER_PARTS or not all(map(INITIALS.fullmatch, unnamed)):
        return
    if PICTURES.search(chunk) or (not bracketed and not ONLY_BRACKETED.isdisjoint(parts)):
        return
    yield from (name for name in named if name)


def _own_line(line: str) -> Agencies:
    """A line with nothing but a credit: "Kaynak: AA", "dj/sms (Reuters, dpa)"."""
    if not 2 <= len(line) <= LONGEST_LINE:
        return
    if PICTURES.search(line) or ("©" in line and not DATED.search(line)):
        return
    bare = line.strip(OWN)
    label = LABEL.match(bare)
    yield from _only((bare[label.end() :] if label else bare).strip(OWN).replace(" (", "/"))


def _byline(line: str) -> Agencies:
    """A byline: "By Jane Roe, Associated Press"; a full name needs no "by"."""
    if len(line) > LONGEST_LINE or PICTURES.search(line):
        return
    *who, last = (part.strip(OWN) for part in BYLINE_PARTS.split(line))
    if BYLINE.match(line):
        yield from _only(last) if who else ()
        yield from () if who and agency(last) else _spelled_out_at_end(line)
    elif len(who) == 1 and "/" not in line and len(who[0].split()) in (2, 3) and _is_name(who[0]):
        yield from _spelled_out_at_end(last)


def _is_name(words: str) -> bool:
    return all(word[0].isupper() for word in words.split())


def _spelled_out_at_end(line: str) -> Agencies:
    end = line.strip(OWN).lower()
    yield from (name for form in _spelled_out() if end.endswith(form) and (name := agency(form)))


def _dateline(line: str) -> Agencies:
    """A dateline: "LONDON, March 3 (Reuters) - ", "(AP) — ", "الرياض - واس"."""
    for match in BRACKETED.finditer(line):
        before, inside = line[: match.start()], match[1]
        slashed = match[0][0] == "/" and not line[match.end(1) + 1 :][:1].isalpha()
        dashed = slashed or bool(match[2].strip(" .:"))
        if inside in NOT_DATELINES or not (dashed or _begins(before, match[3] or "")):
            continue
        if _is_place(before) and UNLISTED_AGENCY.fullmatch(inside):
            yield inside
        yield from _only(inside, bracketed=True)
    yield from _dash_dateline(line)


def _begins(before: str, after: str) -> bool:
    """Whether a dateline without a dash ends here: "Mumbai, Jan 1 (IANS) The"."""
    dated = before.isupper() or any(map(str.isdigit, before)) or not before.strip()
    return dated and _is_place(before) and (after.isupper() or after.isdigit())


def _dash_dateline(line: str) -> Agencies:
    """A dateline without brackets: the agency between dashes, before or after a place."""
    parts = DASH.split(line[: LONGEST_PLACE + 40], maxsplit=3)
    for place, part in enumerate(parts[:3]):
        before = " ".join(parts[:place])
        called = CALLED.split(part, maxsplit=1)[0].strip(OWN)
        if len(parts) > 1 and called not in NOT_DATELINES and _is_place(before):
            yield from _only(called)


def _is_place(before: str) -> bool:
    """Whether a dateline may begin with this: a place, a date, or nothing."""
    words = before.split()
    if len(before) > LONGEST_PLACE or len(words) > 8:
        return False
    if any(word[0].islower() for word in words):
        return all(word[0].isupper() or not word[0].isalpha() or len(word) <= 4 for word in words)
    cased = any(word[0].isupper() for word in words)
    return cased or len(words) <= 5


def _eastern(line: str) -> Agencies:
    for match in EASTERN.finditer(line):
        if EASTERN_LETTER.search(match[1]) and not PICTURES.search(match[1]):
            for part in EASTERN_PARTS.split(match[1]):
                named = EASTERN_NAMES.search(part.strip())
                yield from filter(None, (agency(named[1]),)) if named else ()
    yield from filter(None, (agency(match[1]) for match in TELEGRAM.finditer(line)))


def _ending(line: str) -> Agencies:
    """The end of a line: "(dpa)", "— Reuters", or the name after a full stop."""
    end = ENDING.search(line[-LONGEST_LINE:])
    yield from _only(end[1] or end[2] or end[3] or end[4]) if end else ()


def _contributors(part: str) -> Agencies:
    """Sentences that credit a contribution: "The Associated Press contributed"."""
    if NUMBERED.search(part):
        yield "dpa"
    if not SAID.search(part):
        return
    for sentence in SENTENCE.split(part):
        if sentence and not PICTURES.search(sentence):
            yield from _agencies_in(sentence) if SHARED.search(sentence) else _owner(sentence)


def _owner(sentence: str) -> Agencies:
    """Owners and writers: "Copyright 2024 The Associated Press", "Associated Press writer"."""
    dated = DATED.search(sentence)
    if dated and (name := agency(dated[1].strip(OWN + ","))):
        yield name
        return
    owned = OWNED.search(sentence)
    remainder = sentence[owned.end() :] if owned else sentence.lstrip(OWN)
    for size in (3, 2, 1):
        called = remainder.split(maxsplit=size)
        name = agency(" ".join(called[:size]).strip(OWN + ","))
        if name and (owned or (len(called) > size and WRITERS.match(called[size]))):
            yield name
            return


def _agencies_in(sentence: str) -> Agencies:
    low = sentence.lower()
    yield from (name for form in _spelled_out() if form in low and (name := agency(form)))
    words = (agency(match[0].strip(".'-")) for match in WORD.finditer(sentence[: 4 * LONGEST_LINE]))
    yield from filter(None, words)


WHOLE = (_own_line, _byline)  # the rules that need a whole line
