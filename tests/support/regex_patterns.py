"""All patterns of the package, and texts made to take them as long as they can.

As a program it prints, as JSON, every pattern that is made while the package is imported: the
module, its text, its flags, whether it is of bytes, and what it is used for.
"""

import ast
import importlib
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from re import _constants as sre
from re import _parser as parser
from typing import Any, NamedTuple

SEARCHING = {"search", "sub", "subn", "split", "finditer", "findall"}
TRIED = "a1 A.-/(<&\n%_0z,:;=\"'[]{}#|é字\0"  # of what a class of characters may hold
MOST = 24  # texts for one pattern
ENDINGS = ("", "\n!")  # after which what went well so far may fail


class Found(NamedTuple):
    """A pattern and how it is used: `search` for all ways that look for it in a text."""

    module: str
    pattern: str
    flags: int
    is_bytes: bool
    uses: tuple[str, ...]

    def compiled(self) -> re.Pattern[Any]:
        """The pattern."""
        text = self.pattern.encode("latin-1") if self.is_bytes else self.pattern
        return re.compile(text, self.flags)


def all_patterns() -> list[Found]:
    """Every pattern of the package, by a process that imports all of it."""
    run = subprocess.run([sys.executable, __file__], capture_output=True, text=True, check=True)
    return [Found(*fields, tuple(uses)) for *fields, uses in json.loads(run.stdout)]


def using_re(source: Path) -> list[Path]:
    """The files that may make patterns."""
    files = sorted(source.rglob("*.py"))
    words = ("import re\n", "import lazy_pattern\n", "import regex\n")
    return [
        path for path in files if any(map(path.read_text(encoding="utf-8").__contains__, words))
    ]


def made_while_running(source: Path) -> Iterator[str]:
    """Where functions use `re` by itself: their patterns are not known before."""
    for path in using_re(source):
        for function in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
                yield from (
                    f"{path.name}:{n.lineno} {n.attr}" for n in ast.walk(function) if _is_re(n)
                )


def _is_re(node: ast.AST) -> bool:
    named = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
    return named and node.value.id == "re" and node.attr in SEARCHING | {"match", "fullmatch"}


# --- Texts that may take long --------------------------------------------------------------------


def hostile(found: Found, length: int) -> list[str]:
    """Texts of this length out of what the pattern looks for, over and over, and then an end."""
    parts: dict[tuple[str, str], None] = {}
    _sample(parser.parse(found.compiled().pattern, found.flags), "", parts)
    units = dict.fromkeys(unit for before, over in parts for unit in (over, before, before + over))
    letters = sorted({letter for unit in units for letter in unit})
    samples = dict.fromkeys(before + over * (length // len(over)) for before, over in parts if over)
    samples |= dict.fromkeys(unit * (length // len(unit)) for unit in units if unit)
    samples |= dict.fromkeys((a + b) * (length // 2) for a in letters[:6] for b in letters[:6])
    texts = list(samples)
    step = max(1, len(texts) // MOST)
    return [text[:length] + end for text in texts[::step] for end in ENDINGS]


def _sample(tree: Any, before: str, parts: dict[tuple[str, str], None]) -> str:
    """A text that matches; notes what leads to each repetition, and what is repeated."""
    text = ""
    for kind, value in tree:
        here = before + text
        if kind is sre.LITERAL:
            text += chr(value)
        elif kind is sre.NOT_LITERAL:
            text += "b" if value == ord("a") else "a"
        elif kind is sre.ANY:
            text += "a"
        elif kind is sre.IN:
            text += next(iter(_letters(value)), "")
        elif kind is sre.BRANCH:
            first, *_ = [_sample(branch, here, parts) for branch in value[1]]
            text += first
        elif kind is sre.SUBPATTERN:
            text += _sample(value[3], here, parts)
        elif kind is sre.ATOMIC_GROUP:
            text += _sample(value, here, parts)
        elif kind is sre.ASSERT:
            _sample(value[1], here, parts)
        elif kind in (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT):
            text += _repeated(value, here, parts)
        parts[before + text, ""] = None
    return text


def _repeated(value: Any, before: str, parts: dict[tuple[str, str], None]) -> str:
    least, _, body = value
    once = _sample(body, before, parts)
    letters = _letters(body[0][1]) if len(body) == 1 and body[0][0] is sre.IN else []
    for unit in (once, *letters):
        parts[before, unit] = None
    return once * max(1, min(least, 50))


def _letters(items: Any) -> list[str]:
    """Some characters of a class."""
    negated = items[0][0] is sre.NEGATE
    own = [chr(v) for k, v in items if k is sre.LITERAL] + [
        chr(v[0]) for k, v in items if k is sre.RANGE
    ]
    return [character for character in (*own, *TRIED) if _holds(items, character) != negated][:4]


CATEGORIES = {
    sre.CATEGORY_DIGIT: r"\d",
    sre.CATEGORY_NOT_DIGIT: r"\D",
    sre.CATEGORY_SPACE: r"\s",
    sre.CATEGORY_NOT_SPACE: r"\S",
    sre.CATEGORY_WORD: r"\w",
    sre.CATEGORY_NOT_WORD: r"\W",
}


def _holds(items: Any, letter: str) -> bool:
    return any(
        (kind is sre.LITERAL and ord(letter) == value)
        or (kind is sre.RANGE and value[0] <= ord(letter) <= value[1])
        or (kind is sre.CATEGORY and re.match(CATEGORIES[value], letter) is not None)
        for kind, value in items
    )


# --- The process that imports all of it ----------------------------------------------------------


def main() -> None:
    """Print the patterns."""
    patterns: dict[int, tuple[str, re.Pattern[Any]]] = {}
    plain = re._compile

    def noted(pattern: Any, flags: Any) -> Any:
        result, frame = plain(pattern, flags), sys._getframe(1)
        while frame.f_globals["__name__"] in ("re", "__main__"):
            frame = frame.f_back
        name = frame.f_globals["__name__"]
        if name.startswith("nearcopy"):
            patterns.setdefault(id(result), (name, result))
        return result

    re._compile = noted
    import nearcopy
    from nearcopy.kernels.lazy_pattern import LazyPattern

    source = Path(nearcopy.__file__).parent
    for path in using_re(source):
        parts = path.relative_to(source).with_suffix("").parts
        importlib.import_module(".".join(("nearcopy", *parts)).removesuffix(".__init__"))
    re._compile = plain
    for name, module in [*sys.modules.items()]:
        for variable, value in [*vars(module).items()] if name.startswith("nearcopy") else []:
            if type(value) is LazyPattern:
                compiled = re.compile(value.pattern, value.given_flags)
                patterns.setdefault(id(compiled), (name, compiled))
                setattr(module, variable, compiled)
    print(json.dumps([_row(*entry) for entry in patterns.values()]))


def _row(module: str, pattern: re.Pattern[Any]) -> list[Any]:
    is_bytes = isinstance(pattern.pattern, bytes)
    text = pattern.pattern.decode("latin-1") if is_bytes else pattern.pattern
    return [module, text, pattern.flags, is_bytes, sorted(_uses(pattern))]


def _uses(pattern: re.Pattern[Any]) -> set[str]:
    """What the modules that have the pattern use it for; to look for it, where they do not say."""
    uses: set[str] = set()
    for module in [module for name, module in sys.modules.items() if name.startswith("nearcopy")]:
        for name, value in vars(module).items():
            if getattr(value, "__self__", None) is pattern:
                uses.add(value.__name__)
            elif value is pattern:
                uses |= set(re.findall(rf"\b{name}\.([a-z]+)\b", Path(module.__file__).read_text()))
    methods = {"search" if use in SEARCHING else use for use in uses}
    return (methods & {"search", "match", "fullmatch"}) or {"search"}


if __name__ == "__main__":
    main()
