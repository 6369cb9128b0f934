"""Bytes and lines of files, decompressed where necessary."""

import io
import zlib
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, Self

UTF8_BOM = b"\xef\xbb\xbf"
LONGEST = 1 << 26  # bytes of a line
CUT_OFF = "the file is truncated here"


def not_utf8(exc: UnicodeDecodeError, where: str | None = None) -> str:
    """The error message for bytes that are not UTF-8."""
    return f"not UTF-8: {exc.reason} {where or f'at {exc.start}'}: write it in UTF-8"


class Compression(NamedTuple):
    """A compression: how to recognise and undo it."""

    suffix: str
    magic: bytes
    decompressor: Callable[[], Any]
    piece: int  # bytes to decompress at a time; few, as a protection against bombs


def _zstd() -> Any:
    import zstandard  # imported on demand

    return zstandard.ZstdDecompressor().decompressobj()


COMPRESSIONS = (
    Compression(".gz", b"\x1f\x8b", partial(zlib.decompressobj, wbits=31), 1 << 14),
    Compression(".zst", b"\x28\xb5\x2f\xfd", _zstd, 1 << 11),
)


class Line(NamedTuple):
    """A line, and why it cannot be read. Lines of files have their line break."""

    number: int
    data: bytes
    why: str | None = None


class Stream:
    """A file being read; `broken` says what is wrong with its end, if anything."""

    def __init__(self, path: Path) -> None:
        raw = path.open("rb")
        head = raw.read(4)
        raw.seek(0)
        self._decompressor: _Decompressor | None = None
        self._file: BinaryIO = raw
        compression = next(
            (candidate for candidate in COMPRESSIONS if _is_compressed_by(candidate, path, head)),
            None,
        )
        if compression is not None:
            self._decompressor = _Decompressor(raw, compression)
            self._file = io.BufferedReader(self._decompressor, 1 << 17)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    @property
    def compressed(self) -> bool:
        """Whether the file is compressed."""
        return self._decompressor is not None

    @property
    def broken(self) -> str | None:
        """What is wrong with the end of the file, once it has been read."""
        return self._decompressor.broken if self._decompressor else None

    def read(self, size: int = -1) -> bytes:
        """The next bytes."""
        return self._file.read(size)

    def lines(self) -> Iterator[Line]:
        """Every line; a truncated end is a line with a reason."""
        number, complete = 0, True
        for number, data in enumerate(iter(self._line, b""), start=1):
            complete = data.endswith(b"\n")
            why = f"longer than {LONGEST >> 20} MB" if len(data) > LONGEST else None
            line = data.removeprefix(UTF8_BOM) if number == 1 else data
            yield Line(number, line, why or (None if complete else self.broken))
        if complete and self.broken:
            yield Line(number + 1, b"", self.broken)

    def _line(self) -> bytes:
        data = self._file.readline(LONGEST + 1)
        chunk = data
        while len(chunk) > LONGEST and not chunk.endswith(b"\n"):  # skip lines that are too long
            chunk = self._file.readline(LONGEST + 1)
        return data


def _is_compressed_by(compression: Compression, path: Path, head: bytes) -> bool:
    """By the first bytes of the file; an empty file by its suffix."""
    return head.startswith(compression.magic) or (
        not head and path.suffix.lower() == compression.suffix
    )


class _Decompressor(io.RawIOBase):
    """The decompressed bytes, up to where the file is truncated or damaged."""

    def __init__(self, compressed: BinaryIO, compression: Compression) -> None:
        self.broken: str | None = None
        self._compressed = compressed
        self._compression = compression
        self._decompressor = compression.decompressor()  # None between two frames
        self._left = b""
        self._ready = memoryview(b"")
        self._ended = False

    def readable(self) -> bool:
        return True

    def close(self) -> None:
        self._compressed.close()
        super().close()

    def readinto(self, buffer: Any) -> int:
        while not self._ready and not self._ended:
            self._decompress()
        size = min(len(buffer), len(self._ready))
        buffer[:size] = self._ready[:size]
        self._ready = self._ready[size:]
        return size

    def _decompress(self) -> None:
        piece = self._left or self._compressed.read(self._compression.piece)
        self._left = b""
        if not piece:
            self._ended, self.broken = True, CUT_OFF if self._decompressor else None
        elif self._decompressor is not None:
            self._feed(piece)
        elif start := piece.lstrip(b"\0"):  # a file may have several frames, and padding
            self._decompressor = self._compression.decompressor()
            self._feed(start)

    def _feed(self, piece: bytes) -> None:
        try:
            self._ready = memoryview(self._decompressor.decompress(piece))
        except Exception as exc:  # each library has its own errors
            self._ended, self.broken = True, f"the file is damaged here ({exc})"
            return
        if self._decompressor.eof:
            self._left, self._decompressor = self._decompressor.unused_data, None
