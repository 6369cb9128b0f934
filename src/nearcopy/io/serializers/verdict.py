"""JSON form of verdicts, evidence, judgements, explanations, matches and ranked results."""

from collections.abc import Iterator
from dataclasses import is_dataclass
from datetime import datetime
from typing import Any

from nearcopy.deduper.search_results import SearchResult
from nearcopy.extract.numerals import Numeral
from nearcopy.io.files.rows import Row
from nearcopy.kernels.result_types import Passage
from nearcopy.match.explain import Explanation
from nearcopy.match.judgement import Judgement
from nearcopy.models import Article, Evidence, Fact, Match, Verdict

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


def verdict_row(verdict: Verdict, *, evidence: bool = False) -> Answer:
    """A verdict; with its evidence if `evidence`."""
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
        "event_score": verdict.event_score,
        "overlap": verdict.overlap,
        "reason": verdict.reason,
        "flags": list(verdict.flags),
    }
    if evidence:
        answer["evidence"] = verdict.evidence and evidence_row(verdict.evidence)
    return answer


def verdict_columns(verdict: Verdict) -> Answer:
    """The values of a verdict that are written beside the row of its article."""
    row = verdict_row(verdict)
    return {name: row[name] for name in VERDICT_COLUMNS}


def article_row(article: Article) -> Answer:
    """An article."""
    return dataclass_row(article)


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
    decision = judgement.decision
    return {
        "a": a,
        "b": b,
        "relation": str(decision.relation),
        "confidence": decision.confidence,
        "is_duplicate": decision.duplicate,
        "event_score": judgement.event_score,
        "overlap": judgement.overlap,
        "rule": decision.rule,
        "reasons": [decision.reason],
        "flags": list(decision.flags),
        "evidence": evidence_row(judgement.evidence),
    }


def dataclass_row(noun: Any) -> Answer:
    return {name: _plain(getattr(noun, name)) for name in noun.__dataclass_fields__}


def _plain(value: Any) -> Any:
    if is_dataclass(value):
        return dataclass_row(value)
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    if isinstance(value, datetime):
        return iso_time(value)
    return str(value) if isinstance(value, str) else value


def iso_time(moment: datetime | None) -> str | None:
    return moment.isoformat() if moment else None


def match_row(match: Match) -> Answer:
    """An article similar to another."""
    return {
        "id": match.id,
        "title": match.title,
        "host": match.host,
        "similarity_score": match.score,
        "match_type": str(match.relation),
        "confidence": match.confidence,
        "event_score": match.event_score,
        "overlap": match.overlap,
    }


def explanation_row(explanation: Explanation) -> Answer:
    """The judgement of two articles, with the positions of shared passages, facts and names."""
    return {
        **judgement_row(explanation.a, explanation.b, explanation.judgement),
        "passages": [_passage(passage) for passage in explanation.passages],
        "facts": {
            "a": [_located_fact(fact) for fact in explanation.facts_a],
            "b": [_located_fact(fact) for fact in explanation.facts_b],
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


def _located_fact(fact: Fact) -> Answer:
    return {**_fact(fact), "start": fact.start, "end": fact.end}


def _numeral(numeral: Numeral) -> Answer:
    return {"value": numeral.value, "start": numeral.start, "end": numeral.end}


def ranked_rows(
    rows: list[Row], results: list[SearchResult], *, mark: bool = False
) -> Iterator[Answer]:
    """The kept results in order; with `mark` all of them, and what the others duplicate."""
    for row, result in zip(rows, results, strict=True):
        if result.duplicate_of is None:
            more: Answer = {"duplicate_of": None} if mark else {}
            yield {**_with_id(row), **more, "duplicates": result.duplicates}
        elif mark:
            yield _duplicate_row(row, result)


def dropped_rows(rows: list[Row], results: list[SearchResult]) -> Iterator[Answer]:
    """The dropped results, each with its relation to the kept one."""
    for row, result in zip(rows, results, strict=True):
        if result.duplicate_of is not None:
            yield _duplicate_row(row, result)


def _with_id(row: Row) -> Answer:
    """The values of a result, with its id if it has none of its own."""
    own = row.id_column is not None and str(row.values[row.id_column]) == row.article.id
    return row.values if own else row.values | {"id": row.article.id}


def _duplicate_row(row: Row, result: SearchResult) -> Answer:
    answer = {**_with_id(row), "duplicate_of": result.duplicate_of}
    if result.judgement is not None:
        decision = result.judgement.decision
        answer |= {
            "relation": str(decision.relation),
            "confidence": decision.confidence,
            "rule": decision.rule,
            "reasons": [decision.reason],
        }
    return answer
