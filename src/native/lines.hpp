// The lines of a text that are sentences, without those that stand around an article on its page.
// The readable twin is `sentences` in nearcopy/kernels/reference/profiles.py.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "words.hpp"

namespace nearcopy {

// One thread's reader of one text at a time; the memory is kept for the next.
class SentenceLines {
public:
    // The text without the other lines; the text itself where none is to go, or nearly all would.
    TextView of(const TextView& plain);

private:
    template <class Char>
    TextView kept(const Char* text, const TextView& plain);

    std::vector<uint8_t> bytes_;
};

}  // namespace nearcopy
