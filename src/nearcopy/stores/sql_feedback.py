"""What an SQL store remembers of what people said."""

from collections.abc import Collection

from nearcopy.feedback import Feedback, Said, evidence_json, evidence_of
from nearcopy.model import Relation
from nearcopy.stores.rows import EPOCH, MICROSECOND, micros, whole
from nearcopy.stores.sql_database import Database, Row

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
        pair = [each.pair for each in self.told([a]) if {*each.pair} == {a, b}]
        for each in pair:
            self._database.run("DELETE FROM feedback WHERE a = ? AND b = ?", each)
        return bool(pair)

    def told(self, ids: Collection[str]) -> list[Feedback]:
        """What people said of one of these ids and any other."""
        if self._nothing_told:
            return []
        ends = (f"{TOLD} WHERE {end} IN ({{}})" for end in ("a", "b"))
        found = {row[:2]: row for wanted in ends for row in self._database.among(wanted, ids)}
        return list(map(_feedback, found.values()))

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
    found, rule, confidence, duplicate, news, copy, evidence = said
    return Feedback(
        a=a,
        b=b,
        same=bool(same),
        relation=Relation(relation),
        note=note,
        when=EPOCH + when * MICROSECOND,
        said=Said(
            Relation(found), rule, confidence, bool(duplicate), news, copy, evidence_of(evidence)
        ),
    )
