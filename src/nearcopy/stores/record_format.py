"""How stores write small records: numbers of variable length, shares, strings, compression."""

import struct
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from zstandard import ZstdCompressionDict

DOUBLE = struct.Struct("<d")
LEVEL = 3
DECIMALS = 10_000  # most shares are rounded to four decimals


class Writer:
    """Appends numbers and strings to a buffer."""

    def __init__(self) -> None:
        self.bytes = bytearray()

    def number(self, value: int) -> None:
        """A non-negative integer, seven bits a byte."""
        while value > 0x7F:
            self.bytes.append(value & 0x7F | 0x80)
            value >>= 7
        self.bytes.append(value)

    def real(self, value: float | None) -> None:
        """A float without loss, or None; in few bytes where it has four decimals."""
        if value is None:
            self.number(0)
            return
        parts = round(value * DECIMALS) if 0 <= value <= DECIMALS else -1
        if parts >= 0 and parts / DECIMALS == value:
            self.number(parts + 2)
        else:
            self.number(1)
            self.bytes += DOUBLE.pack(value)

    def string(self, value: bytes) -> None:
        """A byte string after its length."""
        self.number(len(value))
        self.bytes += value

    def text(self, value: str | None) -> None:
        """A text, or None."""
        if value is None:
            self.number(0)
        else:
            encoded = value.encode("utf-8", "surrogatepass")
            self.number(len(encoded) + 1)
            self.bytes += encoded


class Reader:
    """Reads what a Writer wrote, in the same order."""

    def __init__(self, packed: bytes) -> None:
        self.packed, self.at = packed, 0

    def __bool__(self) -> bool:
        return self.at < len(self.packed)

    def number(self) -> int:
        """A non-negative integer."""
        packed, at = self.packed, self.at
        value = packed[at]
        at += 1
        if value > 0x7F:
            value, shift, byte = value & 0x7F, 7, 0x80
            while byte > 0x7F:
                byte = packed[at]
                at += 1
                value |= (byte & 0x7F) << shift
                shift += 7
        self.at = at
        return value

    def real(self) -> float | None:
        """A float, or None."""
        kind = self.number()
        if kind == 1:
            (value,) = DOUBLE.unpack_from(self.packed, self.at)
            self.at += 8
            return float(value)
        return (kind - 2) / DECIMALS if kind else None

    def take(self, length: int) -> bytes:
        """The next bytes."""
        self.at += length
        return self.packed[self.at - length : self.at]

    def string(self) -> bytes:
        """A byte string."""
        return self.take(self.number())

    def text(self) -> str | None:
        """A text, or None."""
        length = self.number()
        return self.take(length - 1).decode("utf-8", "surrogatepass") if length else None

    def remainder(self) -> bytes:
        """All bytes not read yet."""
        return self.take(len(self.packed) - self.at)


class Compressor:
    """Compresses small records with a shared dictionary. Not thread-safe."""

    def __init__(self) -> None:
        from zstandard import ZstdCompressor, ZstdDecompressor  # imported on demand

        dictionary = _dictionary()
        compressor = ZstdCompressor(level=LEVEL, dict_data=dictionary, write_dict_id=False)
        self._compress = compressor.compress
        self._decompress = ZstdDecompressor(dict_data=dictionary).decompress

    def compress(self, plain: bytes) -> bytes:
        """The record compressed, or as it is where that is shorter."""
        packed = self._compress(plain)
        return b"\x01" + packed if len(packed) < len(plain) else b"\x00" + plain

    def decompress(self, packed: bytes) -> bytes:
        """The inverse of `compress`."""
        return self._decompress(packed[1:]) if packed[0] else packed[1:]


@cache
def _dictionary() -> "ZstdCompressionDict":
    """What many records contain, the commonest last.

    It is part of the format: what was compressed with another one cannot be read.
    """
    from zstandard import DICT_TYPE_RAWCONTENT, ZstdCompressionDict

    text = files(__package__).joinpath("record_dictionary.txt").read_bytes()
    return ZstdCompressionDict(text.replace(b"\n", b""), dict_type=DICT_TYPE_RAWCONTENT)
