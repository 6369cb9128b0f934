"""The feedback of an SQL store, and its audit log of actions."""

from collections.abc import Collection

from nearcopy.models.feedback import Feedback, StoryAction, action_from_json, action_to_json
from nearcopy.stores.base import UNLIMITED
from nearcopy.stores.row_codec import FeedbackRow, feedback_from_row, feedback_to_row
from nearcopy.stores.sql.database import Database, State

SELECT_FEEDBACK = f"SELECT {', '.join(FeedbackRow._fields)} FROM feedback"
ACTION_COLUMNS = ("number", "keeps", "action")


class SqlFeedback:
    """Feedback by pair, and actions by number.

    Most stores have neither: within a transaction it is known whether a lookup is worth a query.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._has_feedback = self._has_keeps = True  # or it is not known

    def start_transaction(self, state: State) -> None:
        self._has_feedback, self._has_keeps = "has_feedback" in state, "has_keeps" in state

    def end_transaction(self) -> None:
        self._has_feedback = self._has_keeps = True

    def save_feedback(self, feedback: Feedback) -> None:
        self._has_feedback = True
        rows = [feedback_to_row(feedback)]
        self._database.replace("feedback", FeedbackRow._fields, rows, key=("a", "b"))

    def remove_feedback(self, a: str, b: str) -> bool:
        pairs = [item.pair for item in self.feedback_about([a]) if {*item.pair} == {a, b}]
        for pair in pairs:
            self._database.run("DELETE FROM feedback WHERE a = ? AND b = ?", pair)
        return bool(pairs)

    def has_feedback(self) -> bool:
        return self._has_feedback or self._has_keeps

    def feedback_about(self, ids: Collection[str]) -> list[Feedback]:
        if not self._has_feedback:
            return []
        by_end = (f"{SELECT_FEEDBACK} WHERE {end} IN ({{}})" for end in ("a", "b"))
        rows = (row for query in by_end for row in self._database.select_in(query, ids))
        distinct = {row[:2]: row for row in rows}.values()
        return [feedback_from_row(FeedbackRow._make(row)) for row in distinct]

    def all_feedback(self) -> list[Feedback]:
        rows = self._database.run(f"{SELECT_FEEDBACK} ORDER BY given_at, a, b")
        return [feedback_from_row(FeedbackRow._make(row)) for row in rows]

    def save_action(self, action: StoryAction) -> None:
        self._has_keeps = True
        row = (action.number, action.keeps, action_to_json(action))
        self._database.replace("actions", ACTION_COLUMNS, [row], key=("number",))

    def actions(self, before: int | None = None, limit: int = UNLIMITED) -> list[StoryAction]:
        rows = self._database.run(
            "SELECT action FROM actions WHERE number < ? ORDER BY number DESC LIMIT ?",
            (UNLIMITED if before is None else before, limit),
        )
        return [action_from_json(text) for (text,) in rows]

    def preferred_copies(self, ids: Collection[str]) -> dict[str, int]:
        if not self._has_keeps:
            return {}
        statement = "SELECT keeps, max(number) FROM actions WHERE keeps IN ({}) GROUP BY keeps"
        return {name: int(number) for name, number in self._database.select_in(statement, ids)}
