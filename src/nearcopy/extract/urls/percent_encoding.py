"""Percent-encoding: one spelling for each character of a path, a query or a fragment."""

import re
from collections.abc import Callable
from urllib.parse import unquote

# What means the same written out or encoded. `+`, `&`, `=`, `%` do not, and stay as they came;
# an encoded `/` is part of a path's segment and no `/`, while in a query it is just a character.
PLAIN_IN_PATHS = "!$'()*,:@"
PLAIN_IN_QUERIES = "!$'()*,:@/;?"
_UNRESERVED = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"


_HEX = frozenset("0123456789ABCDEFabcdef")
_ENCODED = [f"%{byte:02X}" for byte in range(256)]


def _speller(plain: str, untouched: str) -> Callable[[str], str]:
    """A function that spells a text one way: `plain` decoded, `untouched` as it came."""
    decoded = {_ENCODED[ord(character)]: character for character in _UNRESERVED + plain}
    allowed = re.escape(_UNRESERVED + plain + untouched)
    pair = "%[0-9A-Fa-f]{2}"
    odd = re.compile(rf"{pair}|(?:%(?!{pair[1:]})|[^%{allowed}])++")

    def respelt(match: re.Match[str]) -> str:
        text_run = match[0]
        if len(text_run) == 3 and text_run[0] == "%" and text_run[1] in _HEX:
            upper = text_run.upper()
            return decoded.get(upper, upper)
        return "".join([_ENCODED[byte] for byte in text_run.encode("utf-8", "surrogatepass")])

    def spell(text: str) -> str:
        return odd.sub(respelt, text)

    return spell


spell_path = _speller(PLAIN_IN_PATHS, "/&=+;")
spell_query = _speller(PLAIN_IN_QUERIES, "&=")
spell_fragment = _speller(PLAIN_IN_QUERIES, "&=+")


def decoded(text: str) -> str:
    """The text with its percent-encoding read as UTF-8, what is none of it replaced."""
    return unquote(text, errors="replace")
