// How many technical details a text holds: kernels/reference/technical.py says what they are.
#pragma once

#include <cstdint>

#include "words.hpp"

namespace nearcopy {

constexpr size_t kMostDetails = 5;

// Different details of a text without markup, at most kMostDetails.
uint8_t technical_details(const TextView& plain, const CharacterBits* bits);

}  // namespace nearcopy
