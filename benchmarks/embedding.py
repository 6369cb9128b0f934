"""What static vectors add: the cosine of meanings alone, and beside what is measured anyway.

Run by itself, with the extra `embed` installed; writes results/embedding.json. Beside the cosine
alone stand logistic regressions without and with it, each judged on folds that it was not fitted
on: over the profile cosine and the soft title cosine, and over these and the other shares that
profiles tell. Intervals are of the difference it makes to the latter, from drawing pairs again.
"""

import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

import corpora
import relations
import results
from nearcopy import Article, Fingerprint, fingerprints, kernels
from nearcopy.evaluate.metrics import auc, average_precision, pearson
from nearcopy.match.embedding import passage, vector
from timing import timed

Floats = NDArray[np.float64]
FOLDS = 5
FEW = 2  # features that every set is judged by; the rest are shares of profiles
DRAWS = 1000
SEED = 11
DIMENSIONS = (256, 128, 64)
ENOUGH = 50  # pairs, for a language to have a line of its own


@dataclass(frozen=True, slots=True)
class Pairs:
    """Pairs with their features and human similarity grades, 0..1."""

    name: str
    vectors: tuple[Floats, Floats]
    features: Floats  # profile cosine, soft title cosine, containment of profiles
    truth: Floats
    measure: str  # "pearson", "auc", "average_precision"

    def some(self, name: str, rows: NDArray[np.bool_]) -> "Pairs":
        """Some of the pairs, under another name."""
        vectors = self.vectors[0][rows], self.vectors[1][rows]
        return Pairs(name, vectors, self.features[rows], self.truth[rows], self.measure)


@dataclass(frozen=True, slots=True)
class Added:
    """What the cosine is worth on one set."""

    name: str
    pairs: int
    measure: str
    meaning: float  # alone
    profile: float | None  # the profile cosine alone; None where there are no texts
    title: float | None  # the soft title cosine alone; None where there are no titles
    without: float  # both of these
    with_meaning: float
    all_without: float  # and the containment of profiles
    all_with_meaning: float
    interval: tuple[float, float] | None  # of the last difference, 95 of 100 draws
    dimensions: dict[str, float]  # the cosine alone by the number of dimensions


def sets() -> Iterator[Pairs]:
    """Every set that is here, in the order shown."""
    if (corpora.DATA / "semeval22").is_dir():
        yield from semeval()
    for name in ("wikinews", "ecbplus"):
        if (corpora.DATA / name).is_dir():
            yield from events(name)
    if (corpora.DATA / "headline-pairs").is_dir():
        rows = relations.rows("headline-pairs")
        yield titled("headline-pairs", rows, [row["label"] == "same" for row in rows], "auc")
    if (corpora.DATA / "sts-headlines").is_dir():
        rows = relations.rows("sts-headlines")
        grades = [float(row["similarity"]) / 5 for row in rows]
        yield titled("sts-headlines", rows, grades, "pearson")


def semeval() -> Iterator[Pairs]:
    """Pairs in one language, all and by language; 1 is the same story and 4 unrelated."""
    articles = {row["id"]: relations.article(row) for row in corpora.articles("semeval22")}
    rows = [row for row in relations.rows("semeval22") if row["lang_a"] == row["lang_b"]]
    rows = [row for row in rows if row["a"] in articles and row["b"] in articles]
    couples = [(articles[row["a"]], articles[row["b"]]) for row in rows]
    truth = [(4 - float(row["overall"])) / 3 for row in rows]
    every = measured("semeval22", couples, truth, "pearson")
    yield every
    languages = np.array([row["lang_a"] for row in rows])
    for language in sorted(set(languages.tolist())):
        if (languages == language).sum() >= ENOUGH:
            yield every.some(f"semeval22 {language}", languages == language)


def events(name: str) -> Iterator[Pairs]:
    """All pairs of articles, by whether they report one event."""
    articles = [relations.article(row) for row in corpora.articles(name)]
    story = relations.clusters(name)
    places = np.array(list(combinations(range(len(articles)), 2)))
    labels = np.array([story.get(article.id, article.id) for article in articles])
    truth = labels[places[:, 0]] == labels[places[:, 1]]
    prints, vectors = list(fingerprints(articles)), embedded(articles)
    sides = places[:, 0], places[:, 1]
    features = likeness([prints[a] for a in sides[0]], [prints[b] for b in sides[1]])
    for measure in ("auc", "average_precision"):
        both = vectors[sides[0]], vectors[sides[1]]
        yield Pairs(name, both, features, truth.astype(float), measure)


def titled(
    name: str, rows: Sequence[dict[str, str]], truth: Sequence[float], measure: str
) -> Pairs:
    """Pairs of titles without texts."""
    couples = [
        (Article(id="a", title=row["title_a"]), Article(id="b", title=row["title_b"]))
        for row in rows
    ]
    return measured(name, couples, truth, measure)


def measured(
    name: str, couples: Sequence[tuple[Article, Article]], truth: Sequence[float], measure: str
) -> Pairs:
    """The pairs with all that is measured of them."""
    left, right = ([couple[side] for couple in couples] for side in (0, 1))
    features = likeness(list(fingerprints(left)), list(fingerprints(right)))
    vectors = embedded(left), embedded(right)
    return Pairs(name, vectors, features, np.array(truth, float), measure)


def embedded(articles: Sequence[Article]) -> Floats:
    """A vector a row; of an article without words, zeros."""
    nothing = np.zeros(DIMENSIONS[0])
    vectors = (vector(passage(article)) for article in articles)
    return np.array([nothing if row is None else row for row in vectors])


def likeness(left: Sequence[Fingerprint], right: Sequence[Fingerprint]) -> Floats:
    """The profile cosine, the soft title cosine and the containment of profiles; 0 if missing."""
    profiles = kernels.profile_measures([a.profile for a in left], [b.profile for b in right])
    title = kernels.title_cosines([a.gist for a in left], [b.gist for b in right])
    return np.nan_to_num(np.column_stack([profiles[:, 0], title, profiles[:, 1:]]))


def added(pairs: Pairs) -> Added:
    """What the cosine is worth on these pairs, alone and beside the others."""
    meaning = cosines(pairs.vectors, DIMENSIONS[0])
    few, many = pairs.features[:, :FEW], pairs.features
    without, with_it = (
        predicted(features, pairs.truth) for features in (many, _and(many, meaning))
    )
    alone = {str(size): judged(pairs, cosines(pairs.vectors, size)) for size in DIMENSIONS}
    return Added(
        pairs.name,
        len(pairs.truth),
        pairs.measure,
        alone[str(DIMENSIONS[0])],
        judged(pairs, pairs.features[:, 0]) if pairs.features[:, 0].any() else None,
        judged(pairs, pairs.features[:, 1]) if pairs.features[:, 1].any() else None,
        judged(pairs, predicted(few, pairs.truth)),
        judged(pairs, predicted(_and(few, meaning), pairs.truth)),
        judged(pairs, without),
        judged(pairs, with_it),
        interval(pairs, without, with_it),
        alone,
    )


def _and(features: Floats, meaning: Floats) -> Floats:
    return np.column_stack([features, meaning])


def cosines(vectors: tuple[Floats, Floats], size: int) -> Floats:
    """The cosines of the first dimensions."""
    a, b = (side[:, :size] for side in vectors)
    lengths = np.linalg.norm(a, axis=1) * np.linalg.norm(b, axis=1)
    values: Floats = np.einsum("ij,ij->i", a, b) / np.maximum(lengths, 1e-12)
    return values


def judged(pairs: Pairs, scores: Floats, rows: NDArray[np.intp] | None = None) -> float:
    """The agreement of scores with human labels."""
    measure = {"pearson": pearson, "auc": auc, "average_precision": average_precision}
    truth = pairs.truth if rows is None else pairs.truth[rows]
    return float(measure[pairs.measure](scores if rows is None else scores[rows], truth)[0])


def interval(pairs: Pairs, without: Floats, with_it: Floats) -> tuple[float, float] | None:
    """Of the difference, where pairs were labelled one by one and may be drawn again."""
    if pairs.measure == "average_precision" or len(pairs.truth) > 50_000:
        return None
    dice = np.random.default_rng(SEED)
    size = len(pairs.truth)
    drawn = (dice.integers(0, size, size) for _ in range(DRAWS))
    differences = [judged(pairs, with_it, d) - judged(pairs, without, d) for d in drawn]
    low, high = np.quantile(differences, (0.025, 0.975)).tolist()
    return round(low, 4), round(high, 4)


def predicted(features: Floats, truth: Floats) -> Floats:
    """What a logistic regression says of each fold, fitted on the others."""
    fold = np.random.default_rng(SEED).permutation(len(truth)) % FOLDS
    rows = np.column_stack([np.ones(len(truth)), features])
    logits = np.empty(len(truth))
    for number in range(FOLDS):
        weights = fitted(rows[fold != number], truth[fold != number])
        logits[fold == number] = rows[fold == number] @ weights
    return 1 / (1 + np.exp(-logits))


def fitted(rows: Floats, truth: Floats, steps: int = 30, ridge: float = 1e-3) -> Floats:
    """The weights of a logistic regression, by Newton's method; the truth may be a share."""
    weights = np.zeros(rows.shape[1])
    for _ in range(steps):
        guess = 1 / (1 + np.exp(-np.clip(rows @ weights, -30, 30)))
        slope = rows.T @ (truth - guess) - ridge * weights
        curve = (rows * (guess * (1 - guess))[:, None]).T @ rows + ridge * np.eye(len(weights))
        weights = weights + np.linalg.solve(curve, slope)
    return weights


def traps(pairs: Pairs) -> float:
    """The share of pairs that are not the same with a cosine above the median of those that are."""
    meaning = cosines(pairs.vectors, DIMENSIONS[0])
    same = pairs.truth > 0.5
    return float((meaning[~same] > np.median(meaning[same])).mean())


def speed() -> dict[str, float]:
    """Articles a second that are embedded for the first time, on one core."""
    texts = [passage(Article(id="a", text=text)) for text in corpora.english(500).texts]
    rounds = []
    for _ in range(5):
        vector.cache_clear()
        rounds.append(timed(lambda: [vector(text) for text in texts]).cpu)
    return {"articles_a_second": len(texts) / float(np.median(rounds))}


def shown(found: Sequence[Added]) -> Table:
    """The results as a table."""
    columns = (
        "set",
        "pairs",
        "measure",
        "meaning",
        "profile",
        "title",
        "both",
        "with",
        "all",
        "with",
        "±",
    )
    table = Table(*columns)
    for line in found:
        values = (
            line.meaning,
            line.profile,
            line.title,
            line.without,
            line.with_meaning,
            line.all_without,
            line.all_with_meaning,
        )
        between = f"{line.interval[0]:+.3f} {line.interval[1]:+.3f}" if line.interval else ""
        cells = ["" if value is None else f"{value:.3f}" for value in values]
        table.add_row(line.name, f"{line.pairs:,}", line.measure, *cells, between)
    return table


def main() -> None:
    """Measure every set that is here."""
    console = Console(stderr=True, width=110)
    lines: list[Added] = []
    details: dict[str, Any] = defaultdict(dict)
    for pairs in sets():
        lines.append(added(pairs))
        if pairs.name == "headline-pairs":
            details["headline-pairs"]["rest_above_the_median_of_same"] = traps(pairs)
    if not lines:
        console.print(f"no labelled news in {corpora.DATA}: nothing to measure")
        sys.exit(0)
    console.print(shown(lines))
    content = {
        "machine": results.machine(),
        "sets": [asdict(line) for line in lines],
        "details": details,
        "speed": speed(),
    }
    results.write(results.EMBEDDING, content)
    console.print(f"written to {results.EMBEDDING}")


if __name__ == "__main__":
    main()
