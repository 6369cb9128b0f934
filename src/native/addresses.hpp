// Clean addresses and the slugs of canonical ones. The reference is
// nearcopy/kernels/reference/addresses.py, which explains every rule.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace nearcopy {

// The parts of a clean URL, which are parts of the text that was read.
struct CleanAddress {
    std::string_view host, path;
    bool is_home = false;
};

// The words of a part of a segment that may name the story, in lower case, with spaces between.
struct Slug {
    std::string text;
    size_t words = 0;
};

// What is read on the way to a slug; its memory is reused for the next address.
struct SlugParts {
    Slug before, after, next;  // before a date and behind it, and of the part that is read
    std::string part;
};

// The names are ASCII: no other is part of a clean address.
class AddressReader {
public:
    using Names = std::vector<std::string>;

    AddressReader(const Names& sections, const Names& index_files);

    // False for a URL that is not clean.
    bool read(std::string_view url, CleanAddress& out) const;

    // The slug, valid while the parts are; false for a URL with other characters than printable
    // ASCII, or with encoded ones.
    bool slug(std::string_view form, SlugParts& parts, std::string_view& out) const;

private:
    bool strip_index(std::string_view& path) const;
    bool is_section(std::string_view segment) const;
    bool are_sections(std::string_view path) const;

    std::unordered_set<std::string> sections_, index_files_;
    size_t longest_section_ = 0, longest_index_file_ = 0;
};

}  // namespace nearcopy
