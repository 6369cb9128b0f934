"""Labelled pairs: what the rows of a table say, beside the articles that they say it of."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from nearcopy.errors import NearcopyError
from nearcopy.evaluate.label_schemes import Scheme, Values, folded, number
from nearcopy.evaluate.result_types import Labelled
from nearcopy.models.model import Article

Make = Callable[[dict[str, Any], str], Article]  # what stands on one side of a row, and its name
TITLES = {"sentence": "title"}  # a sentence by itself is compared as a headline is


class Labels(NamedTuple):
    """The labelled pairs of a table, how many were passed over, and ids that no article has."""

    pairs: list[Labelled]
    ignored: int
    unknown: list[str]
    unpaired: int  # pairs left out because of those ids


def labelled(
    rows: Iterable[tuple[int, Values]],
    by: Scheme,
    articles: Mapping[str, Article] | None,
    make: Make,
) -> Labels:
    """The pairs of the rows: by id among the articles, or made of what the rows hold."""
    found = Labels([], 0, [], 0)
    unknown: dict[str, None] = {}
    ignored = unpaired = 0
    for line, values in rows:
        if _passed_over(values, by):
            ignored += 1
            continue
        both = _both(line, values, by, articles, make)
        if isinstance(both[0], Article) and isinstance(both[1], Article):
            found.pairs.append(_labelled(line, values, by, both[0], both[1]))
        else:
            unpaired += 1
            unknown |= dict.fromkeys(each for each in both if isinstance(each, str))
    return found._replace(ignored=ignored, unknown=list(unknown), unpaired=unpaired)


def _passed_over(values: Values, by: Scheme) -> bool:
    return folded(values.get(by.label or by.grade or "")) in by.ignored


def _both(
    line: int, values: Values, by: Scheme, articles: Mapping[str, Article] | None, make: Make
) -> list[Article | str]:
    """The two articles; in place of one that is not there its id."""
    given: list[Any] = [values.get(column) for column in by.ids or ()]
    if given and all(isinstance(each, dict) for each in given):
        return [_made(line, each, side, make) for each, side in zip(given, "ab", strict=True)]
    if articles is not None and by.ids is not None:
        return [articles.get(str(name), str(name)) for name in given]
    if by.sides is None:
        raise NearcopyError("the pairs name articles by id: give these with --articles FILE")
    sides = zip(by.sides, "ab", strict=True)
    return [_made(line, _side(values, ending), side, make) for ending, side in sides]


def _side(values: Values, ending: str) -> dict[str, Any]:
    """What the columns with this ending hold, under their names without it."""
    held = {name.removesuffix(ending): values[name] for name in values if name.endswith(ending)}
    return {TITLES.get(name, name): value for name, value in held.items()}


def _made(line: int, values: dict[str, Any], side: str, make: Make) -> Article:
    try:
        return make(values, f"{line}{side}")
    except NearcopyError as wrong:
        raise NearcopyError(f"line {line}: {wrong}") from wrong


def _labelled(line: int, values: Values, by: Scheme, a: Article, b: Article) -> Labelled:
    grade = number(values.get(by.grade), f"line {line}: {by.grade}") if by.grade else None
    label = folded(values.get(by.label)) if by.label else f"{grade:g}"
    same = label in by.positive if by.label else _above(grade, by)
    return Labelled(line, a, b, label, same, grade, _language(values, a, b))


def _above(grade: float | None, by: Scheme) -> bool | None:
    if grade is None or by.bound is None:
        return None
    return grade <= by.bound if by.less else grade >= by.bound


def _language(values: Values, a: Article, b: Article) -> str | None:
    """The language of both, or the two."""
    spoken = [
        str(values.get(f"lang_{side}") or values.get(f"language_{side}") or each.language or "")
        for side, each in (("a", a), ("b", b))
    ]
    known = sorted({each for each in spoken if each})
    return " / ".join(known) or None
