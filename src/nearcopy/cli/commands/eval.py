"""`nearcopy eval`: how what is found agrees with labelled pairs, clusters or near copies."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from nearcopy.cli.ground_truth import clusters_of, table
from nearcopy.cli.inputs import RejectedOption, article_of, readable, rows
from nearcopy.cli.options import JUDGING, PolicyOption, PresetOption
from nearcopy.cli.overwrite_guard import spare
from nearcopy.cli.terminal import noted, reported, show, write_lines
from nearcopy.errors import NearcopyError
from nearcopy.io.files.atomic_write import write_atomic
from nearcopy.io.settings import settings

if TYPE_CHECKING:
    from nearcopy.cli.progress import Phases
    from nearcopy.config import Policy, Recipe
    from nearcopy.evaluate.label_schemes import Asked
    from nearcopy.evaluate.result_types import Evaluation
    from nearcopy.models.model import Article

LISTED = 20  # ids that no article has are named up to this many
TRUTH = "What is true"
OUT = "What is written"


class Target(StrEnum):
    """What is judged."""

    DUPLICATE = "duplicate"
    NEWS = "news"
    COPY = "copy"


def _truth(flag: str, metavar: str, what: str) -> Any:
    return typer.Option(flag, metavar=metavar, rich_help_panel=TRUTH, help=what)


@reported
def eval_(
    articles: Annotated[
        list[str] | None,
        typer.Option("--articles", metavar="FILE", help="The articles; may be given again."),
    ] = None,
    pairs: Annotated[
        str | None, _truth("--pairs", "FILE", "Pairs with a label or a grade each.")
    ] = None,
    clusters: Annotated[
        str | None, _truth("--clusters", "FILE", "The cluster of each article: id, cluster.")
    ] = None,
    near_pairs: Annotated[
        str | None,
        _truth("--near-pairs", "FILE", "All pairs of texts that overlap: a, b, jaccard."),
    ] = None,
    label: Annotated[
        str | None, _truth("--label", "COLUMN", "The column of labels; else guessed.")
    ] = None,
    positive: Annotated[
        str | None,
        _truth("--positive", "VALUE,...", "Labels that mean the same; with grades, one bound."),
    ] = None,
    ignore: Annotated[
        str | None,
        _truth("--ignore", "VALUE,...", "Labels to leave out; else unsure and its like."),
    ] = None,
    grade: Annotated[
        str | None, _truth("--grade", "COLUMN", "The column of grades; else guessed.")
    ] = None,
    higher_is_less: Annotated[
        bool | None,
        typer.Option(
            "--higher-is-less/--higher-is-more",
            rich_help_panel=TRUTH,
            help="Whether higher grades mean less alike; else guessed.",
        ),
    ] = None,
    target: Annotated[
        Target | None,
        typer.Option("--target", rich_help_panel=TRUTH, help="What is judged; else guessed."),
    ] = None,
    preset: PresetOption = None,
    policy: PolicyOption = None,
    window: Annotated[
        str | None,
        typer.Option(
            "--window",
            metavar="SPAN",
            rich_help_panel=JUDGING,
            help="How far apart copies may be: 14d, 36h, 2w, 90m; else all.",
        ),
    ] = None,
    rejected: RejectedOption = None,
    mistakes: Annotated[
        int,
        typer.Option(
            "--mistakes",
            metavar="N",
            min=0,
            max=1000,
            rich_help_panel=OUT,
            help="To list, of each kind.",
        ),
    ] = 10,
    html: Annotated[
        Path | None,
        typer.Option("--html", metavar="FILE", rich_help_panel=OUT, help="Write a report to open."),
    ] = None,
    as_json: Annotated[
        bool,
        typer.Option("--json", rich_help_panel=OUT, help="One JSON object in place of tables."),
    ] = False,
) -> None:
    """Measure accuracy on labelled news, and list the mistakes."""
    from nearcopy.cli.render.evaluation import evaluation_row, tables
    from nearcopy.evaluate.label_schemes import TARGETS, Asked

    spare([*(articles or ()), pairs, clusters, near_pairs, policy], html, rejected)
    if html is not None and not html.parent.is_dir():
        raise NearcopyError(f"--html {html}: there is no folder {html.parent}")
    asked = Asked(
        label=label,
        positive=_values(positive),
        ignore=_values(ignore),
        grade=grade,
        higher_is_less=higher_is_less,
        target=None if target is None else TARGETS[list(Target).index(target)],
    )
    recipe, judged = settings(preset, policy, window or "all")
    job = _Job(
        files=articles or [],
        asked=asked,
        rejected=rejected,
        mistakes=mistakes,
        recipe=recipe,
        policy=judged,
    )
    found = job.run(pairs, clusters, near_pairs)
    found = replace(found, settings=_settings(preset, policy, window))
    _tell(found)
    if html is not None:
        _write(html, found)
    write_lines([evaluation_row(found)]) if as_json else show(*tables(found))


def _values(given: str | None) -> tuple[str, ...]:
    return tuple(value.strip() for value in (given or "").split(",") if value.strip())


def _settings(preset: str | None, policy: Path | None, window: str | None) -> dict[str, str]:
    named = {"preset": preset or (None if policy else "default"), "policy": policy and str(policy)}
    return {name: value for name, value in named.items() if value} | {"window": window or "all"}


def _tell(found: "Evaluation") -> None:
    """Names on stderr the ids that no article has."""
    if found.unknown:
        more = len(found.unknown) - LISTED
        listed = ", ".join(found.unknown[:LISTED]) + (f" and {more:,} more" if more > 0 else "")
        left = found.counts["with_unknown_ids"]
        noted(f"left out {left:,} for want of {len(found.unknown):,} articles: {listed}")


def _write(file: Path, found: "Evaluation") -> None:
    from nearcopy.evaluate.html_report import page

    write_atomic(file, page(found))
    noted(f"wrote {file}")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Job:
    """What was asked for, and how it is done."""

    files: list[str]
    asked: "Asked"
    rejected: Path | None
    mistakes: int
    recipe: "Recipe | None"
    policy: "Policy"

    def run(self, pairs: str | None, clusters: str | None, near_pairs: str | None) -> "Evaluation":
        """The one of three that was asked for."""
        given = [each for each in (pairs, clusters, near_pairs) if each is not None]
        if len(given) != 1:
            raise NearcopyError("give one of --pairs FILE, --clusters FILE and --near-pairs FILE")
        if pairs is None and not self.files:
            raise NearcopyError("which articles? Give --articles FILE")
        from nearcopy.cli.progress import Phases

        with Phases() as phases:
            if pairs is not None:
                return self._pairs(pairs, phases)
            if clusters is not None:
                return self._clusters(clusters, phases)
            return self._near_pairs(given[0], phases)

    def _pairs(self, file: str, phases: "Phases") -> "Evaluation":
        from nearcopy.config import Recipe
        from nearcopy.evaluate.label_schemes import scheme
        from nearcopy.evaluate.labelled_pairs import labelled
        from nearcopy.evaluate.pairs import evaluate_pairs

        rows_of = table(file)
        by = scheme(self.asked, rows_of, self.policy)
        articles = {each.id: each for each in self._articles(phases)} if self.files else None
        labels = labelled(rows_of, by, articles, article_of)
        if not labels.pairs:
            _nothing(file, labels.unknown)
        return evaluate_pairs(
            labels,
            by,
            self.recipe or Recipe(),
            self.policy,
            mistakes=self.mistakes,
            watch=lambda some: phases.each(some, "judging", total=len(labels.pairs)),
        )

    def _clusters(self, file: str, phases: "Phases") -> "Evaluation":
        from nearcopy.evaluate.clusters import evaluate_clusters

        clusters = clusters_of(file, self.asked.label)
        found = evaluate_clusters(
            self._articles(phases), clusters, self.recipe, self.policy, mistakes=self.mistakes
        )
        return found if found.counts["articles"] else _nothing(file, found.unknown)

    def _near_pairs(self, file: str, phases: "Phases") -> "Evaluation":
        from nearcopy.evaluate.near_duplicates import evaluate_near_pairs, listed_pairs

        listed, bound = listed_pairs(table(file), self.asked, self.policy)
        found = evaluate_near_pairs(
            self._articles(phases),
            listed,
            self.recipe,
            self.policy,
            bound=bound,
            mistakes=self.mistakes,
        )
        return (
            found
            if len(listed) > found.counts["with_unknown_ids"]
            else _nothing(file, found.unknown)
        )

    def _articles(self, phases: "Phases") -> Iterator["Article"]:
        with readable(self.files, self.rejected) as sources:
            every = (row.article for row in rows(sources))
            yield from phases.each(every, "articles")


def _nothing(file: str, unknown: Iterable[str]) -> Any:
    names = ", ".join(list(unknown)[:LISTED])
    raise NearcopyError(
        f"{file} holds nothing to measure" + (f": no article has the ids {names}" if names else "")
    )
