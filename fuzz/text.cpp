// libFuzzer target: a text of any width through markup, folding, features, sketches and passages,
// at every level of the processor, held against the plain model and against itself.
//
// The input is a head of ten bytes and the text: see case.hpp.
#include <cstring>
#include <string>
#include <tuple>

#include "case.hpp"
#include "harness.hpp"
#include "model.hpp"
#include "tables.hpp"

namespace fuzz {
namespace {

// --- What the kernels make of it ---------------------------------------------------------------

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
    MUST(Sketched(sketcher, text.view()) == sketch);  // nothing is left over from another text

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

// The same at every level, and however wide the text is held.
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

// --- What must hold of it ----------------------------------------------------------------------

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

// The text of the page, each character with its place; the same however wide the page is held.
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

std::vector<ModelWord> model_words(const Points& points, int kind, bool html) {
    std::vector<Span> spans;
    const Points text = html ? check_markup(points, kind, spans) : points;
    Folding folding(tables().fold);
    for (size_t i = 0; i < text.size(); ++i)
        folding.fold(text[i], html ? spans[i] : Span{uint32_t(i), uint32_t(i + 1)});
    return folding.words;
}

void check_folded(const Outcome& found, const std::vector<ModelWord>& words, const Case& c) {
    const Points text = normalised(words);
    MUST(found.folded.text == utf8(text));
    MUST(found.folded.hashes == model_features(words, c.plan.hash, {Unit::WORDS, 1}));
    std::vector<Span> spans;
    for (const ModelWord& word : words) spans.push_back(word.span);
    MUST(found.spans == pairs(spans));
    check_spans(found.spans, c.points.size());
    MUST(fold(Text(text, 4, false).view(), c.plan.hash) == found.folded);  // folding again
    const int kind = narrowest(text);
    MUST(fold(Text(text, kind, false).view(), c.plan.hash) == found.folded);
}

std::string model_digest(const std::string& text, Digest digest) {
    const auto* data = reinterpret_cast<const uint8_t*>(text.data());
    std::string out(16, '\0');
    if (digest == Digest::MD5) {
        md5(data, text.size(), reinterpret_cast<uint8_t*>(out.data()));
        return out;
    }
    const Hash128 hash = xxh3_128(data, text.size());
    for (unsigned i = 0; i < 16; ++i)
        out[i] = char((i < 8 ? hash.high : hash.low) >> (56 - 8 * (i % 8)));
    return out;
}

void check_sketch(const Sketched& found, const std::vector<ModelWord>& words,
                  const std::vector<ModelWord>& kept, const Case& c) {
    const Plan& plan = c.plan;
    MUST(found.words == words.size());
    const bool any = !words.empty();
    MUST(found.digest ==
         (any ? model_digest(utf8(normalised(words)), plan.digest) : std::string(16, '\0')));
    uint64_t simhash = 0;
    std::vector<uint32_t> minhash(kSlots, 0);
    if (any && plan.simhash.size > 0)
        simhash = model_simhash(model_features(kept, plan.hash, plan.simhash), plan);
    if (any && plan.minhash.size > 0) {
        const Hashes features = model_features(kept, plan.hash, plan.minhash);
        minhash = plan.scheme == Scheme::CLASSIC ? model_classic(features)
                                                 : model_one_permutation(features);
    }
    MUST(found.simhash == simhash);
    MUST(found.minhash == minhash);
}

void check_features(const Outcome& found, const std::vector<ModelWord>& kept, const Case& c) {
    MUST(found.features == model_features(kept, c.plan.hash, c.wanted));
    MUST(found.features.empty() == (found.sketch.words == 0));
    const std::set<uint64_t> distinct(found.features.begin(), found.features.end());
    MUST(found.distinct == Hashes(distinct.begin(), distinct.end()));
    const size_t count = found.distinct.size();
    MUST(shared(found.distinct.data(), count, found.distinct.data(), count) == count);
}

void check_passages(const Outcome& found, const std::vector<ModelWord>& words, const Case& c) {
    constexpr size_t MANY = 400000;  // pairs of words, above which the model takes too long
    uint32_t before = 0;
    for (const auto& [a_start, a_end, b_start, b_end, length] : found.passages) {
        MUST(a_start < a_end && a_end <= c.points.size());
        MUST(b_start < b_end && b_end <= c.other.size() && b_start >= before);
        MUST(length >= c.min_words);
        before = b_start;
    }
    const std::vector<ModelWord> others = model_words(c.other, c.kind, c.html);
    if (words.size() * others.size() > MANY) return;
    MUST(found.passages == plain(model_passages(words, others, c.min_words)));
}

// --- Hashes of bytes ---------------------------------------------------------------------------

void check_hashes(const uint8_t* data, size_t size) {
    const std::vector<uint8_t> bytes(data, data + size);  // just as much memory as there are bytes
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
    const Outcome found = agreed_outcome(c);
    const std::vector<ModelWord> words = model_words(c.points, c.kind, c.html);
    std::vector<ModelWord> kept = words;
    cut(kept, c.plan.max_chars);
    check_folded(found, words, c);
    check_sketch(found.sketch, words, kept, c);
    check_features(found, kept, c);
    check_passages(found, words, c);
    return 0;
}
