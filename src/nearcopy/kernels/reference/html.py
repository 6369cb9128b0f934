"""HTML to plain text, each character with its place in the source: the definition.

One pass over the code points, linear in time whatever the input, and no tree. The rules are those
of the HTML standard's tokenizer, but for the five marked (*), where it would lose an article's
text or read a feed's XHTML wrongly. "Space" is U+0009, U+000A, U+000C, U+000D or U+0020.

Text
  1. `<` before a letter or `/!?` may be markup, `&` before a letter or `#` a reference: see below.
     All else passes unchanged: space, NUL, lone surrogates, "a < b", "R & D".
Tags
  2. `<` or `</`, a letter, and on to space, `/` or `>`: the name, in any ASCII case. Attributes
     follow up to `>`. A quote opens a value only right after `=` (and space), and then `>` may
     stand inside; `<p ">` and `<a b=it's>` hold no quoted value.
  3. (*) A quoted value that never closes is read as an unquoted one: up to space or `>`.
  4. (*) A tag that no `>` ends was cut off. It reaches as far as its attributes have values:
     `<a href="htt` goes whole, of "a <b and c" only `<b` goes. Browsers drop all the rest, which
     would lose an article for one stray `<b`. (From there on every tag ends before its first
     attribute without a value, if not by `>`: the rest is read twice at most.)
  5. A tag in `SEPARATORS` or `SKIPPED` becomes one U+000A, any other nothing: `wo<b>rd</b>` is
     one word.
  6. An element in `SKIPPED` becomes one U+000A with all it holds, up to the first end tag of its
     name (nesting is not counted, nor are comments in it), or to the end of input if there is none.
  7. (*) `/>` closes an element in `SKIPPED` on the spot, as XHTML in feeds means it.
Comments
  8. `<!--` to `-->` or `--!>` becomes nothing, `<!-->` and `<!--->` too; unclosed: to the end.
  9. (*) Of a CDATA section only `<![CDATA[` goes, and its content is read on: a wrapper left over
     from a feed must not cost the article.
 10. Other `<!`, `<?`, and `</` without a letter, to the first `>`: nothing. (*) With no `>`: text.
References
 11. `&#38;`, `&#x26;`, `&amp;` and, for the 106 old names, `&amp`: as `html.unescape` has them, by
     longest match, windows-1252 for 128-159, U+FFFD for 0, surrogates and numbers out of range,
     nothing for other control and non-characters. One reference may give two characters. Unlike
     in `html.unescape`, a number of 5,000 digits is no error: it is out of range.
"""

import html
import re
from collections.abc import Iterator, Sequence
from html.entities import html5
from typing import Final, NamedTuple


def _words(*lines: str) -> frozenset[str]:
    return frozenset(" ".join(lines).split())


#: Elements whose content is no part of what a reader sees as the article.
SKIPPED: Final = _words(
    "audio canvas iframe noembed noframes noscript object script style svg template textarea",
    "title video",
)

#: Tags that separate words: blocks, cells, line breaks and pictures.
SEPARATORS: Final = _words(
    "address article aside blockquote body br button caption center col colgroup dd details dialog",
    "dir div dl dt embed fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6",
    "head header hgroup hr html img input legend li link main menu meta nav ol optgroup option p",
    "pre search section select source summary table tbody td tfoot th thead tr track ul",
)

#: Character references by name; the old ones also without `;`.
ENTITIES: Final = dict(html5)

_MARK = re.compile(r"<[A-Za-z/!?]|&[A-Za-z#]")
_TAG_NAME = re.compile(r"</?([A-Za-z][^\t\n\f\r />]*+)")
_GAP = re.compile(r"[\t\n\f\r /]*+")
_ATTRIBUTE_NAME = re.compile(r"[^\t\n\f\r />][^\t\n\f\r />=]*+")
_EQUALS = re.compile(r"[\t\n\f\r ]*+=[\t\n\f\r ]*+")
_UNQUOTED = re.compile(r"[^\t\n\f\r >]*+")
_END_TAG = {
    name: re.compile(rf"</{name}(?=[\t\n\f\r />])", re.ASCII | re.IGNORECASE) for name in SKIPPED
}
_COMMENT = re.compile(r"<!--(?:-?>|.*?--!?>)", re.DOTALL)
_CDATA = "<![CDATA["
_DECIMAL = re.compile(r"&#([0-9]++);?")
_HEXADECIMAL = re.compile(r"&#[xX]([0-9A-Fa-f]++);?")
_NAME = re.compile(rf"&([A-Za-z0-9]{{1,{max(map(len, ENTITIES))}}};?)")


class _Piece(NamedTuple):
    """What the source from `start` to `end` becomes; `None` where it stays as it is."""

    start: int
    end: int
    text: str | None


def strip_html(text: str) -> str:
    """The text without its markup, references resolved.

    >>> strip_html("<p>Fish &amp; chips</p><p>a <em>cl</em>assic &lt; 10")
    '\\nFish & chips\\n\\na classic < 10'
    """
    return "".join(
        text[piece.start : piece.end] if piece.text is None else piece.text
        for piece in _pieces(text)
    )


def strip_marked(texts: Sequence[str], html: Sequence[bool]) -> Iterator[str]:
    """The texts, those marked as HTML without their markup; without marks none is."""
    marks = html or [False] * len(texts)
    return (strip_html(text) if mark else text for text, mark in zip(texts, marks, strict=True))


def strip_html_positions(text: str) -> tuple[str, list[int], list[int]]:
    """The stripped text, and for each of its characters where its source starts and ends.

    >>> strip_html_positions("x<br>&lt;")
    ('x\\n<', [0, 1, 5], [1, 5, 9])
    """
    starts: list[int] = []
    ends: list[int] = []
    for start, end, replacement in _pieces(text):
        if replacement is None:
            starts.extend(range(start, end))
            ends.extend(range(start + 1, end + 1))
        else:
            starts.extend([start] * len(replacement))
            ends.extend([end] * len(replacement))
    return strip_html(text), starts, ends


def _pieces(text: str) -> Iterator[_Piece]:
    """The whole source in order, cut where something is replaced."""
    scanner = _Scanner(text)
    done = position = 0
    while mark := _MARK.search(text, position):
        start = mark.start()
        piece = _reference(text, start) if text[start] == "&" else scanner.markup(start)
        if piece is None:
            position = start + 1
            continue
        yield _Piece(done, start, None)
        yield piece
        done = position = piece.end
    yield _Piece(done, len(text), None)


def _reference(text: str, start: int) -> _Piece | None:
    """The character reference at `start`, if it is one."""
    if number := _DECIMAL.match(text, start):
        return _Piece(start, number.end(), _character(number[1], base=10))
    if number := _HEXADECIMAL.match(text, start):
        return _Piece(start, number.end(), _character(number[1], base=16))
    if name := _NAME.match(text, start):
        return _longest_name(name[1], start)
    return None


def _character(digits: str, *, base: int) -> str:
    """The character of a numeric reference; eight digits and more are out of range."""
    return html.unescape(f"&#{int(digits.lstrip('0')[:8] or '0', base)};")


def _longest_name(letters: str, start: int) -> _Piece | None:
    """The longest name that `letters` begin with."""
    for length in range(len(letters), 0, -1):
        if (text := ENTITIES.get(letters[:length])) is not None:
            return _Piece(start, start + 1 + length, text)
    return None


class _Scanner:
    """Reads markup. The two facts it remembers keep it from reading the rest in vain twice."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._may_close = True  # no search for `>` has failed yet
        self._cut_off = False  # a tag was found that no `>` ends

    def markup(self, start: int) -> _Piece | None:
        """The tag or comment whose `<` is at `start`; `None` if that is text."""
        if name := _TAG_NAME.match(self._text, start):
            return self._tag(name)
        if self._text.startswith("<!--", start):
            comment = _COMMENT.match(self._text, start)
            return _Piece(start, comment.end() if comment else len(self._text), "")
        if self._text.startswith(_CDATA, start):
            return _Piece(start, start + len(_CDATA), "")
        end = self._text.find(">", start) if self._may_close else -1
        self._may_close = end >= 0
        return _Piece(start, end + 1, "") if self._may_close else None

    def _tag(self, match: re.Match[str]) -> _Piece:
        name = match[1].lower() if match[1].isascii() else ""
        end, closes_itself = self._tag_end(match.end())
        is_start = self._text[match.start() + 1] != "/"
        if is_start and name in SKIPPED and not closes_itself:
            end = self._element_end(name, end)
        separates = name in SEPARATORS or name in SKIPPED
        return _Piece(match.start(), end, "\n" if separates else "")

    def _element_end(self, name: str, position: int) -> int:
        """The end of the first end tag of that name, else of the input."""
        end_tag = _END_TAG[name].search(self._text, position)
        return self._tag_end(end_tag.end())[0] if end_tag else len(self._text)

    def _tag_end(self, position: int) -> tuple[int, bool]:
        """The end of the tag whose attributes start at `position`, and whether by `/>`."""
        first_bare: int | None = None
        while (after_gap := _end(_GAP, self._text, position)) < len(self._text):
            if self._text[after_gap] == ">":
                return after_gap + 1, "/" in self._text[max(position, after_gap - 1) : after_gap]
            position, has_value = self._attribute(after_gap)
            if first_bare is None and not has_value:
                first_bare = after_gap
                if self._cut_off:
                    return first_bare, False
        self._cut_off = True
        return len(self._text) if first_bare is None else first_bare, False

    def _attribute(self, position: int) -> tuple[int, bool]:
        """The end of the attribute at `position`, and whether it has a value."""
        name_end = _end(_ATTRIBUTE_NAME, self._text, position)
        if equals := _EQUALS.match(self._text, name_end):
            return self._value_end(equals.end()), True
        return name_end, False

    def _value_end(self, position: int) -> int:
        quote = self._text[position : position + 1]
        if quote in ("'", '"') and (closing := self._text.find(quote, position + 1)) >= 0:
            return closing + 1  # in vain only for the last quote of its kind
        return _end(_UNQUOTED, self._text, position)


def _end(pattern: re.Pattern[str], text: str, position: int) -> int:
    """Where the match at `position` ends; `position` itself if there is none."""
    match = pattern.match(text, position)
    return match.end() if match else position
