"""Labels: which columns of a table of pairs say what, and which labels mean the same."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any, Literal, NamedTuple, get_args

from nearcopy.config import Policy
from nearcopy.errors import NearcopyError
from nearcopy.evaluate.results import Labelled
from nearcopy.model import Article, Relation

Target = Literal["duplicate", "news", "copy"]
TARGETS: tuple[Target, ...] = get_args(Target)
Values = Mapping[str, Any]
Make = Callable[[dict[str, Any], str], Article]  # what stands on one side of a row, and its name

TEXT_COPIES = frozenset(
    {
        Relation.SAME_URL,
        Relation.SAME_TEXT,
        Relation.NEAR_TEXT,
        Relation.CONTAINED,
        Relation.REVISION,
    }
)
LABELS = ("label", "relation", "same", "duplicate", "is_duplicate", "class", "gold")
SAME = frozenset(
    {
        *("same", "duplicate", "copy", "paraphrase", "revision", "excerpt"),
        *("1", "1.0", "true", "yes"),
    }
)
IGNORED = frozenset({"", "unsure", "unclear", "unknown", "bad", "?"})
IDS = (("a", "b"), ("id_a", "id_b"), ("a_id", "b_id"), ("id1", "id2"), ("id_1", "id_2"))
SIDES = (("_a", "_b"), ("_1", "_2"), ("1", "2"))
INLINE = ("title", "headline", "sentence", "text", "body", "content", "url")
TITLES = {"sentence": "title"}  # a sentence by itself is compared as a headline is


class Scale(NamedTuple):
    """A column of grades: whether higher means less alike, and from where on it is the same."""

    less: bool
    bound: float | None
    target: Target


SCALES = {
    "overall": Scale(less=True, bound=2.0, target="news"),
    "similarity": Scale(less=False, bound=4.0, target="news"),
    "grade": Scale(less=False, bound=None, target="news"),
    "score": Scale(less=False, bound=None, target="news"),
    "jaccard5": Scale(less=False, bound=0.5, target="copy"),
    "jaccard": Scale(less=False, bound=0.5, target="copy"),
    "overlap": Scale(less=False, bound=0.5, target="copy"),
}
OTHER = Scale(less=False, bound=None, target="news")


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What the caller says of the table; the rest is guessed from its header."""

    label: str | None = None
    positive: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    grade: str | None = None
    higher_is_less: bool | None = None
    target: Target | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Scheme:
    """How a table of pairs is read."""

    ids: tuple[str, str] | None
    sides: tuple[str, str] | None  # the endings of the columns that hold the articles themselves
    label: str | None
    grade: str | None
    less: bool
    bound: float | None
    positive: frozenset[str]
    ignored: frozenset[str]
    target: Target

    @property
    def about(self) -> str:
        """What counts as the same, in words."""
        if self.label:
            return f"{self.label} is {', '.join(sorted(self.positive))}"
        if self.bound is None:
            return f"graded by {self.grade}"
        return f"{self.grade} is {self.bound:g} or {'less' if self.less else 'more'}"


class Labels(NamedTuple):
    """The labelled pairs of a table, how many were passed over, and ids that no article has."""

    pairs: list[Labelled]
    ignored: int
    unknown: list[str]
    unpaired: int  # pairs left out because of those ids


def scheme(asked: Asked, rows: Sequence[tuple[int, Values]], policy: Policy) -> Scheme:
    """How to read the rows: as asked, else by the names of their columns."""
    names = tuple(rows[0][1]) if rows else ()
    label, grade = _label_column(asked, names), _grade_column(asked, names)
    scale = SCALES.get((grade or "").casefold(), OTHER)
    target = asked.target or ("duplicate" if label else scale.target)
    ignored = frozenset(map(_folded, asked.ignore)) or IGNORED
    return Scheme(
        ids=next((pair for pair in IDS if all(each in names for each in pair)), None),
        sides=_sides(names),
        label=label,
        grade=grade,
        less=scale.less if asked.higher_is_less is None else asked.higher_is_less,
        bound=_bound(asked, scale) if grade and not label else None,
        positive=_positive(asked, rows, label, target, policy, ignored) if label else frozenset(),
        ignored=ignored,
        target=target,
    )


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


# The columns.


def _label_column(asked: Asked, names: Sequence[str]) -> str | None:
    if asked.label is not None:
        return _named(asked.label, "--label", names)
    if asked.grade is not None:
        return None
    return next((name for name in LABELS if name in names), None)


def _grade_column(asked: Asked, names: Sequence[str]) -> str | None:
    if asked.grade is not None:
        return _named(asked.grade, "--grade", names)
    if _label_column(asked, names) is not None:
        return None
    found = next((name for name in SCALES if name in names), None)
    if found is None:
        raise NearcopyError(
            f"no column of labels or grades among {', '.join(names) or 'none'}: "
            "name it with --label or --grade"
        )
    return found


def _named(name: str, option: str, names: Sequence[str]) -> str:
    if name not in names:
        raise NearcopyError(f"{option} {name}: no such column, there are {', '.join(names)}")
    return name


def _sides(names: Sequence[str]) -> tuple[str, str] | None:
    for one, other in SIDES:
        if any(part + one in names and part + other in names for part in INLINE):
            return one, other
    return None


# What means the same.


def _bound(asked: Asked, scale: Scale) -> float | None:
    if not asked.positive:
        return scale.bound
    if len(asked.positive) > 1:
        raise NearcopyError("--positive takes one bound where there are grades, such as 4")
    return number(asked.positive[0], "--positive")


def _positive(
    asked: Asked,
    rows: Sequence[tuple[int, Values]],
    label: str,
    target: Target,
    policy: Policy,
    ignored: Collection[str],
) -> frozenset[str]:
    there = {_folded(values.get(label)) for _, values in rows} - set(ignored)
    listed = ", ".join(sorted(there)[:20])
    wanted = frozenset(map(_folded, asked.positive))
    if wanted - there:
        raise NearcopyError(f"--positive {', '.join(sorted(wanted - there))}: labels are {listed}")
    found = wanted or there & (SAME | relations(target, policy))
    if not found and rows:
        raise NearcopyError(
            f"which labels mean the same? {label} is {listed}: give --positive VALUE,..."
        )
    return frozenset(found)


def relations(target: Target, policy: Policy) -> frozenset[Relation]:
    """The relations that count as a yes."""
    if target == "copy":
        return TEXT_COPIES
    return policy.duplicates | ({Relation.SAME_EVENT} if target == "news" else set())


# The rows.


def _passed_over(values: Values, by: Scheme) -> bool:
    return _folded(values.get(by.label or by.grade or "")) in by.ignored


def _both(
    line: int, values: Values, by: Scheme, articles: Mapping[str, Article] | None, make: Make
) -> list[Article | str]:
    """The two articles; in place of one that is not there its id."""
    if articles is not None and by.ids is not None:
        names = [str(values[column]) for column in by.ids]
        return [articles.get(name, name) for name in names]
    if by.sides is None:
        raise NearcopyError("the pairs name articles by id: give these with --articles FILE")
    return [
        _inline(line, values, ending, place, make)
        for ending, place in zip(by.sides, "ab", strict=True)
    ]


def _inline(line: int, values: Values, ending: str, place: str, make: Make) -> Article:
    held = {
        name.removesuffix(ending): value for name, value in values.items() if name.endswith(ending)
    }
    return make({TITLES.get(name, name): value for name, value in held.items()}, f"{line}{place}")


def _labelled(line: int, values: Values, by: Scheme, a: Article, b: Article) -> Labelled:
    grade = number(values.get(by.grade), f"line {line}: {by.grade}") if by.grade else None
    label = _folded(values.get(by.label)) if by.label else f"{grade:g}"
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


def number(value: Any, what: str) -> float:
    """The value as a number; `what` it is, for the error where it is none."""
    try:
        found = float(value)
    except (TypeError, ValueError):
        found = float("nan")
    if not isfinite(found):
        raise NearcopyError(f"{what} is {value!r:.60}: give a number")
    return found


def _folded(value: Any) -> str:
    return "" if value is None else str(value).strip().casefold()
