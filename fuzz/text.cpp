// libFuzzer target: HTML, folding, features, sketches and passages of one text.
//
// All SIMD levels and all widths of the text must agree, and the invariants below hold. The input is
// a header of ten bytes and the text: see case.hpp.
#include <algorithm>
#include <set>
#include <string>
#include <tuple>

#include "case.hpp"
#include "harness.hpp"
#include "overlap.hpp"
#include "tables.hpp"

namespace fuzz {
namespace {

// --- The outcome of one text ---- ---------------------------------------------------------------

using Pair = std::pair<uint32_t, uint32_t>;

std::vector<Pair> pairs(const std::vector<Span>& spans) {
    std::vector<Pair> out;
    for (const Span& span : spans) out.emplace_back(span.start, span.end);
    return out;
}

struct Folded {
    std::string text;
    Hashes hashes;

    explicit Folded(Words& words)
        : text(reinterpret_cast<const char*>(words.text()), words.bytes()),
          hashes(words.hashes(), words.hashes() + words.count()) {}

    bool operator==(const Folded& other) const {
        return text == other.text && hashes == other.hashes;
    }
};

struct Sketched {
    uint64_t simhash = ~uint64_t(0);
    std::vector<uint32_t> minhash = std::vector<uint32_t>(kSlots, 1);
    std::string digest = std::string(16, 'x');
    uint32_t words = ~uint32_t(0);

    Sketched(Sketcher& sketcher, const TextView& text) {
        sketcher.sketch(
            text, {&simhash, minhash.data(), reinterpret_cast<uint8_t*>(digest.data()), &words});
    }

    bool operator==(const Sketched& other) const {
        return std::tie(simhash, minhash, digest, words) ==
               std::tie(other.simhash, other.minhash, other.digest, other.words);
    }
};

using PlainPassage = std::tuple<uint32_t, uint32_t, uint32_t, uint32_t, uint32_t>;

std::vector<PlainPassage> plain(const std::vector<Passage>& passages) {
    std::vector<PlainPassage> out;
    for (const Passage& p : passages)
        out.emplace_back(p.a.start, p.a.end, p.b.start, p.b.end, p.words);
    return out;
}

struct Outcome {
    Folded folded;
    Sketched sketch;
    Hashes features, distinct;
    std::vector<Pair> spans;
    std::vector<PlainPassage> passages;

    bool operator==(const Outcome& other) const {
        return folded == other.folded && sketch == other.sketch && features == other.features &&
               distinct == other.distinct && spans == other.spans && passages == other.passages;
    }
};

Folded fold(const TextView& text, Hash hash) {
    Words words(tables());
    words.fold(text, hash);
    return Folded(words);
}

Hashes features(Sketcher& sketcher, const TextView& text, const Features& wanted) {
    size_t count = 0;
    const uint64_t* made = sketcher.features(text, wanted, count);
    return Hashes(made, made + count);
}

Outcome outcome(const Case& c, int kind) {
    const Text text(c.points, kind, c.html), other(c.other, kind, c.html);
    Sketcher sketcher(tables(), c.plan);
    const Sketched sketch(sketcher, text.view());
    Sketched(sketcher, other.view());
    MUST(Sketched(sketcher, text.view()) == sketch);  // no state is left from another text

    const Folded folded = fold(text.view(), c.plan.hash);
    Words words(tables());
    std::vector<Span> spans;
    words.fold_spans(other.view(), c.plan.hash, spans);
    words.fold_spans(text.view(), c.plan.hash, spans);
    MUST(Folded(words).text == folded.text);
    MUST(Folded(words).hashes == folded.hashes);

    Hashes distinct;
    sketcher.feature_set(text.view(), c.wanted, distinct);
    return {
        folded,   sketch,       features(sketcher, text.view(), c.wanted),
        distinct, pairs(spans), plain(passages(tables(), text.view(), other.view(), c.min_words))};
}

// Equal at every SIMD level and for all widths of the text.
Outcome agreed_outcome(const Case& c) {
    use_level(0);
    const Outcome first = outcome(c, c.kind);
    for (unsigned level = 1; level < 3; ++level) {
        use_level(level);
        MUST(outcome(c, c.kind) == first);
    }
    for (int kind = c.kind * 2; kind <= 4; kind *= 2) MUST(outcome(c, kind) == first);
    return first;
}

// --- Invariants ----------------- ----------------------------------------------------------------------

void check_spans(const std::vector<Pair>& spans, size_t size) {
    Pair before{0, 0};
    for (const Pair& span : spans) {
        MUST(span.first < span.second && span.second <= size);
        MUST(span.first >= before.first && span.second >= before.second);
        before = span;
    }
}

template <class Char>
Points stripped(const std::vector<Char>& text, std::vector<Span>* spans) {
    Points out;
    strip_html(text.data(), text.size(), out, spans, tables().entities);
    return out;
}

// The text of the page, each character with its source span; equal for all widths of the page.
Points check_markup(const Points& page, int kind, std::vector<Span>& spans) {
    const Points text = stripped(page, &spans);
    MUST(stripped(page, nullptr) == text);
    if (kind == 1) MUST(stripped(std::vector<uint8_t>(page.begin(), page.end()), nullptr) == text);
    if (kind <= 2) MUST(stripped(std::vector<uint16_t>(page.begin(), page.end()), nullptr) == text);
    MUST(spans.size() == text.size() && text.size() <= page.size());
    check_spans(pairs(spans), page.size());
    for (size_t i = 0; i < text.size(); ++i)
        if (spans[i].end - spans[i].start == 1) MUST(text[i] == page[spans[i].start]);
    const bool has_markup =
        std::any_of(page.begin(), page.end(), [](uint32_t c) { return c == '<' || c == '&'; });
    MUST(has_markup || text == page);
    return text;
}

void check_folded(const Outcome& outcome, const Case& c) {
    check_spans(outcome.spans, c.points.size());
    MUST(outcome.spans.size() == outcome.folded.hashes.size());
    const Bytes bytes(outcome.folded.text.begin(), outcome.folded.text.end());
    const Points text = decode_utf8(bytes.data(), bytes.size());
    for (int kind = narrowest(text); kind <= 4; kind *= 2)  // folding is idempotent
        MUST(fold(Text(text, kind, false).view(), c.plan.hash) == outcome.folded);
}

// A page gives what its plain text gives.
void check_html(const Outcome& outcome, const Case& c) {
    if (!c.html) return;
    std::vector<Span> spans;
    const Points plain = check_markup(c.points, c.kind, spans);
    MUST(fold(Text(plain, 4, false).view(), c.plan.hash) == outcome.folded);
}

void check_sketch(const Sketched& sketch, const Outcome& outcome, const Plan& plan) {
    MUST(sketch.words == outcome.folded.hashes.size());
    const bool any = sketch.words > 0;
    if (!any) MUST(sketch.digest == std::string(16, '\0'));
    if (!any || plan.simhash.size == 0) MUST(sketch.simhash == 0);
    if (!any || plan.minhash.size == 0) MUST(sketch.minhash == std::vector<uint32_t>(kSlots, 0));
}

void check_features(const Outcome& outcome) {
    MUST(outcome.features.empty() == (outcome.sketch.words == 0));
    const std::set<uint64_t> distinct(outcome.features.begin(), outcome.features.end());
    MUST(outcome.distinct == Hashes(distinct.begin(), distinct.end()));
    const size_t count = outcome.distinct.size();
    MUST(shared(outcome.distinct.data(), count, outcome.distinct.data(), count) == count);
}

void check_passages(const Outcome& outcome, const Case& c) {
    uint32_t before = 0;
    for (const auto& [a_start, a_end, b_start, b_end, length] : outcome.passages) {
        MUST(a_start < a_end && a_end <= c.points.size());
        MUST(b_start < b_end && b_end <= c.other.size() && b_start >= before);
        MUST(length >= c.min_words);
        before = b_start;
    }
}

// --- Hashes of bytes ---------------------------------------------------------------------------

void check_hashes(const uint8_t* data, size_t size) {
    const std::vector<uint8_t> bytes(data, data + size);  // exact size, for AddressSanitizer
    MUST(murmur3_128(bytes.data(), size).low == murmur3_64(bytes.data(), size));
    const uint64_t low = xxh3_128(bytes.data(), size).low;
    if ((size > 0 && size <= 3) || size > 240) MUST(low == xxh3_64(bytes.data(), size));
    uint8_t digest[16];
    md5(bytes.data(), size, digest);
    if (size == 0) return;
    const uint64_t before = fnv1a64(bytes.data(), size - 1);
    MUST(fnv1a64(bytes.data(), size) == (before ^ bytes[size - 1]) * 0x100000001B3u);
}

}  // namespace
}  // namespace fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace fuzz;
    check_hashes(data, size);
    Input input(data, size);
    const Case c = read_case(input);
    const Outcome outcome = agreed_outcome(c);
    check_folded(outcome, c);
    check_html(outcome, c);
    check_sketch(outcome.sketch, outcome, c.plan);
    check_features(outcome);
    check_passages(outcome, c);
    return 0;
}
