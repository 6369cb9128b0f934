"""Labels: which columns of a table of pairs say what, and which labels mean the same."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any, Literal, NamedTuple, get_args

from nearcopy.config import Policy
from nearcopy.errors import NearcopyError
from nearcopy.models.model import Relation

Target = Literal["duplicate", "news", "copy"]
TARGETS: tuple[Target, ...] = get_args(Target)
Values = Mapping[str, Any]

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


def scheme(asked: Asked, rows: Sequence[tuple[int, Values]], policy: Policy) -> Scheme:
    """How to read the rows: as asked, else by the names of their columns."""
    names = tuple(rows[0][1]) if rows else ()
    label, grade = _label_column(asked, names), _grade_column(asked, names)
    scale = SCALES.get((grade or "").casefold(), OTHER)
    target = asked.target or ("duplicate" if label else scale.target)
    ignored = (frozenset(map(folded, asked.ignore)) or IGNORED) | {""}
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
    every = {folded(values.get(label)) for _, values in rows}
    there, listed = every - set(ignored), ", ".join(sorted(every)[:20])
    wanted = frozenset(map(folded, asked.positive))
    for option, named in (("positive", wanted), ("ignore", set(map(folded, asked.ignore)))):
        if named - every:
            missing = ", ".join(sorted(named - every))
            raise NearcopyError(f"--{option} {missing}: no such label, {label} is {listed}")
    ours = there <= set(Relation)  # then the policy says which of them count
    found = wanted or there & (relations(target, policy) | (frozenset() if ours else SAME))
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


def number(value: Any, what: str) -> float:
    """The value as a number; `what` it is, for the error where it is none."""
    try:
        found = float(value)
    except (TypeError, ValueError):
        found = float("nan")
    if not isfinite(found):
        raise NearcopyError(f"{what} is {value!r:.60}: give a number")
    return found


def folded(value: Any) -> str:
    """A label as it is compared: without spaces around it, in any case."""
    return "" if value is None else str(value).strip().casefold()
