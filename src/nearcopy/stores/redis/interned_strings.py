"""Kinds: what many records of a Redis store say alike, kept once."""

import json
from typing import Any

from nearcopy.stores.redis.binary_format import Reader, Writer, pairs_of
from nearcopy.stores.redis.records import Records, field

MOST_KINDS = 4096  # a rarer one stands in each record
Said = tuple[Any, ...]


class Kinds:
    """What records say, by number; 0 is what is said too rarely to have one."""

    def __init__(self, records: Records) -> None:
        self._records = records
        self.forget()

    def forget(self) -> None:
        """Read them again."""
        self._read: bytes | None = None
        self._said: dict[int, Said] = {}
        self._numbers: dict[Said, int] = {}

    def _fresh(self) -> None:
        packed = self._records.one(b"akinds")
        if packed is not self._read:
            stored = {int(number): _said(value) for number, value in pairs_of(packed).items()}
            new = {n: value for n, value in self._said.items() if n not in stored}
            self._read, self._said = packed, stored | new
            self._numbers = {value: number for number, value in self._said.items()}

    def write(self, said: Said, out: Writer) -> None:
        """Put what is said into a record, under a number where it has one or can be given one."""
        number = self._numbers.get(said)
        if number is None:
            self._fresh()
            number = self._numbers.get(said) or self._new(said)
        out.number(number)
        if not number:
            out.string(_plain(said))

    def _new(self, said: Said) -> int:
        if len(self._said) >= MOST_KINDS:
            return 0
        number = len(self._said) + 1
        self._records.put(field("kinds", number), _plain(said))
        self._said[number], self._numbers[said] = said, number
        return number

    def read(self, packed: Reader) -> Said:
        """What a record says."""
        number = packed.number()
        if not number:
            return _said(packed.string())
        if number not in self._said:
            self._fresh()
        return self._said[number]


def _plain(said: Said) -> bytes:
    return json.dumps(said, separators=(",", ":")).encode()


def _said(plain: bytes) -> Said:
    return tuple(tuple(e) if isinstance(e, list) else e for e in json.loads(plain))
