"""JSON form of stories, feedback, actions, the review queue and statistics."""

from datetime import timedelta

from nearcopy.cluster.spread import Spread, count_outlets, count_syndicated
from nearcopy.deduper.feedback.actions import ActionResult
from nearcopy.deduper.feedback.record import FeedbackResult
from nearcopy.deduper.feedback.review_queue import BorderlinePair
from nearcopy.deduper.statistics import Latency, Stats
from nearcopy.io.serializers.verdict import Answer, dataclass_row, evidence_row, iso_time
from nearcopy.models import Story
from nearcopy.models.feedback import Feedback, StoryAction


def story_row(story: Story) -> Answer:
    """A story with all its members, the kept copy first."""
    return {
        "id": story.id,
        "kept": story.kept,
        "why": story.why,
        "first_seen": iso_time(story.first_seen),
        "last_seen": iso_time(story.last_seen),
        "outlets": count_outlets(story),
        "syndicated": count_syndicated(story),
        "members": [dataclass_row(member) for member in story.members],
    }


def spread_row(spread: Spread) -> Answer:
    """How a story spread, outlet by outlet."""
    return dataclass_row(spread)


def feedback_row(feedback: Feedback) -> Answer:
    """Feedback on two articles, and what the policy had predicted."""
    decision = feedback.prediction
    return {
        "a": feedback.a,
        "b": feedback.b,
        "same": feedback.same,
        "relation": str(feedback.relation),
        "note": feedback.note,
        "when": feedback.when.isoformat(),
        "mistake": feedback.mistake,
        "predicted_relation": str(decision.relation),
        "predicted_rule": decision.rule,
        "predicted_confidence": decision.confidence,
        "predicted_duplicate": decision.duplicate,
        "predicted_event_score": decision.event_score,
        "predicted_overlap": decision.overlap,
        "evidence": evidence_row(decision.evidence),
    }


def correction_row(correction: FeedbackResult) -> Answer:
    """Feedback given or withdrawn, and the resulting changes."""
    changes = [change._asdict() for change in correction.changes]
    return {
        **feedback_row(correction.feedback),
        "retracted": correction.retracted,
        "changes": changes,
    }


def action_row(act: StoryAction) -> Answer:
    """An action on a story, as in the audit log."""
    return {
        "number": act.number,
        "kind": str(act.kind),
        "article": act.article,
        "other": act.other,
        "by": act.by,
        "note": act.note,
        "when": act.when.isoformat(),
        "pairs": [list(pair) for pair in act.pairs],
        "undone": iso_time(act.undone),
        "undone_by": act.undone_by,
    }


def action_result_row(result: ActionResult) -> Answer:
    """An action done or undone, and the resulting changes."""
    return {**action_row(result.action), "changes": [change._asdict() for change in result.changes]}


def review_row(pair: BorderlinePair) -> Answer:
    """A pair close to the decision boundary: its margin, and the measure."""
    edge, decision = pair.edge, pair.edge.decision
    return {
        "a": edge.a,
        "b": edge.b,
        "relation": str(decision.relation),
        "confidence": decision.confidence,
        "is_duplicate": decision.duplicate,
        "event_score": edge.event_score,
        "overlap": edge.overlap,
        "rule": decision.rule,
        "reasons": [decision.reason],
        "flags": list(decision.flags),
        "margin": pair.margin,
        "threshold": pair.threshold,
    }


def stats_row(stats: Stats) -> Answer:
    """The statistics of a store."""
    return {
        "since": stats.since.isoformat() if stats.since else None,
        "articles": stats.articles,
        "duplicates": stats.duplicates,
        "duplicate_rate": stats.duplicate_rate,
        "stories": stats.stories,
        "feedback": stats.feedback,
        "false_alarms": stats.false_alarms,
        "misses": stats.misses,
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


def _timing(timing: Latency) -> Answer:
    spans = {"median_ms": timing.median, "p95_ms": timing.p95, "p99_ms": timing.p99}
    return {"times": timing.times} | {
        name: span / timedelta(milliseconds=1) for name, span in spans.items()
    }
