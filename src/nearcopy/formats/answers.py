"""Answers as JSON has them: one shape each, whoever asks."""

from dataclasses import is_dataclass
from datetime import datetime, timedelta
from typing import Any

from nearcopy.acting import Done
from nearcopy.acts import Act
from nearcopy.correcting import Correction
from nearcopy.explain import Explanation
from nearcopy.feedback import Feedback
from nearcopy.judge import Judgement
from nearcopy.kernels.results import Passage
from nearcopy.model import Article, Evidence, Fact, Match, Member, Story, Verdict
from nearcopy.numerals import Numeral
from nearcopy.reviewing import Borderline
from nearcopy.spread import Spread, outlets_of, syndicated
from nearcopy.stats import Stats
from nearcopy.times import Timing
from nearcopy.tune import Tuning

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


def judgement_row(a: str, b: str, found: Judgement) -> Answer:
    """What two articles are to each other."""
    decision = found.decision
    return {
        "a": a,
        "b": b,
        "relation": str(decision.relation),
        "confidence": decision.confidence,
        "is_duplicate": decision.duplicate,
        "news": found.news,
        "copy": found.copy,
        "rule": decision.rule,
        "reasons": [decision.reason],
        "flags": list(decision.flags),
        "evidence": evidence_row(found.evidence),
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
        return [_plain(each) for each in value]
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
        "passages": [_passage(each) for each in explanation.passages],
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
    said = feedback.said
    return {
        "a": feedback.a,
        "b": feedback.b,
        "same": feedback.same,
        "relation": str(feedback.relation),
        "note": feedback.note,
        "when": feedback.when.isoformat(),
        "mistake": feedback.mistake,
        "said_relation": str(said.relation),
        "said_rule": said.rule,
        "said_confidence": said.confidence,
        "said_duplicate": said.duplicate,
        "said_news": said.news,
        "said_copy": said.copy,
        "evidence": evidence_row(said.evidence),
    }


def correction_row(found: Correction) -> Answer:
    """What was said or taken back, and what changed by it."""
    changes = [each._asdict() for each in found.changes]
    return {**feedback_row(found.feedback), "taken_back": found.taken_back, "changes": changes}


def act_row(act: Act) -> Answer:
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


def done_row(found: Done) -> Answer:
    """An act done or undone, and what changed by it."""
    return {**act_row(found.act), "changes": [each._asdict() for each in found.changes]}


def tuning_row(found: Tuning) -> Answer:
    """What tuning would change, and what that gains on held-out pairs."""
    return {
        "pairs": found.examples,
        "duplicates": found.duplicates,
        "folds": found.folds,
        "before": found.before._asdict(),
        "after": found.after._asdict(),
        "gain": round(found.gain, 6),
        "worth_it": found.worth_it,
        "shifts": [each._asdict() for each in found.shifts],
        "calibrated": found.calibrated,
        "calibration": [list(point) for point in found.policy.calibration],
    }


def review_row(found: Borderline) -> Answer:
    """A pair that was nearly decided otherwise: how nearly, and by which measure."""
    edge, decision = found.edge, found.edge.decision
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
        "margin": found.margin,
        "line": found.line,
    }


def stats_row(found: Stats) -> Answer:
    """The numbers of a store."""
    return {
        "since": found.since.isoformat() if found.since else None,
        "articles": found.articles,
        "duplicates": found.duplicates,
        "duplicate_rate": found.duplicate_rate,
        "stories": found.stories,
        "told": found.told,
        "false_alarms": found.false_alarms,
        "misses": found.misses,
        "relations": {str(name): count for name, count in found.relations.items()},
        "relations_by_day": [
            {"day": day.isoformat(), **{str(name): n for name, n in of.items()}}
            for day, of in found.relations_by_day.items()
        ],
        "sizes": [{"articles": size, "stories": count} for size, count in found.sizes.items()],
        "sources": [{"source": name, **each._asdict()} for name, each in found.sources.items()],
        "days": [{"day": day.isoformat(), **each._asdict()} for day, each in found.days.items()],
        "times": {work: _timing(each) for work, each in found.times.items()},
        "times_by_day": [
            {"day": day.isoformat(), **{work: _timing(each) for work, each in of.items()}}
            for day, of in found.times_by_day.items()
        ],
    }


def _timing(timing: Timing) -> Answer:
    spans = {"median_ms": timing.median, "p95_ms": timing.p95, "p99_ms": timing.p99}
    return {"times": timing.times} | {
        name: span / timedelta(milliseconds=1) for name, span in spans.items()
    }
