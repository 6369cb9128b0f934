// Python bindings of numerals, technical details and the distances of stored sketches.
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstring>
#include <tuple>

#include "binding.hpp"
#include "distances.hpp"
#include "numerals.hpp"
#include "scans.hpp"
#include "technical.hpp"
#include "threads.hpp"

using namespace nanobind::literals;

namespace nearcopy {

namespace {

void set_numbers(const std::vector<std::tuple<std::string, std::string, bool>>& words) {
    std::vector<NumberWord> entries;
    for (const auto& [word, value, capital] : words) entries.push_back({word, value, capital});
    table_history<NumberTable>().emplace_front(std::move(entries));
}

nb::list numerals(const nb::object& list, const nb::iterable& html, int64_t threads) {
    const unsigned workers = thread_count(threads);
    Texts texts(list, html_marks(html));
    const Tables& known = tables();
    const NumberTable& numbers = table<NumberTable>("set_numbers");
    std::vector<Numerals> profiles(texts.size());
    {
        nb::gil_scoped_release release;
        on_threads(
            texts.size(), workers, [&] { return NumeralReader(known, numbers); },
            [&](NumeralReader& reader, size_t i) { profiles[i] = reader.read(texts.views()[i]); });
    }
    nb::list out;
    for (const Numerals& profile : profiles)
        out.append(nb::bytes(reinterpret_cast<const char*>(profile.entries), profile.count * 4));
    return out;
}

struct DetailReader {
    PlainText plain;
    Characters characters;
};

nb::object details(const nb::object& list, const nb::iterable& html, int64_t threads) {
    const unsigned workers = thread_count(threads);
    Texts texts(list, html_marks(html));
    const Entities& entities = tables().entities;
    Fresh<uint8_t> out({texts.size()});
    {
        nb::gil_scoped_release release;
        on_threads(
            texts.size(), workers, [] { return DetailReader(); },
            [&](DetailReader& worker, size_t i) {
                const TextView text = worker.plain.of(texts.views()[i], entities);
                out.data[i] = technical_details(text, worker.characters.read(text));
            });
    }
    return out.array;
}

// The bytes of a list, kept alive while the GIL is released.
class Blobs {
public:
    Blobs(const nb::object& list, const char* name) {
        if (PyUnicode_Check(list.ptr()) || PyBytes_Check(list.ptr()))
            throw nb::type_error((std::string(name) + " must be a list of bytes").c_str());
        held_ = nb::steal<nb::tuple>(PySequence_Tuple(list.ptr()));
        if (!held_.is_valid()) throw nb::python_error();
        for (size_t i = 0; i < size(); ++i)
            if (!PyBytes_Check(item(i)))
                throw nb::type_error((std::string(name) + "[" + std::to_string(i) +
                                      "] must be bytes, got " + Py_TYPE(item(i))->tp_name)
                                         .c_str());
    }

    size_t size() const { return size_t(PyTuple_GET_SIZE(held_.ptr())); }
    size_t length(size_t i) const { return size_t(PyBytes_GET_SIZE(item(i))); }
    const uint8_t* data(size_t i) const {
        return reinterpret_cast<const uint8_t*>(PyBytes_AS_STRING(item(i)));
    }

private:
    PyObject* item(size_t i) const { return PyTuple_GET_ITEM(held_.ptr(), Py_ssize_t(i)); }

    nb::tuple held_;
};

void check_profiles(const Blobs& profiles) {
    for (size_t i = 0; i < profiles.size(); ++i)
        if (profiles.length(i) % 4 != 0 || profiles.length(i) > kMostNumerals * 4)
            throw nb::value_error(("a numeral profile of " + std::to_string(profiles.length(i)) +
                                   " bytes: expected four a numeral, at most 128")
                                      .c_str());
}

nb::tuple numeral_shares(const nb::object& a, const nb::object& b) {
    const Blobs left(a, "a"), right(b, "b");
    const size_t count = left.size();
    if (count != right.size())
        throw nb::value_error((std::to_string(count) + " and " + std::to_string(right.size()) +
                               " profiles: expected as many")
                                  .c_str());
    check_profiles(left);
    check_profiles(right);
    Fresh<double> shares({count});
    Fresh<uint8_t> changed({count});
    {
        nb::gil_scoped_release release;
        for (size_t i = 0; i < count; ++i) {
            const NumeralShare result =
                numeral_share(left.data(i), left.length(i) / 4, right.data(i), right.length(i) / 4);
            shares.data[i] = result.share;
            changed.data[i] = result.changed;
        }
    }
    return nb::make_tuple(shares.array, changed.array);
}

void check_minhashes(const Blobs& a, const Blobs& b) {
    for (size_t i = 0; i < a.size(); ++i)
        if (a.length(i) != b.length(i) || a.length(i) % 4 != 0 || a.length(i) > 4096)
            throw nb::value_error(("MinHashes of " + std::to_string(a.length(i)) + " and " +
                                   std::to_string(b.length(i)) +
                                   " bytes: expected as many, four a slot, at most 4096")
                                      .c_str());
}

// The number of equal slots. Bytes objects may be unaligned, so slots are copied first.
uint16_t equal_slots(const uint8_t* a, const uint8_t* b, size_t bytes) {
    alignas(64) uint32_t left[1024], right[1024];
    std::memcpy(left, a, bytes);
    std::memcpy(right, b, bytes);
    return uint16_t(scans().equal_lanes(left, right, bytes / 4));
}

nb::tuple sketch_distances(Values<uint64_t> simhash_a, Values<uint64_t> simhash_b,
                           const nb::object& minhash_a, const nb::object& minhash_b) {
    const Blobs left(minhash_a, "minhash_a"), right(minhash_b, "minhash_b");
    const size_t count = simhash_a.size();
    if (simhash_b.size() != count || left.size() != count || right.size() != count)
        throw nb::value_error((std::to_string(count) + " and " + std::to_string(simhash_b.size()) +
                               " SimHashes, " + std::to_string(left.size()) + " and " +
                               std::to_string(right.size()) +
                               " MinHashes: expected the same number of each")
                                  .c_str());
    check_minhashes(left, right);
    Fresh<uint8_t> bits({count});
    Fresh<uint16_t> equal({count});
    {
        nb::gil_scoped_release release;
        for (size_t i = 0; i < count; ++i) {
            bits.data[i] = uint8_t(popcount64(simhash_a.data()[i] ^ simhash_b.data()[i]));
            equal.data[i] = equal_slots(left.data(i), right.data(i), left.length(i));
        }
    }
    return nb::make_tuple(bits.array, equal.array);
}

}  // namespace

void bind_numerals(nb::module_& m) {
    m.def("set_numbers", set_numbers);
    m.def("numerals", numerals, "texts"_a.none(), "html"_a = nb::tuple(), "threads"_a = 1);
    m.def("technical_details", details, "texts"_a.none(), "html"_a = nb::tuple(), "threads"_a = 1);
    m.def("numeral_shares", numeral_shares, "a"_a.none(), "b"_a.none());
    m.def("sketch_distances", sketch_distances, "simhash_a"_a, "simhash_b"_a, "minhash_a"_a.none(),
          "minhash_b"_a.none());
}

}  // namespace nearcopy
