// The lines of a text that are sentences, without the site boilerplate around an article. The
// reference is `sentences` in nearcopy/kernels/reference/term_profiles.py.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "words.hpp"

namespace nearcopy {

// One thread's reader of one text at a time; the memory is kept for the next.
class SentenceLines {
public:
    // Which lines of a text without markup are read, the text to its end; none where all are: there
    // is nothing to leave out, or it would be nearly everything.
    std::vector<Lines>& of(const TextView& plain, const CharacterBits* bits);

private:
    template <class Char>
    void read(const Char* text, size_t size, const CharacterBits* bits);
    template <class Char>
    void add(const Char* text, size_t from, size_t to, size_t end);

    std::vector<Lines> lines_;
    size_t all_ = 0, told_ = 0;  // letters
};

}  // namespace nearcopy
