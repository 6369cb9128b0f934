"""The definition of every kernel in Python; tests hold the native kernels equal to it."""

from nearcopy.kernels.reference.addresses import AddressReader
from nearcopy.kernels.reference.hashes import (
    fmix64,
    fnv1a64,
    md5,
    murmur3_64,
    murmur3_128,
    xxh3_64,
    xxh3_128,
)
from nearcopy.kernels.reference.html import strip_html, strip_html_positions
from nearcopy.kernels.reference.key_index import KeyIndex, band_keys, block_checksums
from nearcopy.kernels.reference.neighbours import clause_words, neighbours
from nearcopy.kernels.reference.numerals import numerals, technical_details
from nearcopy.kernels.reference.overlap import (
    SetJoin,
    components,
    feature_sets,
    numeral_shares,
    pair_overlaps,
    passages,
    shared_counts,
    sketch_distances,
)
from nearcopy.kernels.reference.sketches import features, readings, sketch
from nearcopy.kernels.reference.term_profiles import (
    TermWeights,
    profile_measures,
    profiles,
    term_keys,
    term_rarities,
)
from nearcopy.kernels.reference.titles import (
    TitleScanner,
    WordFinder,
    title_cosines,
    title_fronts,
    title_keys,
    word_cosines,
)
from nearcopy.kernels.reference.words import (
    PhraseFinder,
    normalised,
    normalised_texts,
    word_spans,
    words,
)

__all__ = [
    "AddressReader",
    "KeyIndex",
    "PhraseFinder",
    "SetJoin",
    "TermWeights",
    "TitleScanner",
    "WordFinder",
    "band_keys",
    "block_checksums",
    "clause_words",
    "components",
    "feature_sets",
    "features",
    "fmix64",
    "fnv1a64",
    "md5",
    "murmur3_64",
    "murmur3_128",
    "neighbours",
    "normalised",
    "normalised_texts",
    "numeral_shares",
    "numerals",
    "pair_overlaps",
    "passages",
    "profile_measures",
    "profiles",
    "readings",
    "shared_counts",
    "sketch",
    "sketch_distances",
    "strip_html",
    "strip_html_positions",
    "technical_details",
    "term_keys",
    "term_rarities",
    "title_cosines",
    "title_fronts",
    "title_keys",
    "word_cosines",
    "word_spans",
    "words",
    "xxh3_64",
    "xxh3_128",
]
