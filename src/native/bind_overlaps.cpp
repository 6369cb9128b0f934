// Python bindings of exact overlaps of pairs of texts, and of connected components.
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <string>

#include "binding.hpp"
#include "components.hpp"
#include "distinct.hpp"
#include "sketch.hpp"
#include "threads.hpp"

using namespace nanobind::literals;

namespace nearcopy {

namespace {

using Sets = std::vector<std::vector<uint64_t>>;

struct SetMaker {
    Sketcher sketcher;
    DistinctTable table;

    // The distinct features of a text, in order of first occurrence.
    void make(const TextView& text, const Features& wanted, std::vector<uint64_t>& out) {
        size_t count = 0;
        const uint64_t* features = sketcher.features(text, wanted, count);
        table.begin(count);
        out.reserve(count);
        for (size_t i = 0; i < count; ++i)
            if (table.insert(features[i])) out.push_back(features[i]);
    }
};

struct Counter {
    DistinctTable table;
    uint64_t filled = UINT64_MAX;  // index of the set in the table

    // The size of the intersection; fastest where consecutive pairs have the same first set.
    uint32_t shared(const Sets& sets, uint64_t a, uint64_t b) {
        if (filled != a) {
            table.begin(sets[a].size());
            for (uint64_t feature : sets[a]) table.insert(feature);
            filled = a;
        }
        uint32_t shared_count = 0;
        for (uint64_t feature : sets[b]) shared_count += table.holds(feature);
        return shared_count;
    }
};

nb::tuple pair_overlaps(const nb::object& list, const std::vector<bool>& html, const Plan& plan,
                        const Features& wanted,
                        nb::ndarray<const uint64_t, nb::shape<-1, 2>, nb::c_contig> pairs,
                        int64_t threads) {
    const unsigned workers = thread_count(threads);
    Texts texts(list, html);
    const Tables& known = tables();
    const size_t count = pairs.shape(0);
    // A copy, so that no thread can change it between the check and its use without the GIL.
    const std::vector<uint64_t> indices(pairs.data(), pairs.data() + 2 * count);
    for (uint64_t index : indices)
        if (index >= texts.size())
            throw nb::value_error(("pairs name text " + std::to_string(index) + ", there are " +
                                   std::to_string(texts.size()))
                                      .c_str());
    Fresh<uint32_t> sizes({texts.size()}), out({count});
    {
        nb::gil_scoped_release release;
        Sets sets(texts.size());
        on_threads(
            texts.size(), workers, [&] { return SetMaker{Sketcher(known, plan), {}}; },
            [&](SetMaker& worker, size_t i) {
                worker.make(texts.views()[i], wanted, sets[i]);
                sizes.data[i] = uint32_t(sets[i].size());
            });
        on_threads(
            count, workers, [] { return Counter{}; },
            [&](Counter& worker, size_t i) {
                out.data[i] = worker.shared(sets, indices[2 * i], indices[2 * i + 1]);
            });
    }
    return nb::make_tuple(sizes.array, out.array);
}

nb::object components(uint64_t count,
                      nb::ndarray<const uint32_t, nb::shape<-1, 2>, nb::c_contig> pairs) {
    if (count > UINT32_MAX) throw nb::value_error("too many to join: at most 2^32 - 1");
    std::vector<uint32_t> labels;
    const size_t ends = 2 * pairs.shape(0);
    const uint32_t* indices = pairs.data();
    for (size_t i = 0; i < ends; ++i)
        if (indices[i] >= count)
            throw nb::value_error(("pairs name " + std::to_string(indices[i]) + ", there are " +
                                   std::to_string(count))
                                      .c_str());
    Components forest(count);
    for (size_t i = 0; i < ends; i += 2) forest.join(indices[i], indices[i + 1]);
    labels = forest.labels();
    return owned(std::move(labels), {size_t(count)});
}

}  // namespace

void bind_overlaps(nb::module_& m) {
    m.def("pair_overlaps", pair_overlaps, "texts"_a.none(), "html"_a, "plan"_a, "features"_a,
          "pairs"_a, "threads"_a = 1);
    m.def("components", components, "count"_a, "pairs"_a);
}

}  // namespace nearcopy
