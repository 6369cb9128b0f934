// Python bindings of the address reader.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string_view>

#include "addresses.hpp"
#include "binding.hpp"

using namespace nanobind::literals;

namespace nearcopy {

namespace {

// The characters of an ASCII text; characters of others are negative, so that none is taken for
// one of an address.
std::string_view characters(const TextView& text) {
    if (text.kind != 1) return {};
    return {static_cast<const char*>(text.data), text.size};
}

nb::object as_object(const CleanAddress& address) {
    const std::string_view path = address.path.empty() ? "/" : address.path;
    return nb::make_tuple(ascii_str(address.host), ascii_str(path), address.is_home);
}

nb::list read(const AddressReader& reader, const nb::object& urls) {
    const Texts texts(urls, {});
    nb::list rows;
    CleanAddress address;
    for (const TextView& url : texts.views())
        rows.append(reader.read(characters(url), address) ? as_object(address) : nb::none());
    return rows;
}

nb::list slugs(const AddressReader& reader, const nb::object& forms) {
    const Texts texts(forms, {});
    nb::list rows;
    SlugParts parts;
    std::string_view slug;
    for (const TextView& form : texts.views()) {
        const bool read = reader.slug(characters(form), parts, slug);
        rows.append(read ? nb::object(ascii_str(slug)) : nb::none());
    }
    return rows;
}

}  // namespace

void bind_addresses(nb::module_& m) {
    nb::class_<AddressReader>(m, "AddressReader")
        .def(nb::init<const AddressReader::Names&, const AddressReader::Names&>())
        .def("read", read, "urls"_a.none())
        .def("slugs", slugs, "forms"_a.none());
}

}  // namespace nearcopy
