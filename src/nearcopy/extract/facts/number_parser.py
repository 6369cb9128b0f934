"""Numerals: regular expressions for them, and their values."""

import re

from nearcopy.extract.facts.word_lists import NUMBERS, ROMAN, SCALES, TENS
from nearcopy.kernels.lazy_pattern import lazy_pattern

# 1,234.5 and 1.234,5 and 10 000; `parse_number` interprets the separators.
NUMERAL = r"(?:\d{1,3}(?:[ \u00a0\u202f]\d{3})+(?![\d.,])|\d+(?:[.,]\d+)*)"
LONGEST_NUMERAL = 18
# Letters that join a number to a word; Chinese characters and Arabic prefixes may touch one.
LETTERS_OF_WORDS = r"A-Za-z\u00aa-\u05ff\u0700-\u1fff"
TOUCHING = rf"0-9_{LETTERS_OF_WORDS}"


def regex(pattern: str) -> re.Pattern[str]:
    r"""The compiled pattern, in which [\w...] and [^\W_] match only letters that delimit words.

    >>> regex(r"(?<![\w])5(?![\w])").findall("投资5亿 x5 5x 5")
    ['5', '5']
    """
    return lazy_pattern(pattern.replace(r"[\w", f"[{TOUCHING}").replace(r"[^\W_]", f"[{TOUCHING}]"))


def numeral_pattern(not_after: str) -> str:
    """The pattern of a numeral that none of these characters precedes.

    It begins with a digit so that the regex engine can skip ahead.
    """
    return (
        rf"\d(?<!{not_after}\d)"
        r"(?:\d{0,2}(?:[ \u00a0\u202f]\d{3})+(?![\d.,])|\d*(?:[.,]\d+)*)"
    )


def any_of(words: object) -> str:
    """A pattern that matches any of the words, the longest first; only '.$' need escaping."""
    listed = sorted(words, key=lambda word: (-len(word), word))  # type: ignore[call-overload]
    return "|".join(word.replace(".", r"\.").replace("$", r"\$") for word in listed)


# A scale in letters ends where the letters end; 万 and 亿 need no border.
_LETTERS = [word for word in SCALES if word[0] < "\u2e80"]
_HAN = [word for word in SCALES if word[0] >= "\u2e80"]
SCALE = rf"(?:(?:{any_of(_LETTERS)})(?![^\W_])|[{''.join(_HAN)}])"
SPELLED = rf"(?:(?:{any_of(TENS)})(?:-(?:{any_of(NUMBERS)}))?|{any_of(NUMBERS)})(?![^\W_])"


def parse_number(numeral: str) -> float | None:
    """The value of a numeral with any separators; None if it is too long.

    >>> [parse_number(n) for n in ("1,234.5", "1.234,5", "5,000", "2,5", "10 000", "0.125")]
    [1234.5, 1234.5, 5000.0, 2.5, 10000.0, 0.125]
    """
    if len(numeral) > LONGEST_NUMERAL:
        return None
    if numeral.isdecimal():
        return float(numeral)
    compact = "".join(numeral.split())
    comma, point = compact.rfind(","), compact.rfind(".")
    if comma < 0 and point < 0:
        return float(compact)
    last = max(comma, point)
    whole, mark, part = compact[:last], compact[last], compact[last + 1 :]
    if (comma < 0 or point < 0) and _groups(whole, mark, part):
        return float(compact.replace(mark, ""))
    return float(whole.replace(",", "").replace(".", "") + "." + part)


def _groups(whole: str, mark: str, part: str) -> bool:
    """Whether the mark separates thousands, as in "5,000" and "1.234.567"."""
    return mark in whole or (len(part) == 3 and len(whole) <= 3 and whole[0] != "0")


def parse_spelled(words: str) -> int | None:
    """The value of a spelled number: "twelve", "twenty-one"; None for other words.

    >>> parse_spelled("twelve"), parse_spelled("thirty-two"), parse_spelled("dozens")
    (12, 32, None)
    """
    if words in NUMBERS:
        return NUMBERS[words]
    tens, _, ones = words.partition("-")
    if tens not in TENS or (ones and ones not in NUMBERS):
        return None
    return TENS[tens] + NUMBERS.get(ones, 0)


def parse_index(words: str) -> int | None:
    """A place in a series: digits, a Roman numeral, or a spelled number."""
    if words.isdecimal():
        return int(words)
    return ROMAN.get(words) or parse_spelled(words)


_HAN_DIGITS = {c: n for n, c in enumerate("〇一二三四五六七八九")} | {"两": 2, "兩": 2, "零": 0}
_HAN_UNITS = {"十": 10, "百": 100, "千": 1000}


def parse_chinese_integer(numeral: str) -> int:
    """The value of a Chinese numeral under ten thousand.

    >>> parse_chinese_integer("十二"), parse_chinese_integer("三百零五")
    (12, 305)
    """
    total, digit = 0, 0
    for character in numeral:
        if character in _HAN_UNITS:
            total += (digit or 1) * _HAN_UNITS[character]
            digit = 0
        else:
            digit = _HAN_DIGITS[character]
    return total + digit


_HAN_SCALES = (("亿", 1e8), ("万", 1e4))
_ONE = "[一二三四五六七八九两]"
# Thousands, hundreds, tens and ones in order; 零 marks those left out.
_HAN_NUMBER = lazy_pattern(
    rf"(?=[^零〇])(?:{_ONE}?千)?(?:[零〇]?{_ONE}?百)?(?:[零〇]?{_ONE}?十)?"
    rf"(?:(?:(?<=十)|(?<![千百])|[零〇]){_ONE})?|[零〇]"
)


def parse_chinese(numeral: str) -> float | None:
    """The value of a Chinese numeral of any size; None if it is not well-formed.

    >>> [parse_chinese(n) for n in ("三百二十万", "一万零五", "二〇二五", "三点五亿", "十三五")]
    [3200000.0, 10005.0, 2025.0, 350000000.0, None]
    """
    whole, point, part = numeral.partition("点")
    if point:
        return _with_decimals(whole, part)
    for mark, scale in _HAN_SCALES:
        before, separator, after = numeral.rpartition(mark)
        if separator:
            after = after.lstrip("零〇")
            high, low = (
                parse_chinese(before) if before else 1.0,
                parse_chinese(after) if after else 0.0,
            )
            return None if high is None or low is None or low >= scale else high * scale + low
    return _under_ten_thousand(numeral)


def _with_decimals(whole: str, part: str) -> float | None:
    digits = part.rstrip("十百千万亿")
    units, decimals = parse_chinese(whole), "".join(str(_HAN_DIGITS[c]) for c in digits)
    scale = parse_chinese(part[len(digits) :]) if digits != part else 1.0
    if units is None or scale is None or not decimals:
        return None
    return float(f"{float(f'{int(units)}.{decimals}') * scale:.12g}")


def _under_ten_thousand(numeral: str) -> float | None:
    """The value of a numeral without scales, or of the four digits of a year."""
    if len(numeral) == 4 and all(c in _HAN_DIGITS for c in numeral):
        return float("".join(str(_HAN_DIGITS[c]) for c in numeral))
    return float(parse_chinese_integer(numeral)) if _HAN_NUMBER.fullmatch(numeral) else None


def format_number(amount: float) -> str:
    """The amount in digits, without rounding noise.

    >>> format_number(50000000000.0), format_number(1.1 * 3)
    ('50000000000', '3.3')
    """
    rounded = float(f"{amount:.12g}")
    return str(int(rounded)) if rounded.is_integer() else f"{rounded:.12g}"


def rounds_to(a: float, b: float) -> bool:
    """Whether one amount is the other rounded to fewer significant digits.

    >>> rounds_to(1.5e9, 1.48e9), rounds_to(1.5e9, 1.44e9), rounds_to(58, 60)
    (True, False, True)
    """
    digits = min(_digits(a), _digits(b))
    return f"{a:.{digits - 1}e}" == f"{b:.{digits - 1}e}"


def same_when_rounded(a: float, b: float) -> bool:
    """Whether two amounts are equal when rounded to the fewer decimals.

    >>> same_when_rounded(6.18, 6.2), same_when_rounded(6.18, 6), same_when_rounded(75, 80)
    (True, True, False)
    """
    places = min(len(format_number(amount).partition(".")[2]) for amount in (a, b))
    return f"{a:.{places}f}" == f"{b:.{places}f}"


def _digits(amount: float) -> int:
    """The number of significant digits."""
    return max(1, len(f"{amount:.11e}".split("e")[0].rstrip("0").replace(".", "")))
