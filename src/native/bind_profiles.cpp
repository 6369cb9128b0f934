// Python bindings of the term profiles.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstring>
#include <memory>

#include "binding.hpp"
#include "profiles.hpp"
#include "threads.hpp"

using namespace nanobind::literals;

namespace nearcopy {

namespace {

const TermWeights& weights() { return table<TermWeights>("set_term_weights"); }

void set_term_weights(const nb::dict& known, const nb::object& unknown) {
    std::vector<std::pair<uint32_t, uint32_t>> entries;
    for (auto [term, weight] : known) {
        Py_ssize_t size = 0;
        const char* name = PyUnicode_Check(term.ptr()) ? PyUnicode_AsUTF8AndSize(term.ptr(), &size)
                                                       : throw nb::type_error("a term must be str");
        if (name == nullptr) throw nb::python_error();
        entries.emplace_back(profile_hash(reinterpret_cast<const uint8_t*>(name), size_t(size)),
                             checked_weight(weight));
    }
    table_history<TermWeights>().emplace_front(entries, checked_weight(unknown));
}

const char* chars(const uint8_t* bytes) { return reinterpret_cast<const char*>(bytes); }

nb::list profiles(const nb::object& titles, const nb::object& list, const nb::iterable& html,
                  int64_t threads) {
    const unsigned workers = thread_count(threads);
    Texts names(titles, {}), texts(list, html_marks(html));
    if (names.size() != texts.size())
        throw nb::value_error((std::to_string(names.size()) + " titles and " +
                               std::to_string(texts.size()) + " texts: expected as many")
                                  .c_str());
    const Tables& known = tables();
    const TermWeights& rarities = weights();
    std::vector<Profile> rows(texts.size());
    {
        nb::gil_scoped_release release;
        on_threads(
            texts.size(), workers, [&] { return std::make_unique<Profiler>(known, rarities); },
            [&](std::unique_ptr<Profiler>& worker, size_t i) {
                worker->profile(names.views()[i], texts.views()[i], rows[i]);
            });
    }
    nb::list out;
    for (const Profile& profile : rows) out.append(nb::bytes(chars(profile.bytes), profile.size));
    return out;
}

const uint8_t* data_of(const nb::bytes& bytes) { return static_cast<const uint8_t*>(bytes.data()); }

void check_sizes(const std::vector<nb::bytes>& profiles) {
    for (const nb::bytes& profile : profiles)
        if (!is_profile_size(profile.size()))
            throw nb::value_error(("a term profile of " + std::to_string(profile.size()) +
                                   " bytes: expected five a term, at most 640")
                                      .c_str());
}

// Term weights by hash, from document frequencies of the caller's own corpus.
void make_weights(TermWeights* self, const std::vector<uint32_t>& hashes,
                  const std::vector<uint32_t>& term_weights) {
    if (hashes.size() != term_weights.size())
        throw nb::value_error("expected as many weights as hashes of terms");
    std::vector<std::pair<uint32_t, uint32_t>> known;
    for (size_t i = 0; i < hashes.size(); ++i) {
        if (term_weights[i] == 0 || term_weights[i] > 0xFFFF)
            throw nb::value_error("the weight of a term must lie between 1 and 65535");
        known.emplace_back(hashes[i], term_weights[i]);
    }
    new (self) TermWeights(known, weights().unknown());
}

nb::object measures(const std::vector<nb::bytes>& a, const std::vector<nb::bytes>& b,
                    const TermWeights* custom_weights) {
    if (a.size() != b.size())
        throw nb::value_error((std::to_string(a.size()) + " and " + std::to_string(b.size()) +
                               " profiles: expected as many")
                                  .c_str());
    check_sizes(a);
    check_sizes(b);
    const TermWeights& rarities = custom_weights == nullptr ? weights() : *custom_weights;
    Fresh<double> out({a.size(), 4});
    bool ascend = true;
    {
        nb::gil_scoped_release release;
        for (size_t i = 0; i < a.size(); ++i) {
            const ProfileMeasures pair_measures =
                profile_measures(rarities, data_of(a[i]), a[i].size(), data_of(b[i]), b[i].size());
            std::memcpy(out.data + 4 * i, &pair_measures, sizeof pair_measures);
            ascend &= !(pair_measures.cosine < 0);
        }
    }
    if (!ascend) throw nb::value_error("a term profile whose hashes do not ascend");
    return out.array;
}

nb::tuple keys_of(const std::vector<nb::bytes>& profiles, size_t most, uint32_t rare,
                  uint32_t least) {
    check_sizes(profiles);
    const TermWeights& rarities = weights();
    std::vector<uint64_t> starts{0}, keys;
    {
        nb::gil_scoped_release release;
        for (const nb::bytes& profile : profiles) {
            term_keys(rarities, data_of(profile), profile.size(), most, rare, least, keys);
            starts.push_back(keys.size());
        }
    }
    const size_t rows = starts.size(), key_count = keys.size();
    return nb::make_tuple(owned(std::move(starts), {rows}), owned(std::move(keys), {key_count}));
}

nb::object term_rarities(const Values<uint32_t>& hashes) {
    const TermWeights& rarities = weights();
    Fresh<uint32_t> out({hashes.size()});
    for (size_t i = 0; i < hashes.size(); ++i) out.data[i] = rarities.of(hashes.data()[i]);
    return out.array;
}

}  // namespace

void bind_profiles(nb::module_& m) {
    nb::class_<TermWeights>(m, "TermWeights")
        .def("__init__", make_weights, "hashes"_a, "weights"_a);
    m.def("set_term_weights", set_term_weights);
    m.def("profiles", profiles, "titles"_a.none(), "texts"_a.none(), "html"_a = nb::tuple(),
          "threads"_a = 1);
    m.def("term_keys", keys_of, "profiles"_a, "most"_a, "rare"_a, "least"_a);
    m.def("profile_measures", measures, "a"_a, "b"_a, "weights"_a.none() = nb::none());
    m.def("term_rarities", term_rarities, "hashes"_a);
}

}  // namespace nearcopy
