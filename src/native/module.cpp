// Python bindings of the kernels: nearcopy.kernels._native.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <string>
#include <utility>

#include "binding.hpp"
#include "hashes.hpp"
#include "lanes.hpp"
#include "overlap.hpp"
#include "scans.hpp"
#include "sketch.hpp"
#include "threads.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace nearcopy {

void bind_addresses(nb::module_& m);
void bind_key_index(nb::module_& m);
void bind_joins(nb::module_& m);
void bind_numerals(nb::module_& m);
void bind_overlaps(nb::module_& m);
void bind_profiles(nb::module_& m);
void bind_title_scan(nb::module_& m);
void bind_readings(nb::module_& m);
void bind_titles(nb::module_& m);

namespace {

void set_tables(Values<uint32_t> pages, Values<uint16_t> index, Values<uint32_t> sequences,
                Values<uint32_t> joins,
                const std::vector<std::pair<std::string, std::vector<uint32_t>>>& entities) {
    Entities::List names;
    for (const auto& [name, points] : entities)
        names.emplace_back(name, std::u32string(points.begin(), points.end()));
    Tables loaded{FoldTable{}, Entities(names)};
    loaded.fold.pages = copied(pages);
    loaded.fold.index = copied(index);
    loaded.fold.sequences = copied(sequences);
    for (size_t i = 0; i + 2 < joins.size(); i += 3)
        loaded.fold.joins.push_back({joins.data()[i], joins.data()[i + 1], joins.data()[i + 2]});
    loaded.fold.pack();
    table_history<Tables>().push_front(std::move(loaded));
}

// --- Functions --------------------------------------------------------------------------------

nb::tuple sketch(const nb::object& list, const std::vector<bool>& html, const Plan& plan,
                 int64_t threads) {
    const unsigned workers = thread_count(threads);
    Texts texts(list, html);
    const Tables& known = tables();
    size_t count = texts.size();
    Fresh<uint64_t> simhash({count});
    Fresh<uint32_t> minhash({count, kSlots});
    Fresh<uint8_t> digest({count, 16});
    Fresh<uint32_t> words({count});
    {
        nb::gil_scoped_release release;
        on_threads(
            count, workers, [&] { return Sketcher(known, plan); },
            [&](Sketcher& worker, size_t i) {
                worker.sketch(texts.views()[i], {simhash.data + i, minhash.data + i * kSlots,
                                                 digest.data + i * 16, words.data + i});
            });
    }
    return nb::make_tuple(simhash.array, minhash.array, digest.array, words.array);
}

nb::object features(const nb::handle& text, bool html, const Plan& plan, const Features& wanted) {
    TextView source = view(text, html);
    Sketcher worker(tables(), plan);
    size_t count = 0;
    const uint64_t* hashes = worker.features(source, wanted, count);
    return owned(std::vector<uint64_t>(hashes, hashes + count), {count});
}

nb::tuple feature_sets(const nb::object& list, const std::vector<bool>& html, const Plan& plan,
                       const Features& wanted, int64_t threads) {
    const unsigned workers = thread_count(threads);
    Texts texts(list, html);
    const Tables& known = tables();
    std::vector<std::vector<uint64_t>> sets(texts.size());
    std::vector<uint64_t> starts(1, 0), values;
    {
        nb::gil_scoped_release release;
        on_threads(
            texts.size(), workers, [&] { return Sketcher(known, plan); },
            [&](Sketcher& worker, size_t i) {
                worker.feature_set(texts.views()[i], wanted, sets[i]);
            });
        size_t total = 0;
        for (const auto& set : sets) starts.push_back(total += set.size());
        values.reserve(total);
        for (auto& set : sets) {
            values.insert(values.end(), set.begin(), set.end());
            std::vector<uint64_t>().swap(set);
        }
    }
    size_t edges = starts.size(), size = values.size();
    return nb::make_tuple(owned(std::move(starts), {edges}), owned(std::move(values), {size}));
}

nb::object shared_counts(Values<uint64_t> starts, Values<uint64_t> values,
                         nb::ndarray<const uint64_t, nb::shape<-1, 2>, nb::c_contig> pairs,
                         int64_t threads) {
    const unsigned workers = thread_count(threads);
    // Copies, so that no thread can change them between the check and their use without the GIL.
    const std::vector<uint64_t> edges = copied(starts);
    const size_t count = pairs.shape(0), sets = edges.empty() ? 0 : edges.size() - 1;
    const std::vector<uint64_t> indices(pairs.data(), pairs.data() + 2 * count);
    if (!std::is_sorted(edges.begin(), edges.end()) || (sets > 0 && edges.back() > values.size()))
        throw nb::value_error("starts must ascend and end within values");
    for (uint64_t set : indices)
        if (set >= sets)
            throw nb::value_error(
                ("pairs name set " + std::to_string(set) + ", there are " + std::to_string(sets))
                    .c_str());
    Fresh<uint32_t> out({count});
    {
        nb::gil_scoped_release release;
        on_threads(
            count, workers, [] { return 0; },
            [&](int, size_t i) {
                const uint64_t a = indices[2 * i], b = indices[2 * i + 1];
                out.data[i] = uint32_t(shared(values.data() + edges[a], edges[a + 1] - edges[a],
                                              values.data() + edges[b], edges[b + 1] - edges[b]));
            });
    }
    return out.array;
}

nb::list word_list(const Words& words) {
    nb::list list;
    const char* text = reinterpret_cast<const char*>(words.text());
    const char* end = text + words.bytes();
    for (size_t i = 0; i < words.count(); ++i) {
        const char* stop = std::find(text, end, ' ');
        list.append(nb::str(text, size_t(stop - text)));
        text = stop + 1;
    }
    return list;
}

nb::list words(const nb::handle& text, bool html) {
    Words folded(tables());
    folded.fold(view(text, html), Hash::MURMUR3);
    return word_list(folded);
}

nb::bytes normalised(const nb::handle& text, bool html) {
    Words folded(tables());
    folded.fold(view(text, html), Hash::MURMUR3);
    return nb::bytes(reinterpret_cast<const char*>(folded.text()), folded.bytes());
}

nb::list normalised_texts(const nb::object& list) {
    const Texts texts(list, {});
    Words folded(tables());
    nb::list rows;
    for (const TextView& text : texts.views()) {
        folded.fold(text, Hash::MURMUR3);
        rows.append(nb::str(reinterpret_cast<const char*>(folded.text()), folded.bytes()));
    }
    return rows;
}

nb::tuple word_spans(const nb::handle& text, bool html) {
    Words folded(tables());
    std::vector<Span> spans;
    folded.fold_spans(view(text, html), Hash::MURMUR3, spans);
    std::vector<uint32_t> starts, ends;
    for (const Span& span : spans) {
        starts.push_back(span.start);
        ends.push_back(span.end);
    }
    size_t count = spans.size();
    return nb::make_tuple(word_list(folded), owned(std::move(starts), {count}),
                          owned(std::move(ends), {count}));
}

nb::object as_str(const std::vector<uint32_t>& points) {
    PyObject* string =
        PyUnicode_FromKindAndData(PyUnicode_4BYTE_KIND, points.data(), Py_ssize_t(points.size()));
    if (string == nullptr) throw nb::python_error();
    return nb::steal<nb::object>(string);
}

std::vector<uint32_t> stripped(const TextView& text, std::vector<Span>* spans) {
    std::vector<uint32_t> out;
    strip_html(text, out, spans, tables().entities);
    return out;
}

nb::tuple strip_positions(const nb::handle& text) {
    std::vector<Span> spans;
    nb::object plain = as_str(stripped(view(text, true), &spans));
    nb::list starts, ends;
    for (const Span& span : spans) {
        starts.append(span.start);
        ends.append(span.end);
    }
    return nb::make_tuple(plain, starts, ends);
}

nb::list shared_passages(const nb::handle& a, const nb::handle& b, bool html_a, bool html_b,
                         int64_t min_words) {
    if (min_words < 1)
        throw nb::value_error(
            ("min_words is " + std::to_string(min_words) + ": a passage has at least one word")
                .c_str());
    TextView left = view(a.ptr(), "a", html_a), right = view(b.ptr(), "b", html_b);
    const Tables& known = tables();
    std::vector<Passage> matches;
    {
        nb::gil_scoped_release release;
        matches = passages(known, left, right, size_t(min_words));
    }
    nb::list out;
    for (const Passage& p : matches)
        out.append(nb::make_tuple(p.a.start, p.a.end, p.b.start, p.b.end, p.words));
    return out;
}

const uint8_t* data_of(const nb::bytes& data) { return static_cast<const uint8_t*>(data.data()); }

nb::bytes as_bytes(const uint8_t* data, size_t size) {
    return nb::bytes(reinterpret_cast<const char*>(data), size);
}

nb::bytes xxh3_128_bytes(const nb::bytes& data) {
    Hash128 hash = xxh3_128(data_of(data), data.size());
    uint8_t out[16];
    for (unsigned i = 0; i < 8; ++i) {
        out[i] = uint8_t(hash.high >> (56 - 8 * i));
        out[8 + i] = uint8_t(hash.low >> (56 - 8 * i));
    }
    return as_bytes(out, 16);
}

nb::bytes murmur3_128_bytes(const nb::bytes& data, uint32_t seed) {
    Hash128 hash = murmur3_128(data_of(data), data.size(), seed);
    uint8_t out[16];
    for (unsigned i = 0; i < 8; ++i) {
        out[i] = uint8_t(hash.low >> (8 * i));
        out[8 + i] = uint8_t(hash.high >> (8 * i));
    }
    return as_bytes(out, 16);
}

void bind_hashes(nb::module_& m) {
    m.def("fnv1a64", [](const nb::bytes& data) { return fnv1a64(data_of(data), data.size()); });
    m.def("fmix64", [](uint64_t value) { return fmix64(value); });
    m.def(
        "murmur3_64",
        [](const nb::bytes& data, uint32_t seed) {
            return murmur3_64(data_of(data), data.size(), seed);
        },
        "data"_a, "seed"_a = 0);
    m.def("murmur3_128", murmur3_128_bytes, "data"_a, "seed"_a = 0);
    m.def("xxh3_64", [](const nb::bytes& data) { return xxh3_64(data_of(data), data.size()); });
    m.def("xxh3_128", xxh3_128_bytes);
    m.def("md5", [](const nb::bytes& data) {
        uint8_t out[16];
        md5(data_of(data), data.size(), out);
        return as_bytes(out, 16);
    });
}

void bind_plan(nb::module_& m) {
    nb::class_<Features>(m, "Features")
        .def("__init__", [](Features* self, bool characters, size_t size) {
            if (characters && size == 0)
                throw nb::value_error("a feature of characters has at least one");
            new (self) Features{characters ? Unit::CHARACTERS : Unit::WORDS, size};
        });
    nb::class_<Plan>(m, "Plan").def(
        "__init__",
        [](Plan* self, int hash, const Features& simhash, const Features& minhash, int weights,
           int scheme, int digest, size_t max_chars, Values<uint64_t> known,
           Values<uint32_t> weight, uint32_t unknown_weight) {
            if (known.size() != weight.size())
                throw nb::value_error("known features and their weights differ in number");
            new (self)
                Plan{Hash(hash),     simhash,   minhash,       Weights(weights), Scheme(scheme),
                     Digest(digest), max_chars, copied(known), copied(weight),   unknown_weight};
        },
        "hash"_a, "simhash"_a, "minhash"_a, "weights"_a, "scheme"_a, "digest"_a, "max_chars"_a,
        "known"_a, "weight"_a, "unknown_weight"_a);
}

}  // namespace
}  // namespace nearcopy

NB_MODULE(_native, m) {
    using namespace nearcopy;
    nb::set_leak_warnings(false);  // what caches hold to the end is no leak
    bind_hashes(m);
    bind_plan(m);
    bind_addresses(m);
    bind_key_index(m);
    bind_joins(m);
    bind_numerals(m);
    bind_overlaps(m);
    bind_profiles(m);
    bind_title_scan(m);
    bind_readings(m);
    bind_titles(m);
    m.def("set_tables", set_tables);
    m.def("words", words, "text"_a.none(), "html"_a = false);
    m.def("normalised", normalised, "text"_a.none(), "html"_a = false);
    m.def("normalised_texts", normalised_texts, "texts"_a.none());
    m.def("word_spans", word_spans, "text"_a.none(), "html"_a = false);
    m.def(
        "strip_html",
        [](const nb::handle& text) { return as_str(stripped(view(text, true), nullptr)); },
        "text"_a.none());
    m.def("strip_html_positions", strip_positions, "text"_a.none());
    m.def("sketch", sketch, "texts"_a.none(), "html"_a, "plan"_a, "threads"_a);
    m.def("features", features, "text"_a.none(), "html"_a, "plan"_a, "features"_a);
    m.def("feature_sets", feature_sets, "texts"_a.none(), "html"_a, "plan"_a, "features"_a,
          "threads"_a);
    m.def("shared_counts", shared_counts, "starts"_a, "values"_a, "pairs"_a, "threads"_a = 1);
    m.def("passages", shared_passages, "a"_a.none(), "b"_a.none(), "html_a"_a, "html_b"_a,
          "min_words"_a);
    m.def("level", [] { return lanes().name; });
    m.def("use_level", [](const std::string& name) {
        std::string used = use_lanes(name.c_str());
        set_scan_level(used == "avx512" ? 2 : used == "avx2" ? 1 : 0);
        return used;
    });
}
