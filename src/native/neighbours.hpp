// The words beside spans of a title. The reference is nearcopy/kernels/reference/neighbours.py.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "words.hpp"

namespace nearcopy {

// The words of a text and those beside its spans.
class Neighbours {
public:
    explicit Neighbours(std::string_view text);  // ASCII

    // Up to `most` words before and after a span, with one space between.
    std::pair<std::string_view, std::string_view> of(size_t start, size_t end, size_t most);

private:
    std::string_view joined(size_t first, size_t last, std::string& out) const;

    std::string_view text_;
    std::vector<std::pair<size_t, size_t>> words_;
    std::string before_, after_;
};

// The words of the clause beside a span.
struct ClauseWords {
    std::vector<std::string> before, after;
};

// How far from a span its words are read, in characters, and how many.
struct Reach {
    size_t characters, before, after;
};

// False where a character within reach is neither ASCII nor the gap that a fact left.
bool clause_words(const TextView& text, size_t start, size_t end, const Reach& reach,
                  ClauseWords& out);

}  // namespace nearcopy
