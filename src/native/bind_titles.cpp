// Python bindings of the title kernels.
#include <string>
#include <utility>
#include <vector>

#include "binding.hpp"
#include "titles.hpp"

using namespace nanobind::literals;

namespace nearcopy {

namespace {

const TitleWeights& weights() { return table<TitleWeights>("set_title_weights"); }

void set_weights(const nb::dict& known, const nb::object& unknown) {
    std::vector<std::pair<uint64_t, uint32_t>> entries;
    for (auto [term, weight] : known) {
        if (!PyUnicode_Check(term.ptr())) throw nb::type_error("a term must be str");
        std::vector<uint32_t> letters(size_t(PyUnicode_GET_LENGTH(term.ptr())));
        for (size_t i = 0; i < letters.size(); ++i)
            letters[i] = PyUnicode_READ_CHAR(term.ptr(), Py_ssize_t(i));
        entries.emplace_back(term_hash(letters.data(), letters.size()), checked_weight(weight));
    }
    table_history<TitleWeights>().emplace_front(entries, checked_weight(unknown));
}

// The titles of a sequence, kept alive while the GIL is released.
class Titles {
public:
    Titles(const nb::object& titles, const std::string& name) {
        if (PyUnicode_Check(titles.ptr()) || PyBytes_Check(titles.ptr()))
            throw nb::type_error(
                (name + " must be a list of str, got one: put it in a list").c_str());
        held_ = nb::steal<nb::tuple>(PySequence_Tuple(titles.ptr()));
        if (!held_.is_valid()) throw nb::python_error();
        views_.reserve(nb::len(held_));
        for (size_t i = 0; i < nb::len(held_); ++i) {
            PyObject* title = PyTuple_GET_ITEM(held_.ptr(), Py_ssize_t(i));
            // The name is only needed in the error message.
            const bool fine =
                PyUnicode_Check(title) && size_t(PyUnicode_GET_LENGTH(title)) <= kMaxPoints;
            views_.push_back(
                view(title, fine ? std::string() : name + "[" + std::to_string(i) + "]", false));
        }
    }

    const TextView& operator[](size_t i) const { return views_[i]; }
    size_t size() const { return views_.size(); }

private:
    nb::tuple held_;
    std::vector<TextView> views_;
};

template <class T>
nb::object owned(std::vector<T>&& values) {
    auto* storage = new std::vector<T>(std::move(values));
    nb::capsule owner(storage, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return nb::cast(nb::ndarray<nb::numpy, T>(storage->data(), {storage->size()}, owner));
}

template <class Measure>
nb::object pairwise(const nb::object& a, const nb::object& b, Measure measure) {
    Titles left(a, "a"), right(b, "b");
    if (left.size() != right.size())
        throw nb::value_error(("a has " + std::to_string(left.size()) + " titles, b " +
                               std::to_string(right.size()) + ": give pairs")
                                  .c_str());
    std::vector<double> measures(left.size());
    {
        nb::gil_scoped_release release;
        for (size_t i = 0; i < measures.size(); ++i) measures[i] = measure(left[i], right[i]);
    }
    return owned(std::move(measures));
}

nb::tuple keys_of(const nb::object& normals) {
    Titles titles(normals, "normals");
    const TitleWeights& known = weights();
    std::vector<uint64_t> starts(1, 0), keys;
    {
        nb::gil_scoped_release release;
        starts.reserve(titles.size() + 1);
        for (size_t i = 0; i < titles.size(); ++i) {
            title_keys(known, titles[i], keys);
            starts.push_back(keys.size());
        }
    }
    return nb::make_tuple(owned(std::move(starts)), owned(std::move(keys)));
}

}  // namespace

void bind_titles(nb::module_& m) {
    m.def("set_title_weights", set_weights);
    m.def(
        "title_cosines",
        [](const nb::object& a, const nb::object& b) {
            const TitleWeights& known = weights();
            return pairwise(a, b, [&](const TextView& x, const TextView& y) {
                return title_cosine(known, x, y);
            });
        },
        "a"_a.none(), "b"_a.none());
    m.def(
        "title_fronts",
        [](const nb::object& a, const nb::object& b) {
            const TitleWeights& known = weights();
            return pairwise(a, b, [&](const TextView& x, const TextView& y) {
                return title_front(known, x, y);
            });
        },
        "a"_a.none(), "b"_a.none());
    m.def(
        "word_cosines",
        [](const nb::object& a, const nb::object& b) { return pairwise(a, b, word_cosine); },
        "a"_a.none(), "b"_a.none());
    m.def("title_keys", keys_of, "normals"_a.none());
}

}  // namespace nearcopy
