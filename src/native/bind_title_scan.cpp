// Python bindings of the title scan, and of the words and phrases that are looked for in texts.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "binding.hpp"
#include "neighbours.hpp"
#include "phrase_finder.hpp"
#include "title_scan.hpp"
#include "word_finder.hpp"

using namespace nanobind::literals;

namespace nearcopy {

namespace {

nb::tuple values(const std::vector<TitleName>& names, size_t most) {
    const size_t count = std::min(names.size(), most);
    nb::tuple tuple = nb::steal<nb::tuple>(PyTuple_New(Py_ssize_t(count)));
    if (!tuple.is_valid()) throw nb::python_error();
    for (size_t i = 0; i < count; ++i)
        PyTuple_SET_ITEM(tuple.ptr(), Py_ssize_t(i), ascii_str(names[i].value).release().ptr());
    return tuple;
}

// A list per column; -1 for titles that have no ASCII form.
nb::tuple read(const TitleScanTable& table, const nb::object& titles, size_t most) {
    const Texts texts(titles, {});
    std::vector<TitleScan> scans(texts.size());
    {
        nb::gil_scoped_release release;
        for (size_t i = 0; i < scans.size(); ++i) scans[i] = table.read(texts.views()[i]);
    }
    nb::list rules, names;
    for (const TitleScan& scan : scans) {
        rules.append(scan.plain ? int64_t(scan.rules) : int64_t(-1));
        names.append(values(scan.names, most));
    }
    return nb::make_tuple(rules, names);
}

nb::object names(const TitleScanTable& table, const nb::object& text, uint32_t blank) {
    std::vector<TitleName> title_names;
    if (!table.names(view(text, false), blank, title_names)) return nb::none();
    nb::list rows;
    for (const TitleName& name : title_names)
        rows.append(nb::make_tuple(ascii_str(name.value), name.start, name.end));
    return rows;
}

// The words before and after each span; None if the text is not ASCII.
nb::object neighbours(const nb::handle& text, const std::vector<std::pair<size_t, size_t>>& spans,
                      size_t most) {
    view(text, false);
    if (!PyUnicode_IS_ASCII(text.ptr())) return nb::none();
    Neighbours words({static_cast<const char*>(PyUnicode_DATA(text.ptr())),
                      size_t(PyUnicode_GET_LENGTH(text.ptr()))});
    nb::list rows;
    for (const auto& [start, end] : spans) {
        const auto [before, after] = words.of(start, end, most);
        rows.append(nb::make_tuple(ascii_str(before), ascii_str(after)));
    }
    return rows;
}

nb::list as_list(const std::vector<std::string>& words) {
    nb::list list;
    for (const std::string& word : words) list.append(ascii_str(word));
    return list;
}

nb::object words_of_clause(const nb::handle& text, size_t start, size_t end, size_t reach,
                           size_t before, size_t after) {
    ClauseWords words;
    if (!clause_words(view(text, false), start, end, {reach, before, after}, words))
        return nb::none();
    return nb::make_tuple(as_list(words.before), as_list(words.after));
}

// The finder, and its words as Python objects, which the matches refer to.
struct HeldFinder {
    nb::list words;
    WordFinder finder;
};

std::vector<std::u32string> in_points(const nb::list& words) {
    std::vector<std::u32string> decoded_words;
    for (const nb::handle& word : words) {
        if (!PyUnicode_Check(word.ptr())) throw nb::type_error("a word must be str");
        std::u32string& points = decoded_words.emplace_back();
        for (Py_ssize_t i = 0; i < PyUnicode_GET_LENGTH(word.ptr()); ++i)
            points.push_back(char32_t(PyUnicode_READ_CHAR(word.ptr(), i)));
    }
    return decoded_words;
}

nb::list find(const HeldFinder& held, const nb::object& texts, size_t most) {
    const Texts views(texts, {});
    std::vector<uint32_t> word_indices;
    std::vector<size_t> ends(views.size());
    {
        nb::gil_scoped_release release;
        for (size_t i = 0; i < ends.size(); ++i) {
            held.finder.find(views.views()[i], most, word_indices);
            ends[i] = word_indices.size();
        }
    }
    nb::list rows;
    size_t from = 0;
    for (const size_t end : ends) {
        nb::tuple row = nb::steal<nb::tuple>(PyTuple_New(Py_ssize_t(end - from)));
        if (!row.is_valid()) throw nb::python_error();
        for (size_t i = 0; from < end; ++from, ++i)
            PyTuple_SET_ITEM(row.ptr(), Py_ssize_t(i),
                             nb::object(held.words[word_indices[from]]).release().ptr());
        rows.append(row);
    }
    return rows;
}

nb::list match(const PhraseFinder& finder, const nb::object& list, const nb::iterable& html) {
    const Texts texts(list, html_marks(html));
    std::vector<bool> matches(texts.size());
    Words words(tables());
    {
        nb::gil_scoped_release release;
        for (size_t i = 0; i < matches.size(); ++i) {
            words.fold(texts.views()[i], Hash::MURMUR3);
            matches[i] = finder.match(words);
        }
    }
    nb::list rows;
    for (const bool found : matches) rows.append(found);
    return rows;
}

}  // namespace

void bind_title_scan(nb::module_& m) {
    nb::class_<TitleScanTable>(m, "TitleScanTable")
        .def(nb::init<const TitleScanTable::Known&, const std::vector<std::string>&,
                      const std::vector<std::pair<uint32_t, uint8_t>>&, size_t>())
        .def("read", read, "titles"_a.none(), "most"_a)
        .def("names", names, "text"_a.none(), "blank"_a);
    m.def("neighbours", neighbours, "text"_a.none(), "spans"_a, "most"_a);
    m.def("clause_words", words_of_clause, "text"_a.none(), "start"_a, "end"_a, "reach"_a,
          "before"_a, "after"_a);
    nb::class_<HeldFinder>(m, "WordFinder")
        .def(
            "__init__",
            [](HeldFinder* self, const nb::iterable& table) {
                const nb::list words(table);
                new (self) HeldFinder{words, WordFinder(in_points(words))};
            },
            "table"_a)
        .def("find", find, "texts"_a.none(), nb::kw_only(), "most"_a);
    nb::class_<PhraseFinder>(m, "PhraseFinder")
        .def(nb::init<const std::vector<std::string>&>(), "phrases"_a)
        .def("match", match, "texts"_a.none(), nb::kw_only(), "html"_a = nb::tuple());
}

}  // namespace nearcopy
