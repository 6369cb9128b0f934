"""Word lists for facts, in lower case, from `word_lists.toml` and `currencies.toml`."""

import unicodedata
from collections.abc import Mapping

from nearcopy.extract.word_lists import key_by_word, load_word_lists, words


def singular(noun: str) -> str:
    """The noun without the s of its plural; short words are left alone."""
    return noun[:-1] if len(noun) > 3 and noun.endswith("s") else noun


def _numbers(section: Mapping[str, str]) -> dict[str, int]:
    return {word: int(number) for word, number in key_by_word(section).items()}


def _plain_numbers(section: Mapping[str, str]) -> dict[str, int]:
    """The number of each word, with and without its accents."""
    numbers = _numbers(section)
    return {_plain(word): number for word, number in numbers.items()} | numbers


def _plain(word: str) -> str:
    apart = unicodedata.normalize("NFD", word)
    return unicodedata.normalize("NFC", "".join(c for c in apart if not unicodedata.combining(c)))


_LISTS = load_word_lists(__package__, "word_lists.toml")
NUMBERS = _numbers(_LISTS["numbers"])
TENS = _numbers(_LISTS["tens"])
ORDINALS = _numbers(_LISTS["ordinals"])
MONTHS = _plain_numbers(_LISTS["months"])
WEEKDAYS = _plain_numbers(_LISTS["weekdays"])
_NUMERALS = "i ii iii iv v vi vii viii ix x xi xii xiii xiv xv xvi"
ROMAN = {numeral: n for n, numeral in enumerate(_NUMERALS.split(), 1)}
SCALES = {word: float(scale) for word, scale in key_by_word(_LISTS["scales"]).items()}
SERIES = key_by_word(_LISTS["series"])
TOLLS = key_by_word(_LISTS["tolls"])
INDIAN = words(_LISTS["indian"])
COUNTED_IN_LAKHS = words(_LISTS["counted_in_lakhs"])
ROMAN_ONES = words(_LISTS["roman_ones"])
LETTERED = words(_LISTS["lettered"])
NOT_A_SERIES_AFTER = words(_LISTS["not_a_series_after"])
COUNTED_ONES = words(_LISTS["counted_ones"])
COUNTERS = words(_LISTS["counters"])
COUNTED = words(_LISTS["counted"])
BREAKS = words(_LISTS["breaks"])
NOT_VERSIONED = words(_LISTS["not_versioned"])
LEADING = words(_LISTS["leading"])
ENDINGS = words(_LISTS["endings"])
MODIFIERS = words(_LISTS["modifiers"])
NAMED = words(_LISTS["named"])
YEARS_IN_NAMES = words(_LISTS["years_in_names"])
NAMED_ONES = words(_LISTS["named_ones"])
WIRE_MARKS = words(_LISTS["wire_marks"])
COMMON = words(_LISTS["common"])
DOUBTFUL_MONTHS = words(_LISTS["doubtful_months"])
NAMED_DAY_BEFORE = words(_LISTS["named_day_before"])
NAMED_DAY_AFTER = tuple(_LISTS["named_day_after"])
CHINESE_MEASURES: dict[str, str] = _LISTS["chinese_measures"]
CHINESE_TOLLS = key_by_word(_LISTS["chinese_tolls"])
CHINESE_TAKING_VERBS = words(_LISTS["chinese_taking_verbs"])

_CURRENCIES = load_word_lists(__package__, "currencies.toml")


def _currencies(field: str) -> dict[str, str]:
    """The currency of each word in this field."""
    return key_by_word({code: entry.get(field, "") for code, entry in _CURRENCIES.items()})


CURRENCY_BEFORE = _currencies("before")
CURRENCY_AFTER = _currencies("after")
CURRENCY_AFTER_CHINESE = {
    word: code for word, code in CURRENCY_AFTER.items() if word[0] >= "\u2e80"
} | _currencies("after_chinese")
# Signs, and the last characters of words in scripts without spaces: one of them is in every sum.
CURRENCY_SIGNS = frozenset(
    word[-1]
    for word in (*CURRENCY_BEFORE, *CURRENCY_AFTER)
    if word[-1] >= "\u2e80" or not (word[-1].isalpha() or word[-1] == ".")
)
AMBIGUOUS_CURRENCIES = frozenset(_currencies("ambiguous"))
ROUGH_DOLLARS: dict[str, float] = {code: entry["dollars"] for code, entry in _CURRENCIES.items()}
CURRENCY_NAMES: dict[str, str] = {
    code: entry["name"] for code, entry in _CURRENCIES.items() if "name" in entry
}
