"""Rows: what an article is compared by, in as few bytes as lose nothing.

Its id, its source and its times stand in its head and are not repeated. Its keys follow from all
this: they are kept only where they are others.
"""

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from nearcopy.fingerprint.blocking_keys import Keys
from nearcopy.models.model import Fact, Fingerprint
from nearcopy.models.timestamps import moment
from nearcopy.stores.redis.binary_format import Reader, Shrinking, Writer

DIGEST, SIMHASH, MINHASH, KEYS = 1, 2, 4, 8  # what a row has
SIMHASH_BYTES = 8
TERM = 5  # bytes of a term in a profile: its hash and its weight
Columns = tuple[bytes, bytes]  # of profiles: what does not compress, and what does
PIECE, PIECES = 64, 4  # Redis packs hashes tightly whose fields are no longer than this


class Head(NamedTuple):
    """What every worker has in memory of every article."""

    id: str  # empty: gone
    source: str | None
    published: int | None  # microseconds since 1970
    seen: int | None
    run: int


def sketched(fingerprint: Fingerprint) -> Fingerprint:
    """What is compared where titles, terms and figures are not: addresses and hashes of texts."""
    return replace(
        fingerprint,
        numerals=b"",
        profile=b"",
        title="",
        gist="",
        facts=(),
        names=(),
        stages=(),
        column=None,
    )


class Rows:
    """Fingerprints as bytes and back, of one recipe."""

    def __init__(self, recipe: str) -> None:
        self._recipe = recipe
        self._small = Shrinking()

    def row(self, fingerprint: Fingerprint, keys: Keys | None) -> bytes:
        """The fingerprint, and the keys where they do not follow from it."""
        out = Writer()
        out.number(
            DIGEST * (fingerprint.digest is not None)
            + SIMHASH * (fingerprint.simhash is not None)
            + MINHASH * (fingerprint.minhash is not None)
            + KEYS * (keys is not None)
        )
        if fingerprint.digest is not None:
            out.string(fingerprint.digest)
        if fingerprint.simhash is not None:
            out.bytes += fingerprint.simhash.to_bytes(SIMHASH_BYTES, "big")
        if fingerprint.minhash is not None:
            out.string(fingerprint.minhash)
        if keys is not None:
            out.string(keys.astype("<u8", copy=False).tobytes())
        out.number(fingerprint.words)
        lower, upper = _in_columns(fingerprint.profile)
        out.string(fingerprint.numerals)
        out.string(lower)
        out.number(len(upper))
        out.bytes += self._small.shrunk(upper + _rest(fingerprint, self._recipe))
        return bytes(out.bytes)

    def fingerprints(self, rows: Sequence[tuple[bytes, Head]]) -> list[Fingerprint]:
        """The fingerprints again."""
        read = [self._read(row) for row, _ in rows]
        profiles = _in_rows([parts.profile for parts in read])
        heads = (head for _, head in rows)
        return list(map(self._fingerprint, read, profiles, heads))

    def _read(self, row: bytes) -> "_Parts":
        has, read = _begun(row)
        digest = read.string() if has & DIGEST else None
        simhash = read.take(SIMHASH_BYTES) if has & SIMHASH else None
        minhash = read.string() if has & MINHASH else None
        if has & KEYS:
            read.string()
        words, numerals, lower, split = read.number(), read.string(), read.string(), read.number()
        expanded = self._small.grown(read.rest())
        fields = _rest_of(expanded[split:])
        return _Parts(words, digest, simhash, minhash, numerals, (lower, expanded[:split]), fields)

    def _fingerprint(self, parts: "_Parts", profile: bytes, head: Head) -> Fingerprint:
        fields, simhash = parts.rest, parts.simhash
        return Fingerprint(
            id=head.id,
            recipe=self._recipe if fields[0] == 0 else fields[0],
            words=parts.words,
            digest=parts.digest,
            simhash=None if simhash is None else int.from_bytes(simhash, "big"),
            minhash=parts.minhash,
            numerals=parts.numerals,
            profile=profile,
            url=fields[1],
            declared_url=fields[2],
            details=fields[3],
            refiled=fields[4],
            tier=fields[5],
            junk=fields[6],
            column=fields[7],
            stages=tuple(fields[8]),
            names=tuple(fields[9]),
            facts=tuple(Fact(*fact) for fact in fields[10]),
            title=fields[11],
            gist=fields[11] if fields[12] == 0 else fields[12],
            source=head.source,
            published=moment(head.published),
            seen=moment(head.seen),
        )


class _Parts(NamedTuple):
    """A row, taken apart."""

    words: int
    digest: bytes | None
    simhash: bytes | None
    minhash: bytes | None
    numerals: bytes
    profile: Columns
    rest: list[Any]


def keys_in(row: bytes) -> Keys | None:
    """The keys that the row holds; None where they follow from the rest."""
    has, read = _begun(row)
    if not has & KEYS:
        return None
    if has & DIGEST:
        read.string()
    if has & SIMHASH:
        read.take(SIMHASH_BYTES)
    if has & MINHASH:
        read.string()
    return np.frombuffer(read.string(), "<u8").astype(np.uint64, copy=False)


def _begun(row: bytes) -> tuple[int, Reader]:
    read = Reader(row)
    return read.number(), read


# The last of these are left out where they are as here.
USUAL: list[Any] = [0, None, None, 0, False, None, None, None, [], [], [], "", 0]


def _rest(fingerprint: Fingerprint, recipe: str) -> bytes:
    values: list[Any] = [
        0 if fingerprint.recipe == recipe else fingerprint.recipe,
        fingerprint.url,
        fingerprint.declared_url,
        fingerprint.details,
        fingerprint.refiled,
        fingerprint.tier,
        fingerprint.junk,
        fingerprint.column,
        list(fingerprint.stages),
        list(fingerprint.names),
        list(fingerprint.facts),
        fingerprint.title,
        0 if fingerprint.gist == fingerprint.title else fingerprint.gist,
    ]
    while values and values[-1] == USUAL[len(values) - 1]:
        values.pop()
    plain = json.dumps(values, separators=(",", ":"), ensure_ascii=False)
    return plain.encode("utf-8", "surrogatepass")


def _rest_of(packed: bytes) -> list[Any]:
    values: list[Any] = json.loads(packed.decode("utf-8", "surrogatepass"))
    return values + USUAL[len(values) :]


def _in_columns(profile: bytes) -> Columns:
    """A profile in two parts, of which the second compresses: its ascending hashes as steps.

    The lower three bytes of the steps are as good as random; the upper one is small.
    """
    if len(profile) % TERM or not profile:
        return profile, b""
    terms = np.frombuffer(profile, np.uint8).reshape(-1, TERM)
    steps = np.ascontiguousarray(terms[:, :4]).view("<u4")[:, 0]
    steps = np.concatenate([steps[:1], steps[1:] - steps[:-1]])
    columns = steps.view(np.uint8).reshape(-1, 4).T
    return columns[:3].tobytes(), columns[3].tobytes() + terms[:, 4].tobytes()


def _in_rows(profiles: Sequence[Columns]) -> list[bytes]:
    """The profiles again, all of one length at once."""
    unpacked = [lower for lower, _ in profiles]
    alike: dict[int, list[int]] = {}
    for place, (_, upper) in enumerate(profiles):
        if upper:
            alike.setdefault(len(upper) // 2, []).append(place)
    for terms, places in alike.items():
        joined = b"".join(part for place in places for part in profiles[place])
        columns = np.frombuffer(joined, np.uint8).reshape(len(places), TERM, terms)
        steps = np.ascontiguousarray(columns[:, :4].transpose(0, 2, 1)).view("<u4")[:, :, 0]
        rows = np.empty((len(places), terms, TERM), np.uint8)
        hashes = np.cumsum(steps, axis=1, dtype="<u4")
        rows[:, :, :4] = hashes.view(np.uint8).reshape(len(places), terms, 4)
        rows[:, :, 4] = columns[:, 4]
        for place, row in zip(places, rows, strict=True):
            unpacked[place] = row.tobytes()
    return unpacked


def row_pieces(row: bytes, most: int) -> list[bytes]:
    """A row in pieces, if it is short and may be in several, so that its hash stays tight."""
    if most == 1 or len(row) > PIECE * most:
        return [row]
    return [row[start : start + PIECE] for start in range(0, len(row), PIECE)]
