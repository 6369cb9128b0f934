// What the fuzz targets share: giving up, reading the input, numbers made from a seed, the levels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "hashes.hpp"
#include "lanes.hpp"
#include "scans.hpp"

namespace fuzz {

[[noreturn]] inline void fail(const char* what, const char* file, int line) {
    std::fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, what);
    std::abort();
}

#define MUST(holds) ((holds) ? void() : ::fuzz::fail(#holds, __FILE__, __LINE__))

// The input from front to back; zeros when it has run out.
class Input {
public:
    Input(const uint8_t* data, size_t size) : data_(data), size_(size) {}

    size_t left() const { return size_ - at_; }
    uint8_t byte() { return at_ < size_ ? data_[at_++] : 0; }
    uint16_t two() { return uint16_t(byte() | byte() << 8); }
    uint32_t four() { return two() | uint32_t(two()) << 16; }
    unsigned below(unsigned bound) { return byte() % bound; }

    std::vector<uint8_t> rest() {
        std::vector<uint8_t> bytes(data_ + at_, data_ + size_);
        at_ = size_;
        return bytes;
    }

private:
    const uint8_t* data_;
    size_t size_;
    size_t at_ = 0;
};

// Any number of numbers from one of the input's.
class Numbers {
public:
    explicit Numbers(uint64_t seed) : state_(seed) {}

    uint64_t next() { return nearcopy::fmix64(state_ += nearcopy::kGolden); }
    size_t below(size_t bound) { return next() % bound; }

private:
    uint64_t state_;
};

constexpr const char* LEVELS[] = {"baseline", "avx2", "avx512"};

// As `use_level` of module.cpp; a level the processor has not leaves the one in use.
inline void use_level(unsigned level) {
    nearcopy::use_lanes(LEVELS[level]);
    nearcopy::set_scan_level(int(level));
}

}  // namespace fuzz
