// The scan of titles: which fact rules their words trigger, and the names in them. The reference is
// nearcopy/kernels/reference/titles.py, which explains every step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "words.hpp"

namespace nearcopy {

struct TitleName {
    std::string value;
    size_t start, end;
};

struct TitleScan {
    bool plain = false;  // false if the title is not ASCII
    uint64_t rules = 0;
    std::vector<TitleName> names;
};

// The tables of the scan, shared by all threads.
class TitleScanTable {
public:
    using Known = std::vector<std::pair<std::string, uint64_t>>;

    // Rules triggered by words, signs and shapes; words that are no names; ASCII forms.
    TitleScanTable(const Known& rules, const std::vector<std::string>& common,
                const std::vector<std::pair<uint32_t, uint8_t>>& letters, size_t longest);

    TitleScan read(const TextView& title) const;

    // The names of a text whose characters have been replaced already; `blank` is no letter.
    bool names(const TextView& text, uint32_t blank, std::vector<TitleName>& out) const;

private:
    struct Entry {
        std::string word;
        uint64_t rules = 0;
        bool common = false;
    };

    Entry& entry(std::string_view word);
    const Entry* find(std::string_view word) const;
    template <class Char>
    bool in_ascii(const Char* text, size_t size, std::string& out) const;
    bool in_ascii(const TextView& title, size_t size, std::string& out) const;
    uint64_t rules(const std::string& text) const;
    uint64_t shapes(const std::string& lower) const;
    void add_names(const std::string& text, std::vector<TitleName>& out) const;
    void add_name(const std::string& text, size_t start, size_t end,
                  std::vector<TitleName>& out) const;

    std::vector<Entry> entries_;
    std::vector<uint32_t> slots_;   // index of the entry + 1, by the hash of its word; 0 is empty
    std::vector<uint8_t> letters_;  // 0 where a character has no ASCII form
    uint64_t signs_[128] = {};
    uint64_t any_ = 0, joined_ = 0, pointed_ = 0, century_ = 0, glued_ = 0,
             clock_ = 0, age_ = 0;
    size_t longest_, longest_word_ = 0;
};

}  // namespace nearcopy
