"""What an SQL store remembers of what people said."""

from collections.abc import Collection

from nearcopy.models.feedback import Feedback, Said, evidence_json, evidence_of
from nearcopy.models.model import Relation
from nearcopy.models.timestamps import EPOCH, MICROSECOND, micros
from nearcopy.stores.row_codec import whole
from nearcopy.stores.sql.database import Database, Row

FEEDBACK = (
    "a, b, same, relation, note, told_at, said_relation, said_rule, said_confidence,"
    " said_duplicate, said_news, said_copy, evidence"
)
COLUMNS = FEEDBACK.split(", ")
TOLD = f"SELECT {FEEDBACK} FROM feedback"


class SqlFeedback:
    """The part of the store that knows of feedback."""

    _database: Database
    _nothing_told = False  # by anybody, as a step began

    def remember(self, feedback: Feedback) -> None:
        """Remember what people said of two articles."""
        self._nothing_told = False
        self._database.replace("feedback", COLUMNS, [_row(feedback)], key=("a", "b"))

    def take_back(self, a: str, b: str) -> bool:
        """Forget what people said of the two; whether there was something."""
        pairs = [item.pair for item in self.told([a]) if {*item.pair} == {a, b}]
        for item in pairs:
            self._database.run("DELETE FROM feedback WHERE a = ? AND b = ?", item)
        return bool(pairs)

    def told(self, ids: Collection[str]) -> list[Feedback]:
        """What people said of one of these ids and any other."""
        if self._nothing_told:
            return []
        ends = (f"{TOLD} WHERE {end} IN ({{}})" for end in ("a", "b"))
        rows = {row[:2]: row for statement in ends for row in self._database.among(statement, ids)}
        return list(map(_feedback, rows.values()))

    def all_told(self) -> list[Feedback]:
        """All that people said, first to last."""
        return list(map(_feedback, self._database.run(f"{TOLD} ORDER BY told_at, a, b")))


def _row(feedback: Feedback) -> Row:
    said = feedback.said
    return (
        feedback.a,
        feedback.b,
        int(feedback.same),
        feedback.relation.value,
        whole(feedback.note),
        micros(feedback.when),
        said.relation.value,
        said.rule,
        said.confidence,
        int(said.duplicate),
        said.news,
        said.copy,
        evidence_json(said.evidence),
    )


def _feedback(row: Row) -> Feedback:
    a, b, same, relation, note, when, *said = row
    predicted, rule, confidence, duplicate, news, copy, evidence = said
    return Feedback(
        a=a,
        b=b,
        same=bool(same),
        relation=Relation(relation),
        note=note,
        when=EPOCH + when * MICROSECOND,
        said=Said(
            Relation(predicted),
            rule,
            confidence,
            bool(duplicate),
            news,
            copy,
            evidence_of(evidence),
        ),
    )
