"""FNV-1a, MurmurHash3, XXH3 and MD5 in plain Python: what the native kernels must equal."""

import hashlib
import struct

Pair = tuple[int, int]

MASK = 0xFFFF_FFFF_FFFF_FFFF
GOLDEN = 0x9E3779B97F4A7C15  # 2^64 by the golden ratio

PRIME32_1 = 0x9E3779B1
PRIME32_2 = 0x85EBCA77
PRIME32_3 = 0xC2B2AE3D
PRIME64_1 = 0x9E3779B185EBCA87
PRIME64_2 = 0xC2B2AE3D27D4EB4F
PRIME64_3 = 0x165667B19E3779F9
PRIME64_4 = 0x85EBCA77C2B2AE63
PRIME64_5 = 0x27D4EB2F165667C5
PRIME_MIX1 = 0x165667919E3779F9
PRIME_MIX2 = 0x9FB21C651E98DF25

SECRET = bytes.fromhex(
    "b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671f"
    "cb79e64eccc0e578825ad07dccff7221b8084674f743248ee03590e6813a264c"
    "3c2852bb91c300cb88d0658b1b532ea371644897a20df94e3819ef46a9deacd8"
    "a8fa763fe39c343ff9dcbbc7c70b4f1d8a51e04bcdb45931c89f7ec9d9787364"
    "eac5ac8334d3ebc3c581a0fffa1363eb170ddd51b7f0da49d316552629d4689e"
    "2b16be587d47a1fc8ff8b8d17ad031ce45cb3a8f95160428afd7fbcabb4b407e"
)


def fnv1a64(data: bytes) -> int:
    """The 64-bit FNV-1a hash.

    >>> hex(fnv1a64(b"foobar"))
    '0x85944171f73967e8'
    """
    value = 0xCBF29CE484222325
    for byte in data:
        value = (value ^ byte) * 0x100000001B3 & MASK
    return value


def fmix64(value: int) -> int:
    """The 64-bit finaliser of MurmurHash3: every bit of the input reaches every bit of the output.

    >>> hex(fmix64(1))
    '0xb456bcfc34c2cb2c'
    """
    value = (value ^ value >> 33) * 0xFF51AFD7ED558CCD & MASK
    value = (value ^ value >> 33) * 0xC4CEB9FE1A85EC53 & MASK
    return value ^ value >> 33


def murmur3_64(data: bytes, seed: int = 0) -> int:
    """The low 64 bits of MurmurHash3 (x64, 128 bit) under a seed of 32 bits.

    >>> hex(murmur3_64(b"hello"))
    '0xcbd8a7b341bd9b02'
    """
    return _murmur3(data, seed)[0]


def murmur3_128(data: bytes, seed: int = 0) -> bytes:
    """MurmurHash3 (x64, 128 bit): both halves, little-endian, the low one first."""
    return struct.pack("<2Q", *_murmur3(data, seed))


def xxh3_64(data: bytes) -> int:
    """The 64-bit XXH3 hash, seed 0.

    >>> hex(xxh3_64(b"hello"))
    '0x9555e8555c62dcfd'
    """
    if len(data) <= 16:
        return _small_64(data)
    if len(data) <= 240:
        return _medium_64(data)
    return _merge(_lanes(data), len(data) * PRIME64_1, 11)


def xxh3_128(data: bytes) -> bytes:
    """The 128-bit XXH3 hash, seed 0, in its canonical big-endian form.

    >>> xxh3_128(b"hello").hex()
    'b5e9c1ad071b3e7fc779cfaa5e523818'
    """
    if len(data) <= 240:
        low, high = _small_128(data) if len(data) <= 16 else _medium_128(data)
    else:
        lanes = _lanes(data)
        low = _merge(lanes, len(data) * PRIME64_1, 11)
        high = _merge(lanes, ~(len(data) * PRIME64_2), 117)
    return struct.pack(">2Q", high, low)


def md5(data: bytes) -> bytes:
    """The MD5 digest, as an identifier and not for security."""
    return hashlib.md5(data, usedforsecurity=False).digest()


# MurmurHash3


def _murmur3(data: bytes, seed: int) -> Pair:
    low = high = seed
    whole = len(data) // 16 * 16
    for k1, k2 in struct.iter_unpack("<2Q", data[:whole]):
        low = (_rotate(low ^ _murmur_low(k1), 27) + high) * 5 + 0x52DCE729 & MASK
        high = (_rotate(high ^ _murmur_high(k2), 31) + low) * 5 + 0x38495AB5 & MASK
    low ^= _murmur_low(_word(data, whole)) ^ len(data)
    high ^= _murmur_high(_word(data, whole + 8)) ^ len(data)
    low = low + high & MASK
    mixed_low, mixed_high = fmix64(low), fmix64(high + low & MASK)
    low = mixed_low + mixed_high & MASK
    return low, mixed_high + low & MASK


def _murmur_low(word: int) -> int:
    return _rotate(word * 0x87C37B91114253D5 & MASK, 31) * 0x4CF5AD432745937F & MASK


def _murmur_high(word: int) -> int:
    return _rotate(word * 0x4CF5AD432745937F & MASK, 33) * 0x87C37B91114253D5 & MASK


# XXH3: a rule each for up to 0, 3, 8, 16, 128 and 240 bytes, and one for all that is longer.


def _small_64(data: bytes) -> int:
    size = len(data)
    if size == 0:
        return _avalanche_xxh64(_key_pair(56))
    if size <= 3:
        return _avalanche_xxh64(_word(SECRET, 0, 4) ^ _word(SECRET, 4, 4) ^ _gather(data))
    if size <= 8:
        return _mixed_4_to_8(_key_pair(8) ^ (_word(data, 0, 4) << 32 | _word(data, size - 4)), size)
    low, high = _key_pair(24) ^ _word(data, 0), _key_pair(40) ^ _word(data, size - 8)
    return _avalanche(size + _swap(low, 8) + high + _fold(low, high))


def _mixed_4_to_8(value: int, size: int) -> int:
    value = (value ^ _rotate(value, 49) ^ _rotate(value, 24)) * PRIME_MIX2 & MASK
    value = (value ^ (value >> 35) + size) * PRIME_MIX2 & MASK
    return value ^ value >> 28


def _small_128(data: bytes) -> Pair:
    size = len(data)
    if size == 0:
        return _avalanche_xxh64(_key_pair(64)), _avalanche_xxh64(_key_pair(80))
    if size <= 3:
        turned = _rotate(_swap(_gather(data), 4), 13, 32)
        secret = _word(SECRET, 8, 4) ^ _word(SECRET, 12, 4)
        return _small_64(data), _avalanche_xxh64(secret ^ turned)
    return _from_4_to_8(data) if size <= 8 else _from_9_to_16(data)


def _from_4_to_8(data: bytes) -> Pair:
    value = _key_pair(16) ^ (_word(data, 0, 4) | _word(data, len(data) - 4) << 32)
    high, low = divmod(value * (PRIME64_1 + 4 * len(data)), MASK + 1)
    high = high + 2 * low & MASK
    low ^= high >> 3
    low = (low ^ low >> 35) * PRIME_MIX2 & MASK
    return low ^ low >> 28, _avalanche(high)


def _from_9_to_16(data: bytes) -> Pair:
    last = _word(data, len(data) - 8)
    value = _key_pair(48) ^ last
    high, low = divmod((_key_pair(32) ^ _word(data, 0) ^ last) * PRIME64_1, MASK + 1)
    low = low + (len(data) - 1 << 54) & MASK
    high = high + value + (value & 0xFFFFFFFF) * (PRIME32_2 - 1) & MASK
    product = (low ^ _swap(high, 8) | high << 64) * PRIME64_2
    return _avalanche(product), _avalanche(product >> 64)


def _gather(data: bytes) -> int:
    """One to three bytes and their number in a word of 32 bits."""
    return data[-1] | len(data) << 8 | data[0] << 16 | data[len(data) // 2] << 24


def _medium_64(data: bytes) -> int:
    size = len(data)
    value = size * PRIME64_1
    if size <= 128:
        for i in range((size + 31) // 32):
            value += _mix(data, 16 * i, 32 * i) + _mix(data, size - 16 * i - 16, 32 * i + 16)
        return _avalanche(value)
    value = _avalanche(value + sum(_mix(data, at, at) for at in range(0, 128, 16)))
    value += sum(_mix(data, at, at - 125) for at in range(128, size - 15, 16))
    return _avalanche(value + _mix(data, size - 16, 119))


def _medium_128(data: bytes) -> Pair:
    size = len(data)
    low, high = _ends_128(data) if size <= 128 else _chunks_128(data)
    last = low * PRIME64_1 + high * PRIME64_4 + size * PRIME64_2
    return _avalanche(low + high), -_avalanche(last) & MASK


def _ends_128(data: bytes) -> Pair:
    size = len(data)
    sums = size * PRIME64_1 & MASK, 0
    for i in reversed(range((size + 31) // 32)):
        sums = _mix_two(sums, data, (16 * i, size - 16 * i - 16), 32 * i)
    return sums


def _chunks_128(data: bytes) -> Pair:
    size = len(data)
    sums = size * PRIME64_1 & MASK, 0
    for at in range(0, 128, 32):
        sums = _mix_two(sums, data, (at, at + 16), at)
    sums = _avalanche(sums[0]), _avalanche(sums[1])
    for at in range(128, size - 31, 32):
        sums = _mix_two(sums, data, (at, at + 16), at - 125)
    return _mix_two(sums, data, (size - 16, size - 32), 103)


def _mix_two(sums: Pair, data: bytes, chunks: Pair, secret: int) -> Pair:
    one, two = chunks
    low = sums[0] + _mix(data, one, secret) & MASK
    high = sums[1] + _mix(data, two, secret + 16) & MASK
    low ^= _word(data, two) + _word(data, two + 8) & MASK
    high ^= _word(data, one) + _word(data, one + 8) & MASK
    return low, high


def _lanes(data: bytes) -> list[int]:
    """Eight sums over stripes of 64 bytes, scrambled after every sixteenth."""
    lanes = [PRIME32_3, PRIME64_1, PRIME64_2, PRIME64_3, PRIME64_4, PRIME32_2, PRIME64_5, PRIME32_1]
    for stripe in range((len(data) - 1) // 64):
        lanes = _accumulate(lanes, _eight(data, 64 * stripe), _eight(SECRET, stripe % 16 * 8))
        if stripe % 16 == 15:
            keyed = zip(lanes, _eight(SECRET, 128), strict=True)
            lanes = [(lane ^ lane >> 47 ^ key) * PRIME32_1 & MASK for lane, key in keyed]
    return _accumulate(lanes, _eight(data, len(data) - 64), _eight(SECRET, 121))


def _accumulate(lanes: list[int], words: tuple[int, ...], keys: tuple[int, ...]) -> list[int]:
    products = [
        ((word ^ key) & 0xFFFFFFFF) * ((word ^ key) >> 32)
        for word, key in zip(words, keys, strict=True)
    ]
    return [lanes[i] + words[i ^ 1] + products[i] & MASK for i in range(8)]


def _merge(lanes: list[int], value: int, secret: int) -> int:
    mixed = [lane ^ key for lane, key in zip(lanes, _eight(SECRET, secret), strict=True)]
    return _avalanche(value + sum(_fold(mixed[i], mixed[i + 1]) for i in range(0, 8, 2)))


def _mix(data: bytes, at: int, secret: int) -> int:
    low = _word(data, at) ^ _word(SECRET, secret)
    return _fold(low, _word(data, at + 8) ^ _word(SECRET, secret + 8))


def _avalanche(value: int) -> int:
    value &= MASK
    value = (value ^ value >> 37) * PRIME_MIX1 & MASK
    return value ^ value >> 32


def _avalanche_xxh64(value: int) -> int:
    value = (value ^ value >> 33) * PRIME64_2 & MASK
    value = (value ^ value >> 29) * PRIME64_3 & MASK
    return value ^ value >> 32


# Words


def _word(data: bytes, at: int, size: int = 8) -> int:
    return int.from_bytes(data[at : at + size], "little")


def _eight(data: bytes, at: int) -> tuple[int, ...]:
    return struct.unpack_from("<8Q", data, at)


def _key_pair(at: int) -> int:
    return _word(SECRET, at) ^ _word(SECRET, at + 8)


def _fold(one: int, two: int) -> int:
    """The two halves of the 128-bit product, xored."""
    return one * two & MASK ^ one * two >> 64


def _swap(value: int, size: int) -> int:
    return int.from_bytes(value.to_bytes(size, "little"), "big")


def _rotate(value: int, bits: int, width: int = 64) -> int:
    return (value << bits | value >> width - bits) & ((1 << width) - 1)
