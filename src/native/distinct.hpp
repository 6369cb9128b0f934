// Sets of 64-bit hashes, counted without sorting.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace nearcopy {

// A hash set cleared in constant time: a slot is in use only if it has the current round.
class DistinctTable {
public:
    // Reserve room for this many values.
    void begin(size_t count) {
        size_t wanted = 16;
        while (wanted < 2 * count) wanted *= 2;
        if (wanted > slots_.size()) {
            slots_.assign(wanted, Slot{0, 0});
            round_ = 0;
        }
        if (++round_ == 0) {
            slots_.assign(slots_.size(), Slot{0, 0});
            round_ = 1;
        }
        mask_ = wanted - 1;
    }

    // Inserts the value; false if it was in the set already.
    bool insert(uint64_t value) {
        Slot* slot = at(value);
        if (slot->round == round_) return false;
        *slot = Slot{value, round_};
        return true;
    }

    bool holds(uint64_t value) { return at(value)->round == round_; }

private:
    struct Slot {
        uint64_t value;
        uint32_t round;
    };

    // The slot of the value, or the free slot for it; less than half are used.
    Slot* at(uint64_t value) {
        size_t place = size_t(value * 0x9E3779B97F4A7C15u >> 20) & mask_;
        while (slots_[place].round == round_ && slots_[place].value != value)
            place = (place + 1) & mask_;
        return &slots_[place];
    }

    std::vector<Slot> slots_;
    size_t mask_ = 0;
    uint32_t round_ = 0;
};

}  // namespace nearcopy
