// The number of technical details of a text: kernels/reference/numerals.py defines them.
#pragma once

#include <cstdint>

#include "words.hpp"

namespace nearcopy {

constexpr size_t kMostDetails = 5;

// The number of distinct details of a text without markup, at most kMostDetails.
uint8_t technical_details(const TextView& plain, const CharacterBits* bits);

}  // namespace nearcopy
