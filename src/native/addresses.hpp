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

// The words of a slug, in lower case.
class Slug {
public:
    // Replaces the words by those of a part of a segment.
    void read(std::string_view part);

    size_t words() const { return ends_.size(); }
    std::string_view word(size_t i) const {
        const size_t from = i > 0 ? ends_[i - 1] : 0;
        return std::string_view(text_).substr(from, ends_[i] - from);
    }

private:
    std::string part_, text_;
    std::vector<size_t> ends_;
};

// The names are ASCII: no other is part of a clean address.
class AddressReader {
public:
    using Names = std::vector<std::string>;

    AddressReader(const Names& sections, const Names& index_files);

    // False for a URL that is not clean.
    bool read(std::string_view url, CleanAddress& out) const;

    // False for a URL with other characters than printable ASCII, or with encoded ones.
    bool slug(std::string_view form, std::string& out) const;

private:
    bool strip_index(std::string_view& path) const;
    bool is_section(std::string_view segment) const;
    bool are_sections(std::string_view path) const;

    std::unordered_set<std::string> sections_, index_files_;
    size_t longest_section_ = 0, longest_index_file_ = 0;
};

}  // namespace nearcopy
