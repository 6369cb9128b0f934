"""Labelled pairs: which columns of a table hold labels, and which labels are positive."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any, Literal, NamedTuple, get_args

from nearcopy.config import Policy
from nearcopy.errors import NearcopyError
from nearcopy.extract.word_lists import words
from nearcopy.models import Article, Relation

Target = Literal["duplicate", "event", "copy"]
TARGETS: tuple[Target, ...] = get_args(Target)
Values = Mapping[str, Any]

TEXT_RELATIONS = frozenset({Relation.SAME_TEXT, Relation.NEAR_TEXT, Relation.CONTAINED})
LABELS = ("label", "relation", "same", "duplicate", "is_duplicate", "class", "gold")
SAME = words("same duplicate copy paraphrase revision excerpt 1 1.0 true yes")
IGNORED = frozenset({"", "unsure", "unclear", "unknown", "bad", "?"})
IDS = (("a", "b"), ("id_a", "id_b"), ("a_id", "b_id"), ("id1", "id2"), ("id_1", "id_2"))
SIDES = (("_a", "_b"), ("_1", "_2"), ("1", "2"))
INLINE = ("title", "headline", "sentence", "text", "body", "content", "url")


class Scale(NamedTuple):
    """A column of grades: whether higher means less similar, and the grade of a positive pair."""

    less: bool
    bound: float | None
    target: Target


SCALES = {
    "overall": Scale(less=True, bound=2.0, target="event"),
    "similarity": Scale(less=False, bound=4.0, target="event"),
    "grade": Scale(less=False, bound=None, target="event"),
    "score": Scale(less=False, bound=None, target="event"),
    "jaccard5": Scale(less=False, bound=0.5, target="copy"),
    "jaccard": Scale(less=False, bound=0.5, target="copy"),
    "overlap": Scale(less=False, bound=0.5, target="copy"),
}
OTHER = Scale(less=False, bound=None, target="event")


class LabelledPair(NamedTuple):
    """Two articles and their label."""

    line: int  # of the file; 0 for none
    a: Article
    b: Article
    label: str
    same: bool | None  # None for grades without a bound
    grade: float | None = None
    language: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelOptions:
    """What the caller says about the table; everything else is inferred from its header."""

    label: str | None = None
    positive: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    grade: str | None = None
    higher_is_less: bool | None = None
    target: Target | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Scheme:
    """How to read a table of pairs."""

    ids: tuple[str, str] | None
    sides: tuple[str, str] | None  # the suffixes of columns that hold the articles
    label: str | None
    grade: str | None
    less: bool
    bound: float | None
    positive: frozenset[str]
    ignored: frozenset[str]
    target: Target

    @property
    def about(self) -> str:
        """What counts as positive, in words."""
        if self.label:
            return f"{self.label} is {', '.join(sorted(self.positive))}"
        if self.bound is None:
            return f"graded by {self.grade}"
        return f"{self.grade} is {self.bound:g} or {'less' if self.less else 'more'}"


def find_scheme(
    options: LabelOptions, rows: Sequence[tuple[int, Values]], policy: Policy
) -> Scheme:
    """How to read the rows: by the options, else by the names of their columns."""
    names = tuple(rows[0][1]) if rows else ()
    label = _label_column(options, names)
    grade = _grade_column(options, names, label)
    scale = SCALES.get((grade or "").casefold(), OTHER)
    target = options.target or ("duplicate" if label else scale.target)
    ignored = (frozenset(map(fold_label, options.ignore)) or IGNORED) | {""}
    return Scheme(
        ids=next((pair for pair in IDS if all(column in names for column in pair)), None),
        sides=_sides(names),
        label=label,
        grade=grade,
        less=scale.less if options.higher_is_less is None else options.higher_is_less,
        bound=_bound(options, scale) if grade and not label else None,
        positive=_positive(options, rows, label, target, policy, ignored) if label else frozenset(),
        ignored=ignored,
        target=target,
    )


# The columns.


def _label_column(options: LabelOptions, names: Sequence[str]) -> str | None:
    if options.label is not None:
        return _check_column(options.label, "--label", names)
    if options.grade is not None:
        return None
    return next((name for name in LABELS if name in names), None)


def _grade_column(options: LabelOptions, names: Sequence[str], label: str | None) -> str | None:
    if options.grade is not None:
        return _check_column(options.grade, "--grade", names)
    if label is not None:
        return None
    column = next((name for name in SCALES if name in names), None)
    if column is None:
        raise NearcopyError(
            f"no column of labels or grades among {', '.join(names) or 'none'}: "
            "name it with --label or --grade"
        )
    return column


def _check_column(name: str, option: str, names: Sequence[str]) -> str:
    if name not in names:
        raise NearcopyError(f"{option} {name}: no such column, there are {', '.join(names)}")
    return name


def _sides(names: Sequence[str]) -> tuple[str, str] | None:
    for one, other in SIDES:
        if any(part + one in names and part + other in names for part in INLINE):
            return one, other
    return None


# The positive labels.


def _bound(options: LabelOptions, scale: Scale) -> float | None:
    if not options.positive:
        return scale.bound
    if len(options.positive) > 1:
        raise NearcopyError("--positive takes one bound where there are grades, such as 4")
    return parse_number(options.positive[0], "--positive")


def _positive(
    options: LabelOptions,
    rows: Sequence[tuple[int, Values]],
    label: str,
    target: Target,
    policy: Policy,
    ignored: Collection[str],
) -> frozenset[str]:
    every = {fold_label(values.get(label)) for _, values in rows}
    present, listed = every - set(ignored), ", ".join(sorted(every)[:20])
    positive = frozenset(map(fold_label, options.positive))
    for option, named in (("positive", positive), ("ignore", set(map(fold_label, options.ignore)))):
        if named - every:
            missing = ", ".join(sorted(named - every))
            raise NearcopyError(f"--{option} {missing}: no such label, {label} is {listed}")
    are_relations = present <= set(Relation)  # then the policy says which of them are positive
    result = positive or present & (
        positive_relations(target, policy) | (frozenset() if are_relations else SAME)
    )
    if not result and rows:
        raise NearcopyError(
            f"which labels are positive? {label} is {listed}: give --positive VALUE,..."
        )
    return frozenset(result)


def positive_relations(target: Target, policy: Policy) -> frozenset[Relation]:
    """The relations that count as positive."""
    if target == "copy":
        return TEXT_RELATIONS | {Relation.SAME_URL, Relation.REVISION}
    return policy.duplicates | ({Relation.SAME_EVENT} if target == "event" else set())


def parse_number(value: Any, what: str) -> float:
    """The value as a number; `what` names it in the error message."""
    try:
        parsed = float(value)
    except (TypeError, ValueError):
        parsed = float("nan")
    if not isfinite(parsed):
        raise NearcopyError(f"{what} is {value!r:.60}: give a number")
    return parsed


def fold_label(value: Any) -> str:
    """A label without surrounding spaces, case-folded."""
    return "" if value is None else str(value).strip().casefold()


ArticleFactory = Callable[[dict[str, Any], str], Article]  # from the values of a side, and an id
COLUMN_ALIASES = {"sentence": "title"}  # single sentences are compared as headlines


class LabelledPairs(NamedTuple):
    """The labelled pairs of a table, the number ignored, and the ids without an article."""

    pairs: list[LabelledPair]
    ignored: int
    unknown: list[str]
    unpaired: int  # pairs omitted because of those ids


def read_labels(
    rows: Iterable[tuple[int, Values]],
    scheme: Scheme,
    articles: Mapping[str, Article] | None,
    make: ArticleFactory,
) -> LabelledPairs:
    """The labelled pairs: articles by id, or constructed from the rows."""
    pairs: list[LabelledPair] = []
    unknown: dict[str, None] = {}
    ignored = unpaired = 0
    for line, values in rows:
        if fold_label(values.get(scheme.label or scheme.grade or "")) in scheme.ignored:
            ignored += 1
            continue
        both = _find_articles(line, values, scheme, articles, make)
        if isinstance(both[0], Article) and isinstance(both[1], Article):
            pairs.append(_label_pair(line, values, scheme, both[0], both[1]))
        else:
            unpaired += 1
            unknown |= dict.fromkeys(name for name in both if isinstance(name, str))
    return LabelledPairs(pairs, ignored, list(unknown), unpaired)


def _find_articles(
    line: int,
    values: Values,
    scheme: Scheme,
    articles: Mapping[str, Article] | None,
    make: ArticleFactory,
) -> list[Article | str]:
    """The two articles, or the id of one that is unknown."""
    ids: list[Any] = [values.get(column) for column in scheme.ids or ()]
    if ids and all(isinstance(article, dict) for article in ids):
        pairs = zip(ids, "ab", strict=True)
        return [_make_article(line, article, side, make) for article, side in pairs]
    if articles is not None and scheme.ids is not None:
        return [articles.get(str(name), str(name)) for name in ids]
    if scheme.sides is None:
        raise NearcopyError("the pairs name articles by id: give these with --articles FILE")
    sides = zip(scheme.sides, "ab", strict=True)
    return [_make_article(line, _side_values(values, ending), side, make) for ending, side in sides]


def _side_values(values: Values, ending: str) -> dict[str, Any]:
    """The columns with this suffix, under their names without it."""
    columns = {name.removesuffix(ending): values[name] for name in values if name.endswith(ending)}
    return {COLUMN_ALIASES.get(name, name): value for name, value in columns.items()}


def _make_article(line: int, values: dict[str, Any], side: str, make: ArticleFactory) -> Article:
    try:
        return make(values, f"{line}{side}")
    except NearcopyError as error:
        raise NearcopyError(f"line {line}: {error}") from error


def _label_pair(line: int, values: Values, scheme: Scheme, a: Article, b: Article) -> LabelledPair:
    grade = None
    if scheme.grade:
        grade = parse_number(values.get(scheme.grade), f"line {line}: {scheme.grade}")
    label = fold_label(values.get(scheme.label)) if scheme.label else f"{grade:g}"
    same = label in scheme.positive if scheme.label else _reaches_bound(grade, scheme)
    return LabelledPair(line, a, b, label, same, grade, _language(values, a, b))


def _reaches_bound(grade: float | None, scheme: Scheme) -> bool | None:
    if grade is None or scheme.bound is None:
        return None
    return grade <= scheme.bound if scheme.less else grade >= scheme.bound


def _language(values: Values, a: Article, b: Article) -> str | None:
    """The language of both articles, or the two languages."""
    by_side = [
        str(values.get(f"lang_{side}") or values.get(f"language_{side}") or each.language or "")
        for side, each in (("a", a), ("b", b))
    ]
    languages = sorted({each for each in by_side if each})
    return " / ".join(languages) or None
