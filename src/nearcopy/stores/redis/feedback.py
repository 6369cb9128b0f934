"""What a Redis store remembers of what people said: in memory as a whole, as it is little."""

import json
from collections.abc import Collection

from nearcopy.models.feedback import Feedback, Said, evidence_json, evidence_of
from nearcopy.models.model import Relation, ordered
from nearcopy.models.timestamps import EPOCH, MICROSECOND, micros
from nearcopy.stores.redis.binary_format import pairs_of
from nearcopy.stores.redis.records import field
from nearcopy.stores.redis.transactions import RedisSteps
from nearcopy.stores.redis.window_cache import Pair
from nearcopy.stores.row_codec import whole


class RedisFeedback(RedisSteps):
    """The part of the store that knows of feedback."""

    def remember(self, feedback: Feedback) -> None:
        """Remember what people said of two articles."""
        self._records.put(_name(feedback.pair), _row(feedback))
        self._said_now[feedback.pair] = _feedback(_row(feedback))

    def take_back(self, a: str, b: str) -> bool:
        """Forget what people said of the two; whether there was something."""
        pair = ordered(a, b)
        present = pair in self._all_said()
        if present:
            self._records.put(_name(pair), None)
            self._said_now[pair] = None
        return present

    def told(self, ids: Collection[str]) -> list[Feedback]:
        """What people said of one of these ids and any other."""
        self._fresh()
        feedback = self._all_said()
        chosen = set(ids) if feedback else set()
        return [item for item in feedback.values() if item.a in chosen or item.b in chosen]

    def all_told(self) -> list[Feedback]:
        """All that people said, first to last."""
        self._fresh()
        return sorted(self._all_said().values(), key=lambda item: (item.when, item.pair))

    def _all_said(self) -> dict[Pair, Feedback]:
        packed = self._records.one(b"atold")
        if packed is not self._said_read:
            rows = map(_feedback, pairs_of(packed).values())
            self._said_read, self._said = packed, {item.pair: item for item in rows}
        if not self._said_now:
            return self._said
        return {k: item for k, item in (self._said | self._said_now).items() if item is not None}


def _name(pair: Pair) -> bytes:
    return field("told", json.dumps(pair))


def _row(feedback: Feedback) -> bytes:
    said = feedback.said
    row = [
        feedback.a,
        feedback.b,
        feedback.same,
        feedback.relation.value,
        whole(feedback.note),
        micros(feedback.when),
        said.relation.value,
        said.rule,
        said.confidence,
        said.duplicate,
        said.news,
        said.copy,
        evidence_json(said.evidence),
    ]
    return json.dumps(row, separators=(",", ":")).encode()


def _feedback(row: bytes) -> Feedback:
    a, b, same, relation, note, when, *said = json.loads(row)
    predicted, rule, confidence, duplicate, news, copy, evidence = said
    return Feedback(
        a=a,
        b=b,
        same=same,
        relation=Relation(relation),
        note=note,
        when=EPOCH + when * MICROSECOND,
        said=Said(
            Relation(predicted), rule, confidence, duplicate, news, copy, evidence_of(evidence)
        ),
    )
