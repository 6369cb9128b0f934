// Python bindings of the reader that computes sketches and profiles of a text in a single pass.
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>

#include "binding.hpp"
#include "numerals.hpp"
#include "profiles.hpp"
#include "sketch.hpp"
#include "technical.hpp"
#include "threads.hpp"

using namespace nanobind::literals;

namespace nearcopy {

namespace {

struct Reading {
    uint64_t simhash;
    uint32_t minhash[kSlots];
    uint8_t digest[16];
    uint32_t words;
    Numerals numerals;
    Profile profile;
    uint8_t details;
};

// A reader per thread: HTML is stripped, characters classified and words folded only once.
class Reader {
public:
    Reader(const Tables& tables, const NumberTable& numbers, const TermWeights& weights,
           const Plan& plan)
        : tables_(tables),
          plan_(plan),
          sketcher_(tables, plan, plan.hash == Hash::MURMUR3 ? kPrefix : 0),
          numerals_(tables, numbers),
          profiler_(tables, weights),
          murmur_(tables, kPrefix) {}

    // Texts of fewer than `short_words` words have the short title.
    void read(const TextView& title, const TextView& short_title, size_t short_words,
              const TextView& source, Reading& out) {
        const TextView text = plain_.of(source, tables_.entities);
        const CharacterBits* bits = characters_.read(text);
        std::vector<Lines>& lines = lines_.of(text, bits);
        const Words& words = hashed(text, sketcher_.fold(text, lines), lines);
        profiler_.profile(words.count() < short_words ? short_title : title, words, lines,
                          out.profile);
        if (words.count() > 0) {
            out.numerals = numerals_.read(text, bits, words);
            out.details = technical_details(text, bits);
        }
        sketcher_.finish({&out.simhash, out.minhash, out.digest, &out.words});
    }

private:
    // The words hashed by MurmurHash3, as numerals and profiles need them, whatever the recipe.
    const Words& hashed(const TextView& text, const Words& folded, std::vector<Lines>& lines) {
        if (plan_.hash == Hash::MURMUR3) return folded;
        murmur_.fold(text, Hash::MURMUR3, lines);
        return murmur_;
    }

    const Tables& tables_;
    const Plan& plan_;
    Sketcher sketcher_;
    NumeralReader numerals_;
    Profiler profiler_;
    Words murmur_;
    Characters characters_;
    PlainText plain_;
    SentenceLines lines_;
};

// Prefetches the start of the next text: it has long left the caches, and loads while the current
// text is read.
void prefetch_text(const TextView& text) {
    constexpr size_t kLine = 64, kMost = 32 * 1024;
    const auto* from = static_cast<const char*>(text.data);
    const size_t size = std::min(text.size * size_t(text.kind), kMost);
    for (size_t at = 0; at < size; at += kLine) __builtin_prefetch(from + at, 0, 2);
}

nb::object none() { return nb::none(); }

template <class T>
nb::bytes as_bytes(const T* data, size_t size) {
    return nb::bytes(reinterpret_cast<const char*>(data), size);
}

// A list per column, so that Python need not unpack the rows.
nb::tuple columns(const std::vector<Reading>& rows, const Plan& plan) {
    nb::list words, digest, simhash, minhash, numerals, profile, details;
    for (const Reading& row : rows) {
        const bool empty = row.words == 0;
        words.append(row.words);
        digest.append(empty ? none() : nb::object(as_bytes(row.digest, 16)));
        simhash.append(empty || plan.simhash.size == 0 ? none()
                                                       : nb::object(nb::int_(row.simhash)));
        minhash.append(empty || plan.minhash.size == 0
                           ? none()
                           : nb::object(as_bytes(row.minhash, sizeof row.minhash)));
        numerals.append(as_bytes(row.numerals.entries, 4 * row.numerals.count));
        profile.append(as_bytes(row.profile.bytes, row.profile.size));
        details.append(row.details);
    }
    return nb::make_tuple(words, digest, simhash, minhash, numerals, profile, details);
}

void check_as_many(const Texts& titles, const Texts& texts) {
    if (titles.size() != texts.size())
        throw nb::value_error((std::to_string(titles.size()) + " titles and " +
                               std::to_string(texts.size()) + " texts: expected as many")
                                  .c_str());
}

nb::tuple readings(const nb::object& titles, const nb::object& list, const std::vector<bool>& html,
                   const Plan& plan, int64_t threads, const nb::object& short_titles,
                   size_t short_words) {
    const unsigned workers = thread_count(threads);
    const Texts names(titles, {}), short_names(short_titles, {}), texts(list, html);
    check_as_many(names, texts);
    check_as_many(short_names, texts);
    const Tables& known = tables();
    const NumberTable& numbers = table<NumberTable>("set_numbers");
    const TermWeights& weights = table<TermWeights>("set_term_weights");
    std::vector<Reading> rows(texts.size());
    {
        nb::gil_scoped_release release;
        on_threads(
            texts.size(), workers,
            [&] { return std::make_unique<Reader>(known, numbers, weights, plan); },
            [&](std::unique_ptr<Reader>& worker, size_t i) {
                if (i + 1 < texts.size()) prefetch_text(texts.views()[i + 1]);
                worker->read(names.views()[i], short_names.views()[i], short_words,
                             texts.views()[i], rows[i]);
            });
    }
    return columns(rows, plan);
}

}  // namespace

void bind_readings(nb::module_& m) {
    m.def("readings", readings, "titles"_a.none(), "texts"_a.none(), "html"_a, "plan"_a,
          "threads"_a, "short_titles"_a.none(), "short_words"_a);
}

}  // namespace nearcopy
