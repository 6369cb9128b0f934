// The lines of a text that are sentences, without the site boilerplate around an article. The
// reference is `sentences` in nearcopy/kernels/reference/term_profiles.py.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "words.hpp"

namespace nearcopy {

// A reader per thread; its memory is reused for the next text.
class SentenceLines {
public:
    // The groups of lines of a text without markup, up to its end; empty where all lines are read:
    // there is no boilerplate to leave out, or it would be nearly the whole text.
    std::vector<Lines>& of(const TextView& plain, const CharacterBits* bits);

private:
    template <class Char>
    void read(const Char* text, size_t size, const CharacterBits* bits);
    template <class Char>
    void add(const Char* text, size_t from, size_t to, size_t end);

    std::vector<Lines> lines_;
    size_t letters_ = 0, sentence_letters_ = 0;  // of all lines, of sentences
};

}  // namespace nearcopy
