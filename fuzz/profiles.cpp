// libFuzzer target: the term profile of a title and a text at every SIMD level, and their bytes as
// stored profiles and as a table of term weights.
//
// The first byte is the width of the characters and whether they are HTML; the second is where the
// title ends, and where the bytes are split in two.
#include "profiles.hpp"

#include <cmath>
#include <map>

#include "case.hpp"
#include "harness.hpp"
#include "tables.hpp"

namespace fuzz {
namespace {

constexpr size_t kMostBytes = kMostTerms * kProfileEntry;

struct Article {
    Points title, text;
    bool html;
};

const TermWeights& packaged() {
    static const TermWeights weights(all_tables().terms.known, all_tables().terms.unknown);
    return weights;
}

uint32_t hash_at(const Bytes& profile, size_t at) {
    return uint32_t(profile[at]) | uint32_t(profile[at + 1]) << 8 |
           uint32_t(profile[at + 2]) << 16 | uint32_t(profile[at + 3]) << 24;
}

bool ascends(const Bytes& profile) {
    for (size_t at = 5; at < profile.size(); at += 5)
        if (hash_at(profile, at - 5) >= hash_at(profile, at)) return false;
    return true;
}

// --- Profiles ----------------------------------------------------------------------------------

Bytes profile(Profiler& profiler, const Article& article, int title_kind, int text_kind) {
    const Text title(article.title, title_kind, false), text(article.text, text_kind, article.html);
    Profile made;
    profiler.profile(title.view(), text.view(), made);
    return Bytes(made.bytes, made.bytes + made.size);
}

Points strip(const Article& article) {
    Points plain = article.text;
    const Text text(article.text, 4, article.html);
    if (article.html) strip_html(text.view(), plain, nullptr, tables().entities);
    return plain;
}

void check_form(const Bytes& made) {
    MUST(is_profile_size(made.size()) && made.size() <= 640 && made.size() % 5 == 0);
    MUST(ascends(made));
    for (size_t at = 0; at < made.size(); at += 5) MUST(made[at + 4] % 128 > 0);
}

Bytes check_profile(const Article& article, const TermWeights& weights) {
    Profiler profiler(tables(), weights);
    use_level(0);
    const Bytes expected = profile(profiler, {article.title, strip(article), false}, 4, 4);
    check_form(expected);
    const int title = narrowest(article.title), text = narrowest(article.text);
    for (unsigned level = 0; level < 3; ++level) {
        use_level(level);
        MUST(profile(profiler, article, title, text) == expected);
        profile(profiler, {article.text, article.title, !article.html}, text, title);
        MUST(profile(profiler, article, title, text) == expected);  // no state is left over
    }
    for (int kind = title; kind <= 4; kind *= 2)
        MUST(profile(profiler, article, kind, text) == expected);
    for (int kind = text; kind <= 4; kind *= 2)
        MUST(profile(profiler, article, title, kind) == expected);
    return expected;
}

// --- Measures ----------------------------------------------------------------------------------

ProfileMeasures measures(const TermWeights& weights, const Bytes& a, const Bytes& b) {
    return profile_measures(weights, a.data(), a.size(), b.data(), b.size());
}

bool same(double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); }

bool same(const ProfileMeasures& x, const ProfileMeasures& y) {
    return same(x.cosine, y.cosine) && same(x.title, y.title) && same(x.most, y.most) &&
           same(x.least, y.least);
}

bool is_share(double x) { return std::isnan(x) || (x >= 0 && x <= 1); }

void check_measures(const TermWeights& weights, const Bytes& a, const Bytes& b) {
    const ProfileMeasures made = measures(weights, a, b), self = measures(weights, a, a);
    MUST(same(made, measures(weights, b, a)));
    MUST((made.cosine < 0) == !(ascends(a) && ascends(b)));
    if (made.cosine < 0) return;
    MUST(is_share(made.cosine) && is_share(made.title) && is_share(made.most));
    MUST(is_share(made.least) && !(made.least > made.most));
    MUST(self.cosine == 1 || std::isnan(self.cosine));
}

// Stored bytes take few values, so that two profiles have some in common.
Bytes stored(const uint8_t* data, size_t size, uint8_t mask) {
    Bytes bytes(data, data + std::min(size / 5 * 5, kMostBytes));
    for (uint8_t& byte : bytes) byte &= mask;
    return bytes;
}

Bytes sort_by_hash(const Bytes& profile) {
    std::map<uint32_t, size_t> places;
    for (size_t at = 0; at < profile.size(); at += 5) places[hash_at(profile, at)] = at;
    Bytes made;
    for (const auto& [hash, at] : places)
        made.insert(made.end(), profile.begin() + long(at), profile.begin() + long(at) + 5);
    made.shrink_to_fit();
    return made;
}

void check_stored(const TermWeights& weights, const uint8_t* data, size_t size, size_t split) {
    const size_t middle = size * split / 256;
    for (uint8_t mask : {0xFF, 0xC1, 0x01, 0x00}) {
        const Bytes a = stored(data, middle, mask), b = stored(data + middle, size - middle, mask);
        check_measures(weights, a, b);
        check_measures(weights, sort_by_hash(a), b);
        check_measures(weights, sort_by_hash(a), sort_by_hash(b));
    }
}

// --- Weights -----------------------------------------------------------------------------------

// Terms from the input, crowded in the first buckets or the last, and weights of any size.
TermList read_terms(const uint8_t* data, size_t size) {
    Input input(data, std::min<size_t>(size, 1024));
    TermList list;
    const unsigned place = input.below(3);
    list.unknown = std::max<uint32_t>(input.two(), 1);
    while (input.left() > 0) {
        const uint32_t term = input.two();
        const uint32_t placed = place == 0   ? term * 0x10001
                                : place == 1 ? term << 16
                                             : ~(term << 16);
        list.known.emplace_back(placed, std::max<uint32_t>(input.two(), 1));
    }
    return list;
}

// A term that occurs twice has the least of its weights.
void check_weights(const TermWeights& weights, const TermList& list) {
    std::map<uint32_t, uint32_t> expected;
    for (const auto& [term, weight] : list.known) {
        const auto [entry, is_new] = expected.emplace(term, weight);
        if (!is_new) entry->second = std::min(entry->second, weight);
    }
    for (const auto& [term, weight] : expected) MUST(weights.of(term) == weight);
    for (uint32_t term : {0u, 1u, ~0u})
        if (!expected.count(term)) MUST(weights.of(term) == list.unknown);
}

}  // namespace
}  // namespace fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace fuzz;
    Input input(data, size);
    const unsigned shape = input.byte();
    const size_t split = input.byte();
    const Points both = read_points(input, shape % 4);
    const auto middle = both.begin() + long(both.size() * split / 256);
    const Article article{Points(both.begin(), middle), Points(middle, both.end()),
                          (shape & 4) != 0};
    const TermList list = read_terms(data, size);
    const TermWeights other(list.known, list.unknown);
    check_weights(other, list);
    for (const TermWeights* weights : {&packaged(), &other}) {
        const Bytes made = check_profile(article, *weights);
        const Bytes untitled = check_profile({{}, article.text, article.html}, *weights);
        check_measures(*weights, made, untitled);
        check_measures(*weights, made, sort_by_hash(stored(data, size, 0xFF)));
        check_stored(*weights, data, size, split);
    }
    return 0;
}
