"""The journal of a Redis store: in memory as a whole, as it is little."""

from collections.abc import Collection

from nearcopy.models.action import Act, act_json, act_of
from nearcopy.stores.redis.binary_format import pairs_of
from nearcopy.stores.redis.records import field
from nearcopy.stores.redis.transactions import RedisSteps

ALL = 1 << 62


class RedisActs(RedisSteps):
    """The part of the store that knows of acts."""

    def journal(self, act: Act) -> None:
        """Write an act into the journal, in place of one with its number."""
        self._records.put(field("acts", act.number), act_json(act).encode())
        self._acts_now[act.number] = act

    def acts(self, before: int | None = None, limit: int = ALL) -> list[Act]:
        """What was done before a number, the last first."""
        self._fresh()
        actions = self._all_acts()
        numbers = sorted((n for n in actions if before is None or n < before), reverse=True)
        return [actions[number] for number in numbers[:limit]]

    def preferred(self, ids: Collection[str]) -> dict[str, int]:
        """Those that people want to be kept, with the number of the act."""
        self._fresh()
        actions = self._all_acts()
        chosen = set(ids) if actions else set()
        keeps = {name: n for n in sorted(actions) if (name := actions[n].keeps) is not None}
        return {name: number for name, number in keeps.items() if name in chosen}

    def _all_acts(self) -> dict[int, Act]:
        packed = self._records.one(b"aacts")
        if packed is not self._acts_read:
            acts = map(act_of, pairs_of(packed).values())
            self._acts_read, self._acts = packed, {action.number: action for action in acts}
        return self._acts | self._acts_now if self._acts_now else self._acts
