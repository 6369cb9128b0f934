"""Each hash equals its published vectors, its usual package, and its twin in the other kernel."""

from types import ModuleType

import pytest
import xxhash
from hypothesis import given, settings
from hypothesis import strategies as st

from nearcopy import kernels

NO_NATIVE = "the native kernel is not built here"
LENGTHS = [*range(301), 511, 512, 513, 1023, 1024, 1025, 4096, 100_001]

# From the test_fnv.c of the FNV authors.
FNV1A64 = [
    (b"", 0xCBF29CE484222325),
    (b"a", 0xAF63DC4C8601EC8C),
    (b"d", 0xAF63D94C8601E773),
    (b"f", 0xAF63DB4C8601EAD9),
    (b"fo", 0x08985907B541D342),
    (b"foo", 0xDCB27518FED9D577),
    (b"foob", 0xDD120E790C2512AF),
    (b"fooba", 0xCAC165AFA2FEF40A),
    (b"foobar", 0x85944171F73967E8),
    (b"\x00", 0xAF63BD4C8601B7DF),
    (b"a\x00", 0x089BE207B544F1E4),
    (b"fo\x00", 0xDCB28A18FED9F926),
    (b"foo\x00", 0xDD1270790C25B935),
    (b"foobar\x00", 0x34531CA7168B8F38),
    (b"chong", 0x2C8C2B76062F22E0),
    (b"chongo w", 0xD1EDD10B507344D0),
    (b"chongo was here", 0xA3DE85BD491270CE),
    (b"chongo was here!\n", 0x46810940EFF5F915),
    (b"chongo was here!\n\x00", 0xC33BCE57BEF63EAF),
    (b"curds and whey", 0x23E520E2751BB46E),
    (b"curds and whey\n\x00", 0x54ABD453BB2C9004),
    (b"hi\x00", 0x337354193006CB6E),
    (b"hello", 0xA430D84680AABD0B),
    (b"\xff\x00\x00\x01", 0x6961196491CC682D),
    (b"\x01\x00\x00\xff", 0xAD2BB1774799DFE9),
    (b"\xff\x00\x00\x02", 0x6961166491CC6314),
    (b"\x04\x00\x00\xff", 0xCD3BAF5E44F8AD9C),
    (b"@QND", 0xE3B36596127CD6D8),
    (b"DNQ@", 0xF77F1072C8E8A646),
    (b"127.0.0.1", 0xAABAFE7104D914BE),
    (b"127.0.0.1\x00", 0xF4D3180B3CDE3EDA),
    (b"64.81.78.68", 0xE729BAC5D2A8D3A7),
    (b"feedface", 0x0A83C86FEE952ABC),
    (b"feedfacedeadbeef", 0xCAC54572BB1A6FC8),
    (b"line 1\nline 2\nline 3", 0x7829851FAC17B143),
    (b"chongo <Landon Curt Noll> /\\../\\", 0x2C8F4C9AF81BCF06),
    (b"http://exoplanet.eu/", 0x0957F1577BA9747C),
    (b"http://www.ioccc.org/index.html", 0xEC5B06A1C5531093),
    (b"http://www.lavarnd.org/index.html", 0x9E5426C87F30EE54),
    (b"\x54\xc5" * 10, 0x0803564445050395),
    (b"\xc5\x54" * 10, 0xAA1574ECF4642FFD),
    (b"\x00" * 500, 0x1FE3FCE62BD816B5),
    (b"\x07" * 500, 0xC23E9FCCD6F70591),
    (b"\x7f" * 500, 0x39E9F18F2F85E221),
]

# RFC 1321, appendix A.5.
MD5 = [
    (b"", "d41d8cd98f00b204e9800998ecf8427e"),
    (b"a", "0cc175b9c0f1b6a831c399e269772661"),
    (b"abc", "900150983cd24fb0d6963f7d28e17f72"),
    (b"message digest", "f96b697d7cb7938d525a2f31aaf161d0"),
    (b"abcdefghijklmnopqrstuvwxyz", "c3fcd3d76192e4007dfb496cca67e13b"),
    (
        b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
        "d174ab98d277d9f5a5611c2c9f419d9f",
    ),
    (b"1234567890" * 8, "57edf4a22be3c955ac49da2e2107b67a"),
]


def some_bytes(size: int) -> bytes:
    """Bytes without a short period, the same in every run."""
    return bytes((i * i * 2654435761 >> 13) & 0xFF for i in range(size))


def test_fnv1a64_equals_the_official_vectors(kernel: ModuleType) -> None:
    assert [(data, kernel.fnv1a64(data)) for data, _ in FNV1A64] == FNV1A64


def test_murmur3_128_has_the_verification_code_of_smhasher(kernel: ModuleType) -> None:
    keys = [bytes(range(size)) for size in range(256)]
    hashes = b"".join(kernel.murmur3_128(key, 256 - len(key)) for key in keys)
    assert int.from_bytes(kernel.murmur3_128(hashes, 0)[:4], "little") == 0x6384BA69


@pytest.mark.parametrize("seed", [0, 1, 0x9747B28C, 0xFFFFFFFF])
def test_murmur3_64_is_the_first_half_of_murmur3_128(kernel: ModuleType, seed: int) -> None:
    for size in range(64):
        first = kernel.murmur3_128(some_bytes(size), seed)[:8]
        assert kernel.murmur3_64(some_bytes(size), seed) == int.from_bytes(first, "little")


def test_the_seed_of_murmur3_is_zero_unless_given(kernel: ModuleType) -> None:
    assert kernel.murmur3_64(b"story") == kernel.murmur3_64(b"story", 0)
    assert kernel.murmur3_128(b"story") == kernel.murmur3_128(b"story", 0)


def test_xxh3_64_equals_the_xxhash_package(kernel: ModuleType) -> None:
    texts = map(some_bytes, LENGTHS)
    assert [len(x) for x in texts if kernel.xxh3_64(x) != xxhash.xxh3_64_intdigest(x)] == []


def test_xxh3_128_equals_the_xxhash_package(kernel: ModuleType) -> None:
    texts = map(some_bytes, LENGTHS)
    assert [len(x) for x in texts if kernel.xxh3_128(x) != xxhash.xxh3_128_digest(x)] == []


def test_md5_equals_the_vectors_of_the_rfc(kernel: ModuleType) -> None:
    assert [(data, kernel.md5(data).hex()) for data, _ in MD5] == MD5


@pytest.mark.skipif(kernels.native is None, reason=NO_NATIVE)
@pytest.mark.parametrize("name", ["fnv1a64", "xxh3_64", "xxh3_128", "md5"])
@settings(deadline=None)
@given(data=st.binary(max_size=3000))
def test_native_equals_reference(name: str, data: bytes) -> None:
    assert getattr(kernels.native, name)(data) == getattr(kernels.reference, name)(data)


@pytest.mark.skipif(kernels.native is None, reason=NO_NATIVE)
@pytest.mark.parametrize("name", ["murmur3_64", "murmur3_128"])
@settings(deadline=None)
@given(data=st.binary(max_size=3000), seed=st.integers(0, 0xFFFFFFFF))
def test_native_equals_reference_under_any_seed(name: str, data: bytes, seed: int) -> None:
    assert getattr(kernels.native, name)(data, seed) == getattr(kernels.reference, name)(data, seed)
