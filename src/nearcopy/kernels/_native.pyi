# What src/native/module.cpp offers. Where the reference has the same name, its signature holds.
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from nearcopy.kernels.reference import KeyIndex as KeyIndex
from nearcopy.kernels.reference import PhraseFinder as PhraseFinder
from nearcopy.kernels.reference import TermWeights as TermWeights
from nearcopy.kernels.reference import WordFinder as WordFinder
from nearcopy.kernels.reference import band_keys as band_keys
from nearcopy.kernels.reference import block_checksums as block_checksums
from nearcopy.kernels.reference import fmix64 as fmix64
from nearcopy.kernels.reference import fnv1a64 as fnv1a64
from nearcopy.kernels.reference import md5 as md5
from nearcopy.kernels.reference import murmur3_64 as murmur3_64
from nearcopy.kernels.reference import murmur3_128 as murmur3_128
from nearcopy.kernels.reference import normalised as normalised
from nearcopy.kernels.reference import normalised_texts as normalised_texts
from nearcopy.kernels.reference import numeral_shares as numeral_shares
from nearcopy.kernels.reference import numerals as numerals
from nearcopy.kernels.reference import profile_measures as profile_measures
from nearcopy.kernels.reference import profiles as profiles
from nearcopy.kernels.reference import strip_html as strip_html
from nearcopy.kernels.reference import strip_html_positions as strip_html_positions
from nearcopy.kernels.reference import technical_details as technical_details
from nearcopy.kernels.reference import term_keys as term_keys
from nearcopy.kernels.reference import term_rarities as term_rarities
from nearcopy.kernels.reference import title_cosines as title_cosines
from nearcopy.kernels.reference import title_fronts as title_fronts
from nearcopy.kernels.reference import title_keys as title_keys
from nearcopy.kernels.reference import word_cosines as word_cosines
from nearcopy.kernels.reference import word_spans as word_spans
from nearcopy.kernels.reference import words as words
from nearcopy.kernels.reference import xxh3_64 as xxh3_64
from nearcopy.kernels.reference import xxh3_128 as xxh3_128

U8 = NDArray[np.uint8]
U16 = NDArray[np.uint16]
U32 = NDArray[np.uint32]
U64 = NDArray[np.uint64]

class Features:
    def __init__(self, characters: bool, size: int, /) -> None: ...

class Plan:
    def __init__(
        self,
        hash: int,
        simhash: Features,
        minhash: Features,
        weights: int,
        scheme: int,
        digest: int,
        max_chars: int,
        known: U64,
        weight: U32,
        unknown_weight: int,
    ) -> None: ...

class TitleScanTable:
    def __init__(
        self,
        triggers: list[tuple[str, int]],
        common: list[str],
        ascii_forms: list[tuple[int, int]],
        longest: int,
        /,
    ) -> None: ...
    def read(self, titles: Sequence[str], most: int) -> tuple[list[int], list[tuple[str, ...]]]: ...
    def names(self, text: str, blank: int) -> list[tuple[str, int, int]] | None: ...

class AddressReader:
    def __init__(self, sections: list[str], index_files: list[str], /) -> None: ...
    def read(self, urls: Sequence[str]) -> list[tuple[str, str, bool] | None]: ...
    def slugs(self, forms: Sequence[str]) -> list[str | None]: ...

def neighbours(
    text: str, spans: Sequence[tuple[int, int]], most: int
) -> list[tuple[str, str]] | None: ...
def clause_words(
    text: str, start: int, end: int, reach: int, before: int, after: int
) -> tuple[list[str], list[str]] | None: ...
def set_tables(
    pages: U32, index: U16, sequences: U32, joins: U32, entities: list[tuple[str, list[int]]], /
) -> None: ...
def set_numbers(words: list[tuple[str, str, bool]], /) -> None: ...
def readings(
    titles: Sequence[str],
    texts: Sequence[str],
    html: list[bool],
    plan: Plan,
    threads: int,
    short_titles: Sequence[str],
    short_words: int,
) -> tuple[
    list[int],
    list[bytes | None],
    list[int | None],
    list[bytes | None],
    list[bytes],
    list[bytes],
    list[int],
]: ...
def sketch_distances(
    simhash_a: U64, simhash_b: U64, minhash_a: Sequence[bytes], minhash_b: Sequence[bytes]
) -> tuple[U8, U16]: ...
def set_term_weights(known: dict[str, int], unknown: int, /) -> None: ...
def set_title_weights(known: dict[str, int], unknown: int, /) -> None: ...
def sketch(
    texts: Sequence[str], html: list[bool], plan: Plan, threads: int
) -> tuple[U64, U32, U8, U32]: ...
def features(text: str, html: bool, plan: Plan, features: Features) -> U64: ...
def feature_sets(
    texts: Sequence[str], html: list[bool], plan: Plan, features: Features, threads: int
) -> tuple[U64, U64]: ...
def components(count: int, pairs: U32) -> U32: ...
def pair_overlaps(
    texts: Sequence[str],
    html: list[bool],
    plan: Plan,
    features: Features,
    pairs: U64,
    threads: int = 1,
) -> tuple[U32, U32]: ...
def shared_counts(starts: U64, values: U64, pairs: U64, threads: int = 1) -> U32: ...

class SetJoin:
    nbytes: int

    def __init__(self, starts: U64, values: U64, min_overlap: float) -> None: ...
    def __len__(self) -> int: ...
    def find(self, first: int, most: int, threads: int) -> tuple[int, U32, U32]: ...

def passages(
    a: str, b: str, html_a: bool, html_b: bool, min_words: int
) -> list[tuple[int, int, int, int, int]]: ...
def level() -> str: ...
def use_level(name: str, /) -> str: ...
