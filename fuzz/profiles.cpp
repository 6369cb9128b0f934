// libFuzzer target: a title and a text through their term profile at every level of the processor,
// and their bytes as stored profiles and as a table of weights, held against a plain model.
//
// The first byte says how the characters are held and whether they are HTML; the second where the
// title ends, and where the bytes are cut in two.
#include "profiles.hpp"

#include <cmath>

#include "case.hpp"
#include "harness.hpp"
#include "profile_model.hpp"
#include "tables.hpp"

namespace fuzz {
namespace {

constexpr size_t kMostBytes = kMostTerms * kProfileEntry;

struct Article {
    Points title, text;
    bool html;
};

const Rarities& packaged() {
    static const Rarities made(all_tables().terms);
    return made;
}

// --- Profiles ----------------------------------------------------------------------------------

Bytes profile(Profiler& profiler, const Article& article, int title_kind, int text_kind) {
    const Text title(article.title, title_kind, false), text(article.text, text_kind, article.html);
    Profile made;
    profiler.profile(title.view(), text.view(), made);
    return Bytes(made.bytes, made.bytes + made.size);
}

Bytes expected_profile(const Article& article, const Rarities& rarities) {
    Points plain = article.text;
    const Text text(article.text, 4, article.html);
    if (article.html) strip_html(text.view(), plain, nullptr, tables().entities);
    ModelProfile model;
    model.add(article.title, true);
    model.add(sentences(plain), false);
    return model.bytes(rarities);
}

void check_form(const Bytes& made) {
    MUST(is_profile_size(made.size()) && made.size() <= 640 && made.size() % 5 == 0);
    MUST(ascends(made));
    for (size_t at = 0; at < made.size(); at += 5) MUST(made[at + 4] % 128 > 0);
}

Bytes check_profile(const Article& article, const Rarities& rarities) {
    const Bytes expected = expected_profile(article, rarities);
    check_form(expected);
    Profiler profiler(tables(), rarities.kernel);
    const int title = narrowest(article.title), text = narrowest(article.text);
    for (unsigned level = 0; level < 3; ++level) {
        use_level(level);
        MUST(profile(profiler, article, title, text) == expected);
        profile(profiler, {article.text, article.title, !article.html}, text, title);
        MUST(profile(profiler, article, title, text) == expected);  // nothing is left over
    }
    for (int kind = title; kind <= 4; kind *= 2)
        MUST(profile(profiler, article, kind, text) == expected);
    for (int kind = text; kind <= 4; kind *= 2)
        MUST(profile(profiler, article, title, kind) == expected);
    return expected;
}

// --- Measures ----------------------------------------------------------------------------------

ProfileMeasures measures(const Rarities& rarities, const Bytes& a, const Bytes& b) {
    return profile_measures(rarities.kernel, a.data(), a.size(), b.data(), b.size());
}

bool same(double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); }

bool same(const ProfileMeasures& x, const ProfileMeasures& y) {
    return same(x.cosine, y.cosine) && same(x.title, y.title) && same(x.most, y.most) &&
           same(x.least, y.least);
}

bool is_share(double x) { return std::isnan(x) || (x >= 0 && x <= 1); }

void check_measures(const Rarities& rarities, const Bytes& a, const Bytes& b) {
    const ProfileMeasures made = measures(rarities, a, b), self = measures(rarities, a, a);
    MUST(same(made, model_measures(rarities, a, b)));
    MUST(same(made, measures(rarities, b, a)));
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

Bytes in_order(const Bytes& profile) {
    std::map<uint32_t, size_t> places;
    for (size_t at = 0; at < profile.size(); at += 5) places[hash_at(profile, at)] = at;
    Bytes made;
    for (const auto& [hash, at] : places)
        made.insert(made.end(), profile.begin() + long(at), profile.begin() + long(at) + 5);
    made.shrink_to_fit();
    return made;
}

void check_stored(const Rarities& rarities, const uint8_t* data, size_t size, size_t split) {
    const size_t middle = size * split / 256;
    for (uint8_t mask : {0xFF, 0xC1, 0x01, 0x00}) {
        const Bytes a = stored(data, middle, mask), b = stored(data + middle, size - middle, mask);
        check_measures(rarities, a, b);
        check_measures(rarities, in_order(a), b);
        check_measures(rarities, in_order(a), in_order(b));
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

void check_weights(const Rarities& rarities, const TermList& list) {
    for (const auto& [term, weight] : list.known)
        for (uint32_t near : {term, term + 1, term ^ 0x80000000, weight})
            MUST(rarities.kernel.of(near) == rarities.of(near));
    for (uint32_t term : {0u, 1u, ~0u}) MUST(rarities.kernel.of(term) == rarities.of(term));
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
    const Rarities other(list);
    check_weights(other, list);
    for (const Rarities* rarities : {&packaged(), &other}) {
        const Bytes made = check_profile(article, *rarities);
        const Bytes untitled = check_profile({{}, article.text, article.html}, *rarities);
        check_measures(*rarities, made, untitled);
        check_measures(*rarities, made, in_order(stored(data, size, 0xFF)));
        check_stored(*rarities, data, size, split);
    }
    return 0;
}
