// The scans under the indexes, each over memory of just its size.
#pragma once

#include <memory>
#include <new>

#include "scans.hpp"
#include "trial.hpp"

namespace fuzz {

using namespace nearcopy;

class ScanTrial {
public:
    explicit ScanTrial(Input& input) : input_(input) {}

    void step() {
        const unsigned operation = input_.byte();
        Numbers numbers(input_.two());
        const size_t count = input_.byte() % 70;
        for (unsigned level = 0; level < 3; ++level) {
            use_level(level);
            Numbers same = numbers;
            if (operation % 4 == 0) near(scans().near64, count, operation / 4, same);
            if (operation % 4 == 1) near(scans().near32, count, operation / 4, same);
            if (operation % 4 == 2) tagged(count, 1 + operation / 4, same);
            if (operation % 4 == 3) equal_lanes(count, 1 + operation / 4, same);
        }
    }

private:
    template <class Word>
    using Near = size_t (*)(const Word*, size_t, Word, unsigned, uint32_t*);

    template <class Word>
    static void near(Near<Word> scan, size_t count, unsigned distance, Numbers& numbers) {
        const Word query = Word(numbers.next());
        std::vector<Word> values;
        std::vector<uint32_t> wanted, hits(count);
        for (size_t i = 0; i < count; ++i) {
            Word value = query;
            for (size_t flips = numbers.below(2 * distance + 2); flips > 0; --flips)
                value ^= Word(1) << numbers.below(8 * sizeof(Word));
            values.push_back(value);
            if (unsigned(__builtin_popcountll(value ^ query)) <= distance)
                wanted.push_back(uint32_t(i));
        }
        values.shrink_to_fit();
        hits.resize(scan(values.data(), count, query, distance, hits.data()));
        MUST(hits == wanted);
    }

    struct Delete {
        void operator()(uint64_t* slots) const { ::operator delete[](slots, std::align_val_t{64}); }
    };

    // Some lines of entries with few tags, ascending; the last slot stays free.
    static void tagged(size_t count, size_t tags, Numbers& numbers) {
        constexpr uint64_t MASK = (uint64_t(1) << 28) - 1;
        std::vector<uint64_t> entries;
        for (size_t i = 0; i < count; ++i)
            entries.push_back((1 + numbers.below(tags)) << 28 | numbers.below(MASK));
        std::sort(entries.begin(), entries.end());
        const uint64_t tag = (1 + numbers.below(tags)) << 28;
        std::vector<uint64_t> wanted;
        for (uint64_t entry : entries)
            if (entry >> 28 == tag >> 28) wanted.push_back(entry);

        entries.resize(count / 8 * 8 + 8);
        const std::unique_ptr<uint64_t[], Delete> lines(static_cast<uint64_t*>(
            ::operator new[](entries.size() * sizeof(uint64_t), std::align_val_t{64})));
        std::copy(entries.begin(), entries.end(), lines.get());
        std::vector<uint64_t> found(wanted.size() + 8);
        found.resize(scans().tagged(lines.get(), tag, MASK, found.data()));
        MUST(found == wanted);
    }

    static void equal_lanes(size_t count, size_t values, Numbers& numbers) {
        std::vector<uint32_t> a(count), b(count);
        unsigned wanted = 0;
        for (size_t i = 0; i < count; ++i) {
            a[i] = uint32_t(numbers.below(values));
            b[i] = uint32_t(numbers.below(values));
            wanted += a[i] == b[i];
        }
        MUST(scans().equal_lanes(a.data(), b.data(), count) == wanted);
    }

    Input& input_;
};

}  // namespace fuzz
