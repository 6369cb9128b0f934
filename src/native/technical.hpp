// How many technical details a text holds: kernels/reference/technical.py says what they are.
#pragma once

#include <cstdint>
#include <vector>

#include "words.hpp"

namespace nearcopy {

constexpr size_t kMostDetails = 5;

// Different details, at most kMostDetails; `plain` is memory kept for texts with markup.
uint8_t technical_details(const TextView& text, const Entities& entities,
                          std::vector<uint32_t>& plain);

}  // namespace nearcopy
