// The indexes as Python classes: arrays checked at the edge, work done without the GIL.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <limits>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <tuple>

#include "hamming_index.hpp"
#include "key_index.hpp"
#include "signature_index.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace nearcopy {
namespace {

// ---------------------------------------------------------------------------------------------
// Arrays in

using AnyArray = nb::ndarray<nb::ro>;

template <class T>
struct Array {
    AnyArray owner;
    const T* data;
    size_t rows;
    size_t columns;  // 1 for a flat array
};

[[noreturn]] void refuse_type(const std::string& message) { throw nb::type_error(message.c_str()); }
[[noreturn]] void refuse_value(const std::string& message) {
    throw nb::value_error(message.c_str());
}

std::string kind_of(nb::handle value) { return nb::inst_name(value).c_str(); }

std::string described(nb::handle array) {
    return std::string(nb::str(nb::object(array.attr("dtype"))).c_str()) + " of shape " +
           nb::str(nb::object(array.attr("shape"))).c_str();
}

bool is_c_contiguous(const AnyArray& array) {
    int64_t expected = 1;
    if (array.size() == 0) return true;
    for (size_t axis = array.ndim(); axis-- > 0;) {
        if (array.shape(axis) > 1 && array.stride(axis) != expected) return false;
        expected *= static_cast<int64_t>(array.shape(axis));
    }
    return true;
}

// A C-contiguous numpy array of T with `axes` axes, or an error that says how to make one.
template <class T>
Array<T> checked(nb::handle value, const char* name, const char* dtype, size_t axes) {
    const std::string remedy =
        std::string(": pass np.ascontiguousarray(") + name + ", dtype=np." + dtype + ")";
    const std::string wanted = std::string(name) + ": expected a C-contiguous " + dtype +
                               " array with " + std::to_string(axes) +
                               (axes == 1 ? " axis" : " axes") + ", found ";
    AnyArray array;
    if (!nb::hasattr(value, "dtype") || !nb::hasattr(value, "shape") ||
        !nb::try_cast<AnyArray>(value, array))
        refuse_type(wanted + kind_of(value) + remedy);
    if (array.dtype() != nb::dtype<T>()) refuse_type(wanted + described(value) + remedy);
    if (array.ndim() != axes) refuse_value(wanted + described(value) + ": reshape it");
    if (!is_c_contiguous(array)) refuse_value(wanted + "strides" + remedy);
    return {array, static_cast<const T*>(array.data()), array.shape(0),
            axes == 2 ? array.shape(1) : 1};
}

Array<uint32_t> checked_signatures(nb::handle value) {
    Array<uint32_t> signatures = checked<uint32_t>(value, "signatures", "uint32", 2);
    if (signatures.columns != kSlots)
        refuse_value("signatures: expected 128 lanes a row, found " +
                     std::to_string(signatures.columns) + ": make them with 128 slots");
    return signatures;
}

void check_bands(int64_t bands, int64_t rows) {
    if (bands < 1 || rows < 1 || bands > static_cast<int64_t>(kSlots) / rows)
        refuse_value("expected bands >= 1, rows >= 1 and bands * rows <= 128, found " +
                     std::to_string(bands) + " bands of " + std::to_string(rows) +
                     " rows: lower one of them");
}

Array<int64_t> checked_times(nb::handle value, size_t articles) {
    Array<int64_t> times = checked<int64_t>(value, "times", "int64", 1);
    if (times.rows != articles)
        refuse_value("times: expected one for each of " + std::to_string(articles) +
                     " articles, found " + std::to_string(times.rows) + ": pass as many as rows");
    for (size_t i = 0; i < times.rows; ++i)
        if (times.data[i] == Lifetimes::kDead)
            refuse_value("times: expected seconds above -2**63, found -2**63 (NaT) at " +
                         std::to_string(i) + ": give that article a time");
    return times;
}

// A copy, so that no one can change it between the check and its use without the GIL.
std::vector<uint64_t> checked_starts(nb::handle value, size_t keys) {
    const Array<uint64_t> given = checked<uint64_t>(value, "starts", "uint64", 1);
    std::vector<uint64_t> starts(given.data, given.data + given.rows);
    if (starts.empty() || starts.front() != 0 || starts.back() != keys ||
        !std::is_sorted(starts.begin(), starts.end()))
        refuse_value("starts: expected n + 1 offsets rising from 0 to the number of keys, " +
                     std::to_string(keys) + ", found others: pass np.concatenate(([0], " +
                     "np.cumsum(lengths))).astype(np.uint64)");
    return starts;
}

KeyRows rows_of(const Array<uint64_t>& keys) { return {keys.data, keys.rows, keys.columns}; }

KeyRows rows_of(const Array<uint64_t>& keys, const std::vector<uint64_t>& starts) {
    return {keys.data, starts.size() - 1, 0, starts.data()};
}

// ---------------------------------------------------------------------------------------------
// Arrays out

template <class T>
using Vector = nb::ndarray<nb::numpy, T, nb::ndim<1>>;

template <class T>
Vector<T> to_numpy(std::vector<T>&& values) {
    auto* kept = new std::vector<T>(std::move(values));
    nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return Vector<T>(kept->data(), {kept->size()}, owner);
}

template <class Score>
auto scored(Found<Score>&& found) {
    return std::make_tuple(to_numpy(std::move(found.starts)), to_numpy(std::move(found.positions)),
                           to_numpy(std::move(found.scores)));
}

auto unscored(Found<uint8_t>&& found) {
    return std::make_tuple(to_numpy(std::move(found.starts)), to_numpy(std::move(found.positions)));
}

// ---------------------------------------------------------------------------------------------
// An index with its lock: many readers or one writer, all without the GIL

template <class Index>
class Shared {
public:
    template <class... Args>
    explicit Shared(Args... args) : index_(args...) {}

    template <class Work>
    auto read(Work work) const {
        nb::gil_scoped_release unlocked;
        std::shared_lock<std::shared_mutex> lock(mutex_, std::defer_lock);
        {
            std::lock_guard<std::mutex> turn(turn_);
            lock.lock();
        }
        return work(index_);
    }

    template <class Work>
    auto write(Work work) {
        nb::gil_scoped_release unlocked;
        std::unique_lock<std::shared_mutex> lock(mutex_, std::defer_lock);
        {
            std::lock_guard<std::mutex> turn(turn_);
            lock.lock();
        }
        return work(index_);
    }

private:
    Index index_;
    mutable std::shared_mutex mutex_;
    mutable std::mutex turn_;  // who waits holds up those who come later: no writer starves
};

template <class Index>
size_t length(const Shared<Index>& shared) {
    return shared.read([](const Index& index) { return index.size(); });
}

template <class Index>
size_t nbytes(const Shared<Index>& shared) {
    return shared.read([](const Index& index) { return index.nbytes(); });
}

// ---------------------------------------------------------------------------------------------
// The classes

using SharedHamming = Shared<HammingIndex>;
using SharedKeys = Shared<KeyIndex>;
using SharedSignatures = Shared<SignatureIndex>;

void bind_hamming(nb::module_& m) {
    nb::class_<SharedHamming>(
        m, "HammingIndex",
        "All 64-bit fingerprints within `distance` bits of a query, none missed.")
        .def(
            "__init__",
            [](SharedHamming* self, int64_t distance) {
                if (distance < 0 || distance > HammingIndex::kMaxDistance)
                    refuse_value("distance: expected 0 to 15 bits, found " +
                                 std::to_string(distance) + ": lower it");
                new (self) SharedHamming(static_cast<unsigned>(distance));
            },
            "distance"_a)
        .def("__len__", &length<HammingIndex>)
        .def_prop_ro("nbytes", &nbytes<HammingIndex>, "All memory held, in bytes.")
        .def(
            "insert",
            [](SharedHamming& self, nb::handle fingerprints) {
                const auto f = checked<uint64_t>(fingerprints, "fingerprints", "uint64", 1);
                self.write([&](HammingIndex& index) { index.insert(f.data, f.rows); });
            },
            "fingerprints"_a, "File fingerprints at the next positions.")
        .def(
            "find",
            [](const SharedHamming& self, nb::handle fingerprints, int64_t threads) {
                const auto f = checked<uint64_t>(fingerprints, "fingerprints", "uint64", 1);
                const unsigned t = thread_count(threads);
                return scored(self.read(
                    [&](const HammingIndex& index) { return index.find(f.data, f.rows, t); }));
            },
            "fingerprints"_a, "threads"_a = 1,
            "(starts, positions, distances): query i's matches, nearest first, then oldest.");
}

auto find_rows(const SharedKeys& self, const KeyRows& rows, int64_t threads) {
    const unsigned t = thread_count(threads);
    return unscored(self.read([&](const KeyIndex& index) { return index.find(rows, t); }));
}

uint32_t insert_rows(SharedKeys& self, const KeyRows& rows, nb::handle times) {
    const auto checked = checked_times(times, rows.n);
    return self.write([&](KeyIndex& index) { return index.insert(rows, checked.data); });
}

void remove_positions(SharedKeys& self, nb::handle positions) {
    const auto p = checked<uint32_t>(positions, "positions", "uint32", 1);
    const std::optional<size_t> beyond = self.write([&](KeyIndex& index) -> std::optional<size_t> {
        for (size_t i = 0; i < p.rows; ++i)
            if (p.data[i] >= index.positions()) return i;
        index.remove(p.data, p.rows);
        return std::nullopt;
    });
    if (beyond)
        throw nb::index_error(("positions: expected positions that insert has given, found " +
                               std::to_string(p.data[*beyond]) + ": nothing was removed")
                                  .c_str());
}

Vector<uint32_t> counts(const SharedKeys& self, nb::handle keys, uint32_t most) {
    const auto k = checked<uint64_t>(keys, "keys", "uint64", 1);
    return to_numpy(
        self.read([&](const KeyIndex& index) { return index.counts(k.data, k.rows, most); }));
}

auto weigh(const SharedKeys& self, nb::handle keys, nb::handle starts, nb::handle worth,
           nb::handle most, uint64_t least, int64_t threads) {
    const auto k = checked<uint64_t>(keys, "keys", "uint64", 1);
    const auto s = checked_starts(starts, k.rows);
    const auto w = checked<uint64_t>(worth, "worth", "uint64", 1);
    const auto m = checked<uint32_t>(most, "most", "uint32", 1);
    for (const auto& [name, given] : {std::pair{"worth", w.rows}, std::pair{"most", m.rows}})
        if (given != k.rows)
            refuse_value(std::string(name) + ": expected one for each of " +
                         std::to_string(k.rows) + " keys, found " + std::to_string(given) +
                         ": pass as many as keys");
    const unsigned t = thread_count(threads);
    return scored(self.read([&](const KeyIndex& index) {
        return index.weigh(rows_of(k, s), w.data, m.data, least, t);
    }));
}

void bind_keys(nb::module_& m) {
    nb::class_<SharedKeys>(
        m, "KeyIndex",
        "Articles filed under 64-bit keys: never misses one, and with a chance of about 2^-44 for\n"
        "each pair of keys takes two for the same, so look at what it finds.")
        .def(nb::init<>())
        .def("__len__", &length<KeyIndex>)
        .def_prop_ro("nbytes", &nbytes<KeyIndex>, "All memory held, in bytes.")
        .def(
            "insert",
            [](SharedKeys& self, nb::handle keys, nb::handle times) {
                const auto k = checked<uint64_t>(keys, "keys", "uint64", 2);
                return insert_rows(self, rows_of(k), times);
            },
            "keys"_a, "times"_a, "File one article a row of keys; the position of the first.")
        .def(
            "insert_ragged",
            [](SharedKeys& self, nb::handle keys, nb::handle starts, nb::handle times) {
                const auto k = checked<uint64_t>(keys, "keys", "uint64", 1);
                const auto s = checked_starts(starts, k.rows);
                return insert_rows(self, rows_of(k, s), times);
            },
            "keys"_a, "starts"_a, "times"_a,
            "File article i under keys[starts[i]:starts[i + 1]]; the position of the first.")
        .def(
            "find",
            [](const SharedKeys& self, nb::handle keys, int64_t threads) {
                const auto k = checked<uint64_t>(keys, "keys", "uint64", 2);
                return find_rows(self, rows_of(k), threads);
            },
            "keys"_a, "threads"_a = 1,
            "(starts, positions): the live articles that share a key with row i, ascending.")
        .def(
            "find_ragged",
            [](const SharedKeys& self, nb::handle keys, nb::handle starts, int64_t threads) {
                const auto k = checked<uint64_t>(keys, "keys", "uint64", 1);
                const auto s = checked_starts(starts, k.rows);
                return find_rows(self, rows_of(k, s), threads);
            },
            "keys"_a, "starts"_a, "threads"_a = 1,
            "(starts, positions) as find, row i being keys[starts[i]:starts[i + 1]].")
        .def("weigh", &weigh, "keys"_a, "starts"_a, "worth"_a, "most"_a, "least"_a,
             "threads"_a = 1,
             "(starts, positions, worths): the live articles that share keys with row i worth at\n"
             "least so much together, ascending; a key that more than its `most` have counts not.")
        .def("remove", &remove_positions, "positions"_a,
             "Forget articles; one that is gone already is no error.")
        .def(
            "expire",
            [](SharedKeys& self, int64_t before) {
                return self.write([&](KeyIndex& index) { return index.expire(before); });
            },
            "before"_a, "Forget the articles with a time under `before`; how many they were.")
        .def("counts", &counts, "keys"_a, "most"_a = std::numeric_limits<uint32_t>::max(),
             "How many live articles are filed under each key, counted up to `most`.");
}

void bind_signatures(nb::module_& m) {
    nb::class_<SharedSignatures>(
        m, "SignatureIndex", "MinHash signatures found through their bands, verified lane by lane.")
        .def(
            "__init__",
            [](SharedSignatures* self, int64_t bands, int64_t rows) {
                check_bands(bands, rows);
                new (self) SharedSignatures(static_cast<size_t>(bands), static_cast<size_t>(rows));
            },
            "bands"_a, "rows"_a)
        .def("__len__", &length<SignatureIndex>)
        .def_prop_ro("nbytes", &nbytes<SignatureIndex>, "All memory held, in bytes.")
        .def(
            "insert",
            [](SharedSignatures& self, nb::handle signatures) {
                const auto s = checked_signatures(signatures);
                return self.write(
                    [&](SignatureIndex& index) { return index.insert(s.data, s.rows); });
            },
            "signatures"_a, "File signatures at the next positions; the first of them.")
        .def(
            "find",
            [](const SharedSignatures& self, nb::handle signatures, double threshold,
               int64_t threads) {
                const auto s = checked_signatures(signatures);
                const unsigned t = thread_count(threads);
                if (!(threshold >= 0 && threshold <= 1))
                    refuse_value("threshold: expected a share 0..1, found " +
                                 std::to_string(threshold) + ": pass 0.5 for one half");
                return scored(self.read([&](const SignatureIndex& index) {
                    return index.find(s.data, s.rows, threshold, t);
                }));
            },
            "signatures"_a, "threshold"_a, "threads"_a = 1,
            "(starts, positions, shares): query i's matches, most alike first, then oldest.");
}

nb::ndarray<nb::numpy, uint64_t, nb::ndim<2>> keys_of_bands(nb::handle signatures, int64_t bands,
                                                            int64_t rows) {
    check_bands(bands, rows);
    const auto s = checked_signatures(signatures);
    auto* keys = new std::vector<uint64_t>(s.rows * static_cast<size_t>(bands));
    nb::capsule owner(keys,
                      [](void* p) noexcept { delete static_cast<std::vector<uint64_t>*>(p); });
    {
        nb::gil_scoped_release unlocked;
        for (size_t i = 0; i < s.rows; ++i)
            band_keys(s.data + i * kSlots, bands, rows, keys->data() + i * bands);
    }
    return {keys->data(), {s.rows, static_cast<size_t>(bands)}, owner};
}

}  // namespace

void bind_indexes(nb::module_& m) {
    bind_hamming(m);
    bind_keys(m);
    bind_signatures(m);
    m.def("band_keys", &keys_of_bands, "signatures"_a, "bands"_a, "rows"_a,
          "The key of each band of each signature.");
}

}  // namespace nearcopy
