// Which words of a text are in a table. The readable twin is `WordFinder` in
// nearcopy/kernels/reference/titles.py.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "words.hpp"

namespace nearcopy {

class WordFinder {
public:
    explicit WordFinder(std::vector<std::u32string> words) : words_(std::move(words)) {
        size_t slots = 64;
        while (slots < 4 * words_.size()) slots *= 2;
        slots_.assign(slots, 0);
        for (size_t i = 0; i < words_.size(); ++i) {
            size_t slot = hashed(words_[i].data(), words_[i].size()) & (slots - 1);
            while (slots_[slot] != 0) slot = (slot + 1) & (slots - 1);
            slots_[slot] = uint32_t(i + 1);
        }
    }

    // Appends the table indices of the words of a text, which are separated by single spaces, in
    // order; reads the first `most` words only.
    void find(const TextView& text, size_t most, std::vector<uint32_t>& out) const {
        if (text.kind == 1)
            find(static_cast<const uint8_t*>(text.data), text.size, most, out);
        else if (text.kind == 2)
            find(static_cast<const uint16_t*>(text.data), text.size, most, out);
        else
            find(static_cast<const uint32_t*>(text.data), text.size, most, out);
    }

private:
    template <class Char>
    static uint32_t hashed(const Char* word, size_t size) {
        uint32_t hash = 2166136261u;
        for (size_t i = 0; i < size; ++i) hash = (hash ^ uint32_t(word[i])) * 16777619u;
        return hash ^ hash >> 15;
    }

    template <class Char>
    void find(const Char* text, size_t size, size_t most, std::vector<uint32_t>& out) const {
        const Char* end = text + size;
        for (size_t words = 0; words < most; ++words) {
            const Char* stop = text;
            while (stop < end && *stop != ' ') ++stop;
            add(text, size_t(stop - text), out);
            if (stop == end) return;
            text = stop + 1;
        }
    }

    template <class Char>
    void add(const Char* word, size_t size, std::vector<uint32_t>& out) const {
        size_t slot = hashed(word, size) & (slots_.size() - 1);
        for (; slots_[slot] != 0; slot = (slot + 1) & (slots_.size() - 1)) {
            const std::u32string& known = words_[slots_[slot] - 1];
            if (known.size() != size) continue;
            size_t same = 0;
            while (same < size && uint32_t(known[same]) == uint32_t(word[same])) ++same;
            if (same == size) return out.push_back(slots_[slot] - 1);
        }
    }

    std::vector<std::u32string> words_;
    std::vector<uint32_t> slots_;  // index of the word + 1, by its hash; 0 is empty
};

}  // namespace nearcopy
