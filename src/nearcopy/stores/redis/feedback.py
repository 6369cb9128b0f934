"""Feedback and story actions of a Redis store. Both are few, and read as whole hashes."""

import json
from collections.abc import Collection

from nearcopy.models import ordered
from nearcopy.models.feedback import Feedback, StoryAction, action_from_json, action_to_json
from nearcopy.stores.base import UNLIMITED
from nearcopy.stores.redis.records import DecodedHash
from nearcopy.stores.redis.transactions import Session
from nearcopy.stores.row_codec import FeedbackRow, feedback_from_row, feedback_to_row


class FeedbackLog:
    """Saves and reads feedback on pairs of articles, and actions on stories."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._feedback = DecodedHash(session.records, "feedback", _decode_feedback)
        self._actions = DecodedHash(session.records, "actions", action_from_json)

    def save_feedback(self, feedback: Feedback) -> None:
        row = json.dumps(feedback_to_row(feedback), separators=(",", ":"))
        self._feedback.write(json.dumps(feedback.pair), row.encode())

    def remove_feedback(self, a: str, b: str) -> bool:
        pair = json.dumps(ordered(a, b))
        exists = pair.encode() in self._feedback.read()
        if exists:
            self._feedback.write(pair, None)
        return exists

    def feedback_about(self, ids: Collection[str]) -> list[Feedback]:
        self._session.refresh()
        feedback = self._feedback.read().values()
        chosen = set(ids) if feedback else set()
        return [item for item in feedback if item.a in chosen or item.b in chosen]

    def all_feedback(self) -> list[Feedback]:
        self._session.refresh()
        return sorted(self._feedback.read().values(), key=lambda item: (item.when, item.pair))

    def save_action(self, action: StoryAction) -> None:
        self._actions.write(str(action.number), action_to_json(action).encode())

    def actions(self, before: int | None = None, limit: int = UNLIMITED) -> list[StoryAction]:
        self._session.refresh()
        actions = reversed(self._sorted_actions())
        return [a for a in actions if before is None or a.number < before][:limit]

    def preferred_copies(self, ids: Collection[str]) -> dict[str, int]:
        """Those ids that an action not undone keeps, with the number of the last such action."""
        self._session.refresh()
        actions = self._sorted_actions()
        chosen = set(ids) if actions else set()
        return {name: a.number for a in actions if (name := a.keeps) in chosen and name is not None}

    def _sorted_actions(self) -> list[StoryAction]:
        return sorted(self._actions.read().values(), key=lambda action: action.number)


def _decode_feedback(row: bytes) -> Feedback:
    return feedback_from_row(FeedbackRow(*json.loads(row)))
