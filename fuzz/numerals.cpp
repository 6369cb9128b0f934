// libFuzzer target: numerals and technical details of a text, and its bytes as stored profiles and
// MinHash slots, at every SIMD level.
//
// The first byte is the width of the characters and whether they are HTML; the second is where the
// bytes are split in two.
#include "numerals.hpp"

#include <cmath>
#include <cstring>

#include "case.hpp"
#include "distances.hpp"
#include "harness.hpp"
#include "tables.hpp"
#include "technical.hpp"

namespace fuzz {
namespace {

using Entries = std::vector<uint32_t>;

Entries profile(NumeralReader& reader, const Points& points, int kind, bool html) {
    const Text text(points, kind, html);
    const Numerals numerals = reader.read(text.view());
    MUST(numerals.count <= kMostNumerals);
    return Entries(numerals.entries, numerals.entries + numerals.count);
}

unsigned details(const Points& points, int kind, bool html) {
    const Text text(points, kind, html);
    PlainText plain;
    Characters characters;
    const TextView view = plain.of(text.view(), tables().entities);
    return technical_details(view, characters.read(view));
}

Points plain_of(const Points& points, bool html) {
    Points plain = points;
    const Text text(points, 4, html);
    if (html) strip_html(text.view(), plain, nullptr, tables().entities);
    return plain;
}

void check_text(const Points& points, int narrow, bool html) {
    const Points plain = plain_of(points, html);
    NumeralReader reader(tables(), all_tables().numbers);
    const Entries expected = profile(reader, plain, 4, false);
    const unsigned count = details(points, narrow, html);
    MUST(count <= kMostDetails);
    MUST(details(plain, 4, false) == count);
    for (int kind = narrow; kind <= 4; kind *= 2) {
        MUST(profile(reader, points, kind, html) == expected);
        profile(reader, Points(points.rbegin(), points.rend()), kind, html);
        MUST(profile(reader, points, kind, html) == expected);  // no state is left over
        MUST(details(points, kind, html) == count);
    }
}

Entries entries(const Bytes& bytes) {
    Entries made(bytes.size() / 4);
    for (size_t i = 0; i < made.size() * 4; ++i) made[i / 4] |= uint32_t(bytes[i]) << (8 * (i % 4));
    return made;
}

void check_shares(const Bytes& a, const Bytes& b) {
    const NumeralShare made = numeral_share(a.data(), a.size() / 4, b.data(), b.size() / 4);
    const NumeralShare back = numeral_share(b.data(), b.size() / 4, a.data(), a.size() / 4);
    MUST(std::isnan(made.share) || (made.share >= 0 && made.share <= 1));
    MUST(made.changed <= std::min(a.size(), b.size()) / 4);
    MUST(std::memcmp(&made.share, &back.share, sizeof made.share) == 0);
    MUST(made.changed == back.changed);
}

void check_slots(const Bytes& a, const Bytes& b) {
    const size_t slots = std::min(a.size(), b.size()) / 4;
    Entries left = entries(a), right = entries(b);
    left.resize(slots);
    right.resize(slots);
    left.shrink_to_fit();
    right.shrink_to_fit();
    unsigned expected = 0;
    for (size_t i = 0; i < slots; ++i) expected += left[i] == right[i];
    MUST(scans().equal_lanes(left.data(), right.data(), slots) == expected);
    MUST(scans().equal_lanes(right.data(), left.data(), slots) == expected);
    MUST(scans().equal_lanes(left.data(), left.data(), slots) == slots);
}

// Stored bytes take few values, so that two profiles have some in common.
Bytes stored(const uint8_t* data, size_t size, size_t most, uint8_t mask) {
    Bytes bytes(data, data + std::min(size, most));
    for (uint8_t& byte : bytes) byte &= mask;
    return bytes;
}

void check_stored(const uint8_t* data, size_t size, size_t split) {
    const size_t middle = size * split / 256;
    for (uint8_t mask : {0xFF, 0x01, 0x00}) {
        check_shares(stored(data, middle, kMostNumerals * 4, mask),
                     stored(data + middle, size - middle, kMostNumerals * 4, mask));
        check_slots(stored(data, middle, 4096, mask),
                    stored(data + middle, size - middle, 4096, mask));
    }
}

}  // namespace
}  // namespace fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace fuzz;
    Input input(data, size);
    const unsigned shape = input.byte();
    const size_t split = input.byte();
    const Points points = read_points(input, shape % 4);
    const int narrow = narrowest(points);
    for (unsigned level = 0; level < 3; ++level) {
        use_level(level);
        check_stored(data, size, split);
    }
    check_text(points, narrow, shape & 4);
    return 0;
}
