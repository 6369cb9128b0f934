"""The journal of an SQL store: what people did to stories."""

from collections.abc import Collection

from nearcopy.models.action import Act, act_json, act_of
from nearcopy.stores.sql.database import Database

COLUMNS = ("number", "keeps", "act")
LATEST = "SELECT act FROM acts WHERE number < ? ORDER BY number DESC LIMIT ?"
ALL = 1 << 62


class SqlActs:
    """The part of the store that knows of acts."""

    _database: Database
    _nothing_kept = False  # by anybody, as a step began

    def journal(self, act: Act) -> None:
        """Write an act into the journal, in place of one with its number."""
        self._nothing_kept = False
        row = (act.number, act.keeps, act_json(act))
        self._database.replace("acts", COLUMNS, [row], key=("number",))

    def acts(self, before: int | None = None, limit: int = ALL) -> list[Act]:
        """What was done before a number, the last first."""
        rows = self._database.run(LATEST, (ALL if before is None else before, limit))
        return [act_of(text) for (text,) in rows]

    def preferred(self, ids: Collection[str]) -> dict[str, int]:
        """Those that people want to be kept, with the number of the act."""
        if self._nothing_kept:
            return {}
        statement = "SELECT keeps, max(number) FROM acts WHERE keeps IN ({}) GROUP BY keeps"
        return {name: int(number) for name, number in self._database.among(statement, ids)}
