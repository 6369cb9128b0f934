// Python bindings of the set similarity join.
#include <nanobind/stl/string.h>

#include <algorithm>
#include <string>

#include "binding.hpp"
#include "joins.hpp"
#include "threads.hpp"

using namespace nanobind::literals;

namespace nearcopy {

namespace {

void check_bound(double min_overlap) {
    if (!(min_overlap > 0 && min_overlap <= 1))
        throw nb::value_error(("min_overlap: expected a share above 0, at most 1, found " +
                               std::to_string(min_overlap))
                                  .c_str());
}

void check_sets(const SetRows& sets, size_t values) {
    if (!std::is_sorted(sets.starts, sets.starts + sets.count + 1) ||
        sets.starts[sets.count] > values)
        throw nb::value_error("starts must ascend and end within values");
    if (sets.count >= Groups::kNone) throw nb::value_error("too many sets: join fewer at a time");
    for (size_t i = 0; i < sets.count; ++i) {
        const uint64_t *begin = sets.begin(i), *end = begin + sets.size(i);
        if (sets.size(i) >= Groups::kNone ||
            std::adjacent_find(begin, end, [](uint64_t a, uint64_t b) { return a >= b; }) != end)
            throw nb::value_error(
                ("set " + std::to_string(i) + " must be ascending, without repeats").c_str());
    }
}

void make_join(SetJoin* self, Values<uint64_t> starts, Values<uint64_t> values,
               double min_overlap) {
    check_bound(min_overlap);
    // A copy, so that no thread can change it between the check and its use without the GIL. Values
    // that change meanwhile give a wrong join, but no access out of bounds.
    const std::vector<uint64_t> edges = starts.size() ? copied(starts) : std::vector<uint64_t>{0};
    const SetRows sets{values.data(), edges.data(), edges.size() - 1};
    nb::gil_scoped_release release;
    check_sets(sets, values.size());
    new (self) SetJoin(sets, min_overlap);
}

nb::tuple find_pairs(const SetJoin& self, uint64_t first, uint64_t most, int64_t threads) {
    const unsigned workers = thread_count(threads);
    SetJoin::PairBatch batch;
    {
        nb::gil_scoped_release release;
        batch = self.find(first, most, workers);
    }
    const size_t count = batch.shared.size();
    return nb::make_tuple(batch.next, owned(std::move(batch.pairs), {count, 2}),
                          owned(std::move(batch.shared), {count}));
}

}  // namespace

void bind_joins(nb::module_& m) {
    nb::class_<SetJoin>(m, "SetJoin")
        .def("__init__", make_join, "starts"_a, "values"_a, "min_overlap"_a)
        .def("__len__", &SetJoin::size)
        .def_prop_ro("nbytes", &SetJoin::nbytes)
        .def("find", find_pairs, "first"_a, "most"_a, "threads"_a);
}

}  // namespace nearcopy
