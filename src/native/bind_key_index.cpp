// KeyIndex and band_keys for Python: arrays are validated here, the work runs without the GIL.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <tuple>

#include "key_index.hpp"
#include "lanes.hpp"

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

std::string describe(nb::handle array) {
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

// A C-contiguous numpy array of T with `axes` axes, or an error that says how to convert it.
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
    if (array.dtype() != nb::dtype<T>()) refuse_type(wanted + describe(value) + remedy);
    if (array.ndim() != axes) refuse_value(wanted + describe(value) + ": reshape it");
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

// A copy, so that no thread can change it between the check and its use without the GIL.
std::vector<uint64_t> checked_starts(nb::handle value, size_t keys) {
    const Array<uint64_t> offsets = checked<uint64_t>(value, "starts", "uint64", 1);
    std::vector<uint64_t> starts(offsets.data, offsets.data + offsets.rows);
    if (starts.empty() || starts.front() != 0 || starts.back() != keys ||
        !std::is_sorted(starts.begin(), starts.end()))
        refuse_value("starts: expected n + 1 offsets rising from 0 to the number of keys, " +
                     std::to_string(keys) + ", found others: pass np.concatenate(([0], " +
                     "np.cumsum(lengths))).astype(np.uint64)");
    return starts;
}

KeyRows rows_of(const Array<uint64_t>& keys, const std::vector<uint64_t>& starts) {
    return {keys.data, starts.data(), starts.size() - 1};
}

// ---------------------------------------------------------------------------------------------
// Arrays out

template <class T>
using Vector = nb::ndarray<nb::numpy, T, nb::ndim<1>>;

template <class T>
Vector<T> to_numpy(std::vector<T>&& values) {
    auto* storage = new std::vector<T>(std::move(values));
    nb::capsule owner(storage, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return Vector<T>(storage->data(), {storage->size()}, owner);
}

// ---------------------------------------------------------------------------------------------
// The index with its lock: many readers or a single writer, all without the GIL

class SharedIndex {
public:
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

    // Keeps an object alive as long as the index.
    void hold(nb::object owner) { owners_.push_back(std::move(owner)); }

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
    std::vector<nb::object> owners_;
    KeyIndex index_;
    mutable std::shared_mutex mutex_;
    mutable std::mutex turn_;  // a queue: readers that come later do not starve a waiting writer
};

// ---------------------------------------------------------------------------------------------
// The methods

size_t length(const SharedIndex& self) {
    return self.read([](const KeyIndex& index) { return index.size(); });
}

size_t nbytes(const SharedIndex& self) {
    return self.read([](const KeyIndex& index) { return index.nbytes(); });
}

uint32_t insert(SharedIndex& self, nb::handle keys, nb::handle starts) {
    const auto k = checked<uint64_t>(keys, "keys", "uint64", 1);
    const auto s = checked_starts(starts, k.rows);
    return self.write([&](KeyIndex& index) { return index.insert(rows_of(k, s)); });
}

void remove_positions(SharedIndex& self, nb::handle positions) {
    const auto p = checked<uint32_t>(positions, "positions", "uint32", 1);
    const std::optional<size_t> beyond = self.write([&](KeyIndex& index) -> std::optional<size_t> {
        for (size_t i = 0; i < p.rows; ++i)
            if (p.data[i] >= index.positions()) return i;
        index.remove(p.data, p.rows);
        return std::nullopt;
    });
    if (beyond)
        throw nb::index_error(("positions: expected positions returned by insert, found " +
                               std::to_string(p.data[*beyond]) + ": nothing was removed")
                                  .c_str());
}

uint32_t attach(SharedIndex& self, nb::object starts, nb::object entries, nb::object checksums,
                uint32_t articles) {
    const auto s = checked<uint32_t>(starts, "starts", "uint32", 1);
    const auto e = checked<uint64_t>(entries, "entries", "uint64", 1);
    const auto c = checked<uint64_t>(checksums, "checksums", "uint64", 1);
    const size_t buckets = s.rows ? s.rows - 1 : 0;
    const bool is_power = buckets >= KeyTable::kShards && !(buckets & (buckets - 1));
    const size_t blocks = (e.rows + kChecked - 1) / kChecked;
    if (!is_power || (c.rows && c.rows != blocks) || articles > entry::kPositionMask)
        refuse_value("starts, entries, checksums, articles: expected those of an exported run, "
                     "found others: pass the arrays of `export`");
    for (const nb::object& owner : {starts, entries, checksums}) self.hold(owner);
    return self.write([&](KeyIndex& index) {
        const uint64_t* sums = c.rows ? c.data : nullptr;
        return index.attach(s.data, buckets, e.data, e.rows, sums, articles);
    });
}

auto export_run(const SharedIndex& self, nb::handle keep) {
    const auto k = checked<uint8_t>(keep, "keep", "uint8", 1);
    RunEntries run;
    size_t positions = 0;
    try {
        self.read([&](const KeyIndex& index) {
            if ((positions = index.positions()) == k.rows) run = index.export_run(k.data);
            return 0;
        });
    } catch (const DamagedRun& damaged) {
        throw nb::buffer_error(damaged.what());
    }
    if (positions != k.rows)
        refuse_value("keep: expected one for each of " + std::to_string(positions) +
                     " articles, found " + std::to_string(k.rows) + ": pass as many as positions");
    return std::make_tuple(to_numpy(std::move(run.starts)), to_numpy(std::move(run.entries)));
}

// The checksum of each block of words.
auto block_checksums(nb::handle words) {
    const auto w = checked<uint64_t>(words, "words", "uint64", 1);
    std::vector<uint64_t> sums;
    {
        nb::gil_scoped_release unlocked;
        for (size_t begin = 0; begin < w.rows; begin += kChecked)
            sums.push_back(checksum(w.data + begin, std::min(kChecked, w.rows - begin)));
    }
    return to_numpy(std::move(sums));
}

auto find(const SharedIndex& self, nb::handle keys, nb::handle starts, nb::handle weights,
          nb::handle max_articles, uint64_t min_weight) {
    const auto k = checked<uint64_t>(keys, "keys", "uint64", 1);
    const auto s = checked_starts(starts, k.rows);
    const auto w = checked<uint64_t>(weights, "weights", "uint64", 1);
    const auto m = checked<uint32_t>(max_articles, "max_articles", "uint32", 1);
    for (const auto& [name, count] :
         {std::pair{"weights", w.rows}, std::pair{"max_articles", m.rows}})
        if (count != k.rows)
            refuse_value(std::string(name) + ": expected one for each of " +
                         std::to_string(k.rows) + " keys, found " + std::to_string(count) +
                         ": pass as many as keys");
    Matches matches;
    try {
        matches = self.read([&](const KeyIndex& index) {
            return index.find(rows_of(k, s), w.data, m.data, min_weight);
        });
    } catch (const DamagedRun& damaged) {
        throw nb::buffer_error(damaged.what());
    }
    return std::make_tuple(to_numpy(std::move(matches.starts)),
                           to_numpy(std::move(matches.positions)),
                           to_numpy(std::move(matches.weights)));
}

// The key of each band of a signature: a hash of its rows, seeded with the number of the band.
void band_keys(const uint32_t* signature, size_t bands, size_t rows, uint64_t* keys) {
    for (size_t b = 0; b < bands; ++b) {
        uint64_t h = fmix64(b + kGolden);
        for (size_t r = 0; r < rows; ++r) h = fmix64(h ^ signature[b * rows + r]) * kGolden;
        keys[b] = h;
    }
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

void bind_key_index(nb::module_& m) {
    nb::class_<SharedIndex>(
        m, "KeyIndex",
        "An inverted index from 64-bit keys to articles. It never misses an article; two keys are\n"
        "confused with a probability of about 2^-44, so verify the candidates.")
        .def(nb::init<>())
        .def("__len__", &length)
        .def_prop_ro("nbytes", &nbytes, "All memory held, in bytes.")
        .def("insert", &insert, "keys"_a, "starts"_a,
             "Index article i by keys[starts[i]:starts[i + 1]]; return the position of the first.")
        .def("find", &find, "keys"_a, "starts"_a, "weights"_a, "max_articles"_a, "min_weight"_a,
             "(starts, positions, weights): the live articles that share keys with row i of at\n"
             "least this total weight, ascending; keys of more than max_articles are ignored.")
        .def("attach", &attach, "starts"_a, "entries"_a, "checksums"_a, "articles"_a,
             "Index the articles of an exported run; return the position of the first.")
        .def("export", &export_run, "keep"_a,
             "(starts, entries): a run of the live articles with `keep`, a byte for each position.")
        .def("remove", &remove_positions, "positions"_a,
             "Remove articles; removing one twice is no error.");
    m.def("block_checksums", &block_checksums, "words"_a, "The checksum of each 4096 words.");
    m.def("band_keys", &keys_of_bands, "signatures"_a, "bands"_a, "rows"_a,
          "The key of each band of each signature.");
}

}  // namespace nearcopy
