// A text and a recipe, from a head of ten bytes (see `read_case`) and the text.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "harness.hpp"
#include "hashes.hpp"
#include "sketch.hpp"
#include "tables.hpp"

namespace fuzz {

using namespace nearcopy;

using Points = std::vector<uint32_t>;
using Hashes = std::vector<uint64_t>;
using Bytes = std::vector<uint8_t>;

// The code points of UTF-8; a byte that is no part of one stands for itself.
inline Points decode_utf8(const uint8_t* data, size_t size) {
    Points points;
    for (size_t at = 0; at < size;) {
        const uint8_t lead = data[at];
        const size_t more = lead >= 0xF0 && lead < 0xF5   ? 3
                            : lead >= 0xE0 && lead < 0xF0 ? 2
                            : lead >= 0xC2 && lead < 0xE0 ? 1
                                                          : 0;
        size_t good = 0;
        while (good < more && at + good + 1 < size && (data[at + good + 1] & 0xC0) == 0x80) ++good;
        uint32_t point = lead;
        if (more > 0 && good == more) {
            point = lead & (0x3F >> more);
            for (size_t i = 1; i <= more; ++i) point = point << 6 | (data[at + i] & 0x3F);
            at += more;
        }
        points.push_back(point % 0x110000);
        ++at;
    }
    return points;
}

// --- Texts as Python would hold them, in memory of just their size -----------------------------

class Text {
public:
    Text(const Points& points, int kind, bool html) : kind_(kind), html_(html) {
        if (kind == 1) one_.assign(points.begin(), points.end());
        if (kind == 2) two_.assign(points.begin(), points.end());
        if (kind == 4) four_ = points;
    }

    TextView view() const {
        if (kind_ == 1) return {one_.data(), one_.size(), 1, html_};
        if (kind_ == 2) return {two_.data(), two_.size(), 2, html_};
        return {four_.data(), four_.size(), 4, html_};
    }

private:
    std::vector<uint8_t> one_;
    std::vector<uint16_t> two_;
    std::vector<uint32_t> four_;
    int kind_;
    bool html_;
};

inline int narrowest(const Points& points) {
    uint32_t all = 0;
    for (uint32_t point : points) all |= point;
    return all < 0x100 ? 1 : all < 0x10000 ? 2 : 4;
}

struct Case {
    Points points;
    int kind = 1;
    bool html = false;
    Plan plan;
    Features wanted;
    size_t min_words = 1;
    Points other;  // the text to share passages with
};

// --- From bytes to a case ----------------------------------------------------------------------

inline Features read_features(uint8_t byte, size_t least) {
    const size_t size = byte / 2 % 65;
    return {byte & 1 ? Unit::CHARACTERS : Unit::WORDS, std::max(size, least)};
}

inline Plan read_plan(Input& input) {
    const unsigned choice = input.byte();
    Plan plan;
    plan.hash = Hash(choice % 3);
    plan.weights = Weights(choice / 3 % 3);
    plan.scheme = Scheme(choice / 9 % 2);
    plan.digest = Digest(choice / 18 % 2);
    plan.simhash = read_features(input.byte(), 0);
    plan.minhash = read_features(input.byte(), 0);
    const size_t limit = input.byte();
    if (limit % 2 == 0) plan.max_chars = 1 + limit * limit / 8;
    return plan;
}

// Seldom so many characters that the text begins around the border of a chunk of folding.
inline Points read_lead(Input& input) {
    static const char* const FILLERS[] = {"lead ", "a", " ", "\xE9"};
    const unsigned place = input.byte();
    const std::string filler = FILLERS[input.below(4)];
    Points lead;
    if (place < 192) return lead;
    for (size_t i = 0; i < 2048 + 16 - place % 64; ++i)
        lead.push_back(uint8_t(filler[i % filler.size()]));
    return lead;
}

inline Points read_points(Input& input, unsigned width) {
    if (width == 3) {
        const std::vector<uint8_t> bytes = input.rest();
        return decode_utf8(bytes.data(), bytes.size());
    }
    Points points;
    while (input.left() > 0)
        points.push_back(width == 0   ? input.byte()
                         : width == 1 ? input.two()
                                      : input.four() % 0x110000);  // Python has no others
    return points;
}

// Every third feature of the text is known, so that some are and some are not.
inline void add_frequencies(Case& c) {
    if (c.plan.weights != Weights::TFIDF) return;
    const Text text(c.points, c.kind, c.html);
    Hashes features;
    Sketcher(tables(), c.plan).feature_set(text.view(), c.wanted, features);
    for (size_t i = 0; i < features.size(); i += 3) {
        c.plan.known.push_back(features[i]);
        c.plan.weight.push_back(uint32_t(fmix64(features[i])) >> (i % 32));
    }
    c.plan.unknown_weight = uint32_t(1 + features.size());
}

inline Case read_case(Input& input) {
    Case c;
    const unsigned shape = input.byte();
    c.html = shape & 4;
    c.plan = read_plan(input);
    c.wanted = read_features(input.byte(), 1);
    c.points = read_lead(input);
    c.min_words = 1 + input.below(16);
    const size_t split = input.byte();
    const Points text = read_points(input, shape % 4);
    c.points.insert(c.points.end(), text.begin(), text.end());
    c.kind = shape % 4 == 3 ? narrowest(c.points) : 1 << shape % 4;
    const auto middle = c.points.begin() + long(c.points.size() * split / 256);
    c.other.assign(middle, c.points.end());
    c.other.insert(c.other.end(), c.points.begin(), middle);
    add_frequencies(c);
    return c;
}

}  // namespace fuzz
