"""Answers as JSON has them: one shape each, whoever asks."""

from dataclasses import is_dataclass
from datetime import datetime, timedelta
from typing import Any

from nearcopy.cluster.spread import Spread, outlets_of, syndicated
from nearcopy.deduper.feedback.actions import Done
from nearcopy.deduper.feedback.record import Correction
from nearcopy.deduper.feedback.review_queue import Borderline
from nearcopy.deduper.latency import Timing
from nearcopy.deduper.stats import Stats
from nearcopy.evaluate.tune import Tuning
from nearcopy.extract.numerals import Numeral
from nearcopy.kernels.result_types import Passage
from nearcopy.match.explain import Explanation
from nearcopy.match.judge_pairs import Judgement
from nearcopy.models.action import Act
from nearcopy.models.feedback import Feedback
from nearcopy.models.model import Article, Evidence, Fact, Match, Member, Story, Verdict

Answer = dict[str, Any]


def verdict_row(verdict: Verdict, *, evidence: bool = False) -> Answer:
    """A verdict; with what was measured, where that is asked for and there."""
    answer: Answer = {
        "id": verdict.id,
        "relation": str(verdict.relation),
        "is_duplicate": verdict.is_duplicate,
        "duplicate_of": verdict.duplicate_of,
        "match": verdict.match,
        "story_id": verdict.story_id,
        "confidence": verdict.confidence,
        "rule": verdict.rule,
        "reasons": list(verdict.reasons),
        "news": verdict.news,
        "copy": verdict.copy,
        "reason": verdict.reason,
        "flags": list(verdict.flags),
    }
    if evidence:
        answer["evidence"] = verdict.evidence and evidence_row(verdict.evidence)
    return answer


def article_row(article: Article) -> Answer:
    """An article as it came."""
    return _fields(article)


def evidence_row(evidence: Evidence) -> Answer:
    """What was measured, and only that."""
    nothing = Evidence._field_defaults
    return {
        name: _measured(value)
        for name, value in evidence._asdict().items()
        if value != nothing[name]
    }


def _measured(value: Any) -> Any:
    """A measurement; pairs of facts as pairs of kind and value."""
    if isinstance(value, tuple):
        return [[_fact(a), _fact(b)] for a, b in value]
    return value


def _fact(fact: Fact) -> Answer:
    return {"kind": fact.kind, "value": fact.value}


def judgement_row(a: str, b: str, judgement: Judgement) -> Answer:
    """What two articles are to each other."""
    decision = judgement.decision
    return {
        "a": a,
        "b": b,
        "relation": str(decision.relation),
        "confidence": decision.confidence,
        "is_duplicate": decision.duplicate,
        "news": judgement.news,
        "copy": judgement.copy,
        "rule": decision.rule,
        "reasons": [decision.reason],
        "flags": list(decision.flags),
        "evidence": evidence_row(judgement.evidence),
    }


def story_row(story: Story) -> Answer:
    """A story with all its members, the kept copy first."""
    return {
        "id": story.id,
        "kept": story.kept,
        "why": story.why,
        "first_seen": _time(story.first_seen),
        "last_seen": _time(story.last_seen),
        "outlets": outlets_of(story),
        "syndicated": syndicated(story),
        "members": [_member(member) for member in story.members],
    }


def spread_row(spread: Spread) -> Answer:
    """How a story spread, outlet by outlet and step by step."""
    return _fields(spread)


def _member(member: Member) -> Answer:
    return _fields(member)


def _fields(noun: Any) -> Answer:
    return {name: _plain(getattr(noun, name)) for name in noun.__dataclass_fields__}


def _plain(value: Any) -> Any:
    if is_dataclass(value):
        return _fields(value)
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    if isinstance(value, datetime):
        return _time(value)
    return str(value) if isinstance(value, str) else value


def _time(moment: datetime | None) -> str | None:
    return moment.isoformat() if moment else None


def match_row(match: Match) -> Answer:
    """One of the articles like another."""
    return {
        "id": match.id,
        "title": match.title,
        "host": match.host,
        "similarity_score": match.score,
        "match_type": str(match.relation),
        "confidence": match.confidence,
        "news": match.news,
        "copy": match.copy,
    }


def explanation_row(explanation: Explanation) -> Answer:
    """Why two articles are what they are to each other, with the places of what they share."""
    return {
        **judgement_row(explanation.a, explanation.b, explanation.judgement),
        "passages": [_passage(passage) for passage in explanation.passages],
        "facts": {
            "a": [_placed_fact(fact) for fact in explanation.facts_a],
            "b": [_placed_fact(fact) for fact in explanation.facts_b],
        },
        "names": {"a": list(explanation.names_a), "b": list(explanation.names_b)},
        "figures": [{"a": _numeral(a), "b": _numeral(b)} for a, b in explanation.figures],
    }


def _passage(passage: Passage) -> Answer:
    return {
        "a": {"start": passage.a_start, "end": passage.a_end},
        "b": {"start": passage.b_start, "end": passage.b_end},
        "words": passage.words,
    }


def _placed_fact(fact: Fact) -> Answer:
    return {**_fact(fact), "start": fact.start, "end": fact.end}


def _numeral(numeral: Numeral) -> Answer:
    return {"value": numeral.value, "start": numeral.start, "end": numeral.end}


def feedback_row(feedback: Feedback) -> Answer:
    """What people said of two articles, and what the policy had said."""
    decision = feedback.said
    return {
        "a": feedback.a,
        "b": feedback.b,
        "same": feedback.same,
        "relation": str(feedback.relation),
        "note": feedback.note,
        "when": feedback.when.isoformat(),
        "mistake": feedback.mistake,
        "said_relation": str(decision.relation),
        "said_rule": decision.rule,
        "said_confidence": decision.confidence,
        "said_duplicate": decision.duplicate,
        "said_news": decision.news,
        "said_copy": decision.copy,
        "evidence": evidence_row(decision.evidence),
    }


def correction_row(correction: Correction) -> Answer:
    """What was said or taken back, and what changed by it."""
    changes = [change._asdict() for change in correction.changes]
    return {
        **feedback_row(correction.feedback),
        "taken_back": correction.taken_back,
        "changes": changes,
    }


def action_row(act: Act) -> Answer:
    """What somebody did to a story, as it stands in the journal."""
    return {
        "number": act.number,
        "act": str(act.deed),
        "article": act.article,
        "other": act.other,
        "by": act.by,
        "note": act.note,
        "when": act.when.isoformat(),
        "pairs": [list(pair) for pair in act.pairs],
        "undone": _time(act.undone),
        "undone_by": act.undone_by,
    }


def action_result_row(result: Done) -> Answer:
    """An act done or undone, and what changed by it."""
    return {**action_row(result.act), "changes": [change._asdict() for change in result.changes]}


def tuning_row(tuning: Tuning) -> Answer:
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


def review_row(pair: Borderline) -> Answer:
    """A pair that was nearly decided otherwise: how nearly, and by which measure."""
    edge, decision = pair.edge, pair.edge.decision
    return {
        "a": edge.a,
        "b": edge.b,
        "relation": str(decision.relation),
        "confidence": decision.confidence,
        "is_duplicate": decision.duplicate,
        "news": edge.news,
        "copy": edge.copy,
        "rule": decision.rule,
        "reasons": [decision.reason],
        "flags": list(decision.flags),
        "margin": pair.margin,
        "line": pair.line,
    }


def stats_row(stats: Stats) -> Answer:
    """The numbers of a store."""
    return {
        "since": stats.since.isoformat() if stats.since else None,
        "articles": stats.articles,
        "duplicates": stats.duplicates,
        "duplicate_rate": stats.duplicate_rate,
        "stories": stats.stories,
        "told": stats.told,
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


def _timing(timing: Timing) -> Answer:
    spans = {"median_ms": timing.median, "p95_ms": timing.p95, "p99_ms": timing.p99}
    return {"times": timing.times} | {
        name: span / timedelta(milliseconds=1) for name, span in spans.items()
    }
