// Helpers shared by the Python bindings.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstring>
#include <forward_list>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "words.hpp"

namespace nearcopy {

namespace nb = nanobind;

// --- Tables, set once at import ---------------------------------------------------------------

// The current table first. Earlier tables stay alive, as another thread may be reading them.
template <class Table>
std::forward_list<Table>& table_history() {
    static std::forward_list<Table> tables;
    return tables;
}

template <class Table>
const Table& table(const char* setter) {
    if (table_history<Table>().empty())
        throw nb::value_error((std::string(setter) + " must be called first").c_str());
    return table_history<Table>().front();
}

// Without conversion, which could run Python code that modifies the dict meanwhile.
inline uint32_t checked_weight(const nb::handle& weight) {
    uint32_t value = 0;
    if (!nb::try_cast(weight, value, false) || value == 0 || value > 0xFFFF)
        throw nb::value_error("the weight of a term must lie between 1 and 65535");
    return value;
}

inline const Tables& tables() { return table<Tables>("set_tables"); }

template <class T>
using Values = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class T>
std::vector<T> copied(const Values<T>& values) {
    return std::vector<T>(values.data(), values.data() + values.size());
}

// --- Texts ------------------------------------------------------------------------------------

constexpr size_t kMaxPoints = size_t(1) << 29;

inline TextView view(PyObject* text, const std::string& name, bool html) {
    if (!PyUnicode_Check(text))
        throw nb::type_error((name + " must be str, got " + Py_TYPE(text)->tp_name +
                              (PyBytes_Check(text) ? ": decode it first" : ""))
                                 .c_str());
    size_t size = size_t(PyUnicode_GET_LENGTH(text));
    if (size > kMaxPoints)
        throw nb::value_error((name + " has " + std::to_string(size) + " characters, at most " +
                               std::to_string(kMaxPoints) + " can be read: split it")
                                  .c_str());
    return TextView{PyUnicode_DATA(text), size, int(PyUnicode_KIND(text)), html};
}

// Whether each text is HTML.
inline std::vector<bool> html_marks(const nb::iterable& html) {
    std::vector<bool> marks;
    for (const nb::handle& mark : html) {
        const int is_html = PyObject_IsTrue(mark.ptr());
        if (is_html < 0) throw nb::python_error();
        marks.push_back(is_html == 1);
    }
    return marks;
}

inline TextView view(const nb::handle& text, bool html) { return view(text.ptr(), "text", html); }

// The texts of a list, kept alive while the GIL is released.
class Texts {
public:
    Texts(const nb::object& texts, const std::vector<bool>& html) {
        if (PyUnicode_Check(texts.ptr()) || PyBytes_Check(texts.ptr()))
            throw nb::type_error("texts must be a list of str, got one text: put it in a list");
        held_ = nb::steal<nb::tuple>(PySequence_Tuple(texts.ptr()));
        if (!held_.is_valid()) throw nb::python_error();
        size_t count = nb::len(held_);
        if (!html.empty() && html.size() != count)
            throw nb::value_error(("html has " + std::to_string(html.size()) + " marks for " +
                                   std::to_string(count) + " texts: give one for each")
                                      .c_str());
        views_.reserve(count);
        for (size_t i = 0; i < count; ++i) {
            PyObject* text = PyTuple_GET_ITEM(held_.ptr(), Py_ssize_t(i));
            // The name is only needed in the error message.
            const bool fine =
                PyUnicode_Check(text) && size_t(PyUnicode_GET_LENGTH(text)) <= kMaxPoints;
            views_.push_back(view(text, fine ? std::string() : "texts[" + std::to_string(i) + "]",
                                  !html.empty() && html[i]));
        }
    }

    const std::vector<TextView>& views() const { return views_; }
    size_t size() const { return views_.size(); }

private:
    nb::tuple held_;
    std::vector<TextView> views_;
};

inline nb::str ascii_str(std::string_view ascii) {
    PyObject* string = PyUnicode_New(Py_ssize_t(ascii.size()), 127);
    if (string == nullptr) throw nb::python_error();
    std::memcpy(PyUnicode_1BYTE_DATA(string), ascii.data(), ascii.size());
    return nb::steal<nb::str>(string);
}

template <class T>
nb::object owned(std::vector<T>&& values, std::initializer_list<size_t> shape) {
    auto* storage = new std::vector<T>(std::move(values));
    nb::capsule owner(storage, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return nb::cast(nb::ndarray<nb::numpy, T>(storage->data(), shape, owner));
}

// An uninitialised array: its memory is first touched by the kernels that write to it.
template <class T>
struct Fresh {
    T* data;
    nb::object array;

    explicit Fresh(std::initializer_list<size_t> shape) {
        size_t size = 1;
        for (size_t extent : shape) size *= extent;
        data = new T[size > 0 ? size : 1];
        nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<T*>(p); });
        array = nb::cast(nb::ndarray<nb::numpy, T>(data, shape, owner));
    }
};

}  // namespace nearcopy
