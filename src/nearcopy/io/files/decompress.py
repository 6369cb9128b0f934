"""Bytes of a file, unpacked where they are packed, line by line."""

import io
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, Self

UTF8_BOM = b"\xef\xbb\xbf"  # of UTF-8, at the head of a file
LONGEST = 1 << 26  # bytes of a line; what is longer is no row of any file of news
CUT_OFF = "the file is cut off here"


def not_utf8(exc: UnicodeDecodeError, where: str | None = None) -> str:
    """Why bytes are no text, and what to do."""
    return f"not UTF-8: {exc.reason} {where or f'at {exc.start}'}: write it in UTF-8"


class Compression(NamedTuple):
    """A way to pack a file: how to know it, and how to undo it."""

    suffix: str
    magic: bytes
    unpacker: Callable[[], Any]
    piece: int  # bytes to unpack at a time; small ones keep bombs small


def _gzip() -> Any:
    return zlib.decompressobj(wbits=31)


def _zstd() -> Any:
    import zstandard  # only for those who need it

    return zstandard.ZstdDecompressor().decompressobj()


COMPRESSIONS = (
    Compression(".gz", b"\x1f\x8b", _gzip, 1 << 14),
    Compression(".zst", b"\x28\xb5\x2f\xfd", _zstd, 1 << 11),
)


class Line(NamedTuple):
    """A line with its end, and why it is none that can be read."""

    number: int
    data: bytes
    why: str | None = None


class Stream:
    """A file being read. `broken` says what became of its end, None where that is well."""

    def __init__(self, path: Path) -> None:
        raw = path.open("rb")
        head = raw.read(4)
        raw.seek(0)
        self._unpacked: _Unpacked | None = None
        self._file: BinaryIO = raw
        packing = next(
            (candidate for candidate in COMPRESSIONS if _packed_by(candidate, path, head)), None
        )
        if packing is not None:
            self._unpacked = _Unpacked(raw, packing)
            self._file = io.BufferedReader(self._unpacked, 1 << 17)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    @property
    def compressed(self) -> bool:
        """Whether the file is packed."""
        return self._unpacked is not None

    @property
    def broken(self) -> str | None:
        """What is wrong with the end, once that has been read."""
        return self._unpacked.broken if self._unpacked else None

    def read(self, size: int = -1) -> bytes:
        """The next bytes."""
        return self._file.read(size)

    def lines(self) -> Iterator[Line]:
        """Every line; an end that is broken off is one that says so."""
        number, whole = 0, True
        for number, data in enumerate(iter(self._line, b""), start=1):
            whole = data.endswith(b"\n")
            why = f"longer than {LONGEST >> 20} MB" if len(data) > LONGEST else None
            line = data.removeprefix(UTF8_BOM) if number == 1 else data
            yield Line(number, line, why or (None if whole else self.broken))
        if whole and self.broken:
            yield Line(number + 1, b"", self.broken)

    def _line(self) -> bytes:
        data = self._file.readline(LONGEST + 1)
        chunk = data
        while len(chunk) > LONGEST and not chunk.endswith(b"\n"):  # pass over what is too long
            chunk = self._file.readline(LONGEST + 1)
        return data


def _packed_by(packing: Compression, path: Path, head: bytes) -> bool:
    """By its first bytes, whatever its name; one with nothing in it by its name."""
    return head.startswith(packing.magic) or (not head and path.suffix.lower() == packing.suffix)


class _Unpacked(io.RawIOBase):
    """What was packed. Where that ends too early or is damaged, all there was before it."""

    def __init__(self, packed: BinaryIO, packing: Compression) -> None:
        self.broken: str | None = None
        self._packed = packed
        self._packing = packing
        self._unpacker = packing.unpacker()  # None between two parts
        self._left = b""
        self._ready = memoryview(b"")
        self._ended = False

    def readable(self) -> bool:
        return True

    def close(self) -> None:
        self._packed.close()
        super().close()

    def readinto(self, buffer: Any) -> int:
        while not self._ready and not self._ended:
            self._unpack()
        size = min(len(buffer), len(self._ready))
        buffer[:size] = self._ready[:size]
        self._ready = self._ready[size:]
        return size

    def _unpack(self) -> None:
        piece = self._left or self._packed.read(self._packing.piece)
        self._left = b""
        if not piece:
            self._ended, self.broken = True, CUT_OFF if self._unpacker else None
        elif self._unpacker is None:  # files may be packed in parts, and padded
            self._begin(piece.lstrip(b"\0"))
        else:
            self._feed(piece)

    def _begin(self, piece: bytes) -> None:
        if piece:
            self._unpacker = self._packing.unpacker()
            self._feed(piece)

    def _feed(self, piece: bytes) -> None:
        try:
            self._ready = memoryview(self._unpacker.decompress(piece))
        except Exception as exc:  # each library has errors of its own
            self._ended, self.broken = True, f"the file is damaged here ({exc})"
            return
        if self._unpacker.eof:
            self._left, self._unpacker = self._unpacker.unused_data, None
