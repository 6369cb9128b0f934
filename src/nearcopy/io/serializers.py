"""The one JSON form of every answer: verdicts, evidence, stories, feedback, evaluations."""

from collections.abc import Iterable, Iterator
from dataclasses import is_dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from nearcopy.cluster.outlet_spread import count_outlets, count_syndicated
from nearcopy.io.files.rows import Row
from nearcopy.kernels.result_types import Numeral, Passage
from nearcopy.match.explain import Explanation
from nearcopy.match.judgement import Judgement
from nearcopy.models import Edge, Evidence, Fact, Match, Story, Verdict
from nearcopy.models.feedback import Feedback, Prediction, StoryAction

if TYPE_CHECKING:  # few answers need these, which take long to import
    from nearcopy.deduper.feedback import FeedbackResult
    from nearcopy.deduper.review_queue import BorderlinePair
    from nearcopy.deduper.search_results import SearchResult
    from nearcopy.deduper.statistics import Latency, Stats
    from nearcopy.deduper.story_actions import ActionResult
    from nearcopy.evaluate.outcomes import Cell, Evaluation, Mistake, Table
    from nearcopy.evaluate.tune import Tuning

Answer = dict[str, Any]
VERDICT_COLUMNS = (
    "relation",
    "is_duplicate",
    "duplicate_of",
    "story_id",
    "confidence",
    "rule",
    "reasons",
    "event_score",
    "overlap",
    "match",
)
OTHER_FIELDS = ("flags", "evidence")
VERDICT_FIELDS = (
    *(name for name in Verdict.__dataclass_fields__ if name not in OTHER_FIELDS),
    "reason",
    "flags",
)
CURVE_POINTS = 100  # of a curve, about


def dataclass_row(noun: Any) -> Answer:
    """All fields of an article, a member, a spread or another data class."""
    return _values(noun, noun.__dataclass_fields__)


def _values(noun: Any, names: Iterable[str]) -> Answer:
    """These attributes as plain values, in this order."""
    return {name: _plain(getattr(noun, name)) for name in names}


def _plain(value: Any) -> Any:
    if isinstance(value, str):
        return str(value)
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    if isinstance(value, datetime):
        return value.isoformat()
    return dataclass_row(value) if is_dataclass(value) else value


# Verdicts, evidence and judgements.


def verdict_row(verdict: Verdict, *, evidence: bool = False) -> Answer:
    """A verdict; with its evidence if `evidence`."""
    answer = _values(verdict, VERDICT_FIELDS)
    if evidence:
        answer["evidence"] = verdict.evidence and evidence_row(verdict.evidence)
    return answer


def verdict_columns(verdict: Verdict) -> Answer:
    """The values of a verdict that are written beside the row of its article."""
    values = {name: getattr(verdict, name) for name in VERDICT_COLUMNS}
    return values | {"relation": str(verdict.relation), "reasons": list(verdict.reasons)}


def evidence_row(evidence: Evidence) -> Answer:
    """The measurements of evidence, without those that were not made."""
    nothing = Evidence._field_defaults
    return {
        name: _evidence_value(value)
        for name, value in evidence._asdict().items()
        if value != nothing[name]
    }


def _evidence_value(value: Any) -> Any:
    """A measurement; pairs of facts as pairs of kind and value."""
    if isinstance(value, tuple):
        return [[_fact(a), _fact(b)] for a, b in value]
    return value


def _fact(fact: Fact) -> Answer:
    return {"kind": fact.kind, "value": fact.value}


def judgement_row(a: str, b: str, judgement: Judgement) -> Answer:
    """The judgement of two articles."""
    return {**_pair_row(a, b, judgement), "evidence": evidence_row(judgement.evidence)}


def _pair_row(a: str, b: str, result: Judgement | Edge) -> Answer:
    decision = result.decision
    return {
        "a": a,
        "b": b,
        "relation": str(decision.relation),
        "confidence": decision.confidence,
        "is_duplicate": decision.duplicate,
        "event_score": result.event_score,
        "overlap": result.overlap,
        "rule": decision.rule,
        "reasons": [decision.reason],
        "flags": list(decision.flags),
    }


def match_row(match: Match) -> Answer:
    """An article similar to another."""
    return {
        "id": match.id,
        "title": match.title,
        "host": match.host,
        "similarity_score": match.score,
        "match_type": str(match.relation),
        **_values(match, ("confidence", "event_score", "overlap")),
    }


def explanation_row(explanation: Explanation) -> Answer:
    """The judgement of two articles, with the positions of shared passages, facts and names."""
    return {
        **judgement_row(explanation.a, explanation.b, explanation.judgement),
        "passages": [_passage(passage) for passage in explanation.passages],
        "facts": {
            "a": [_located(fact, "kind", "value") for fact in explanation.facts_a],
            "b": [_located(fact, "kind", "value") for fact in explanation.facts_b],
        },
        "names": {"a": list(explanation.names_a), "b": list(explanation.names_b)},
        "figures": [
            {"a": _located(a, "value"), "b": _located(b, "value")} for a, b in explanation.figures
        ],
    }


def _passage(passage: Passage) -> Answer:
    return {
        "a": {"start": passage.a_start, "end": passage.a_end},
        "b": {"start": passage.b_start, "end": passage.b_end},
        "words": passage.words,
    }


def _located(item: Fact | Numeral, *names: str) -> Answer:
    return _values(item, (*names, "start", "end"))


def ranked_rows(
    rows: list[Row], results: "list[SearchResult]", *, mark: bool = False
) -> Iterator[Answer]:
    """The kept results in order; with `mark` all of them, and what the others duplicate."""
    for row, result in zip(rows, results, strict=True):
        if result.duplicate_of is None:
            more: Answer = {"duplicate_of": None} if mark else {}
            yield {**_with_id(row), **more, "duplicates": result.duplicates}
        elif mark:
            yield _duplicate_row(row, result)


def dropped_rows(rows: list[Row], results: "list[SearchResult]") -> Iterator[Answer]:
    """The dropped results, each with its relation to the kept one."""
    for row, result in zip(rows, results, strict=True):
        if result.duplicate_of is not None:
            yield _duplicate_row(row, result)


def _with_id(row: Row) -> Answer:
    """The values of a result, with its id if it has none of its own."""
    own = row.id_column is not None and str(row.values[row.id_column]) == row.article.id
    return row.values if own else row.values | {"id": row.article.id}


def _duplicate_row(row: Row, result: "SearchResult") -> Answer:
    answer = {**_with_id(row), "duplicate_of": result.duplicate_of}
    if result.judgement is not None:
        decision = result.judgement.decision
        answer |= _values(decision, ("relation", "confidence", "rule"))
        answer["reasons"] = [decision.reason]
    return answer


# Stories, feedback, actions and statistics.


def story_row(story: Story) -> Answer:
    """A story with all its members, the kept copy first."""
    return {
        **_values(story, ("id", "kept", "why", "first_seen", "last_seen")),
        "outlets": count_outlets(story),
        "syndicated": count_syndicated(story),
        "members": [dataclass_row(member) for member in story.members],
    }


FEEDBACK_FIELDS = ("a", "b", "same", "relation", "note", "when", "mistake")
PREDICTION_FIELDS = Prediction._fields[:-1]  # but for the evidence
FEEDBACK_COLUMNS = (*FEEDBACK_FIELDS, *(f"predicted_{n}" for n in PREDICTION_FIELDS), "evidence")


def feedback_row(feedback: Feedback) -> Answer:
    """Feedback on two articles, and what the policy had predicted."""
    prediction = _values(feedback.prediction, PREDICTION_FIELDS)
    return {
        **_values(feedback, FEEDBACK_FIELDS),
        **{f"predicted_{name}": value for name, value in prediction.items()},
        "evidence": evidence_row(feedback.prediction.evidence),
    }


def correction_row(correction: "FeedbackResult") -> Answer:
    """Feedback given or withdrawn, and the resulting changes."""
    changes = [change._asdict() for change in correction.changes]
    answer = feedback_row(correction.feedback)
    return {**answer, "retracted": correction.retracted, "changes": changes}


def action_row(act: StoryAction) -> Answer:
    """An action on a story, as in the audit log."""
    answer = dataclass_row(act)
    del answer["moved"]
    return answer


def action_result_row(result: "ActionResult") -> Answer:
    """An action done or undone, and the resulting changes."""
    return {**action_row(result.action), "changes": [change._asdict() for change in result.changes]}


def review_row(pair: "BorderlinePair") -> Answer:
    """A pair close to the decision boundary: its margin, and the measure."""
    answer = _pair_row(pair.edge.a, pair.edge.b, pair.edge)
    return {**answer, "margin": pair.margin, "threshold": pair.threshold}


def stats_row(stats: "Stats") -> Answer:
    """The statistics of a store."""
    return {
        "since": stats.since.isoformat() if stats.since else None,
        **_values(stats, ("articles", "duplicates", "duplicate_rate", "stories")),
        **_values(stats, ("feedback", "false_alarms", "misses")),
        "relations": {str(name): count for name, count in stats.relations.items()},
        "relations_by_day": [
            {"day": day.isoformat(), **{str(name): n for name, n in of.items()}}
            for day, of in stats.relations_by_day.items()
        ],
        "sizes": [{"articles": size, "stories": count} for size, count in stats.sizes.items()],
        "sources": [
            {"source": name, **numbers._asdict()} for name, numbers in stats.sources.items()
        ],
        "days": [
            {"day": day.isoformat(), **numbers._asdict()} for day, numbers in stats.days.items()
        ],
        "times": {work: _timing(numbers) for work, numbers in stats.times.items()},
        "times_by_day": [
            {"day": day.isoformat(), **{work: _timing(numbers) for work, numbers in of.items()}}
            for day, of in stats.times_by_day.items()
        ],
    }


def _timing(timing: "Latency") -> Answer:
    spans = {"median_ms": timing.median, "p95_ms": timing.p95, "p99_ms": timing.p99}
    return {"times": timing.times} | {
        name: span / timedelta(milliseconds=1) for name, span in spans.items()
    }


# Evaluations.


def tuning_row(tuning: "Tuning") -> Answer:
    """What tuning would change, and what that gains on held-out pairs."""
    return {
        "pairs": tuning.examples,
        "duplicates": tuning.duplicates,
        "folds": tuning.folds,
        "before": tuning.before._asdict(),
        "after": tuning.after._asdict(),
        "gain": round(tuning.gain, 6),
        "worth_it": tuning.worth_it,
        "shifts": [shift._asdict() for shift in tuning.shifts],
        "calibrated": tuning.calibrated,
        "calibration": [list(point) for point in tuning.policy.calibration],
    }


def evaluation_row(evaluation: "Evaluation") -> Answer:
    """The whole evaluation; curves are thinned out to about CURVE_POINTS points."""
    points = evaluation.lines[:: max(1, len(evaluation.lines) // CURVE_POINTS)]
    return {
        "kind": evaluation.kind,
        "about": evaluation.about,
        "settings": dict(evaluation.settings),
        "counts": dict(evaluation.counts),
        "scores": {name: _cell(score) for name, score in evaluation.scores.items()},
        "resampled": evaluation.resampled,
        "best_threshold": evaluation.best and evaluation.best._asdict(),
        "lines": [point._asdict() for point in points],
        **{table.name: _table_rows(table) for table in evaluation.tables},
        "calibration": [bin_._asdict() for bin_ in evaluation.bins],
        "histogram": [bar._asdict() for bar in evaluation.histogram],
        "mistakes": [_mistake_row(mistake) for mistake in evaluation.mistakes],
        "unknown_ids": list(evaluation.unknown),
    }


def _table_rows(table: "Table") -> list[Answer]:
    names = [name.replace(" ", "_") for name in table.columns]
    return [dict(zip(names, map(_cell, row), strict=True)) for row in table.rows]


def _cell(value: "Cell") -> Any:
    """A number or a text; an estimate with its interval."""
    return value._asdict() if isinstance(value, tuple) else value


def _mistake_row(mistake: "Mistake") -> Answer:
    pair = mistake.outcome.pair
    return {
        "kind": mistake.kind,
        "line": pair.line or None,
        **_values(pair, ("label", "grade", "language")),
        "score": mistake.outcome.score,
        "titles": [pair.a.title, pair.b.title],
        **judgement_row(pair.a.id, pair.b.id, mistake.outcome.judgement),
    }
