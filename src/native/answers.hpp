// What the indexes share: answers to many queries, and rows in chunks.
//
// Every index numbers what it is given 0, 1, 2 ... in order of insertion: its position.
// Reading from several threads at once is safe; a writer needs the index to itself.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "threads.hpp"

namespace nearcopy {

inline void prefetch(const void* address) {
    __builtin_prefetch(address);
    asm volatile("");  // or GCC finds that callers have no effect and drops the calls
}

// The answers of many queries end to end: those of query i are [starts[i], starts[i + 1]).
template <class Score>
struct Found {
    std::vector<uint64_t> starts{0};
    std::vector<uint32_t> positions;
    std::vector<Score> scores;  // one a position, or none at all

    void end_query() { starts.push_back(positions.size()); }

    void append(const Found& next) {
        const uint64_t shift = positions.size();
        for (size_t i = 1; i < next.starts.size(); ++i) starts.push_back(shift + next.starts[i]);
        positions.insert(positions.end(), next.positions.begin(), next.positions.end());
        scores.insert(scores.end(), next.scores.begin(), next.scores.end());
    }
};

// The answers to n queries, answered by `answer(begin, end, found)` in up to `threads` threads.
template <class Score, class Answer>
Found<Score> answered(size_t n, unsigned threads, Answer answer) {
    threads = static_cast<unsigned>(std::clamp<size_t>(n, 1, threads));
    std::vector<Found<Score>> parts(threads);
    on_threads(threads, [&](unsigned part) {
        const size_t begin = n * part / threads, end = n * (part + 1) / threads;
        parts[part].starts.reserve(end - begin + 1);
        answer(begin, end, parts[part]);
    });
    Found<Score> all = std::move(parts[0]);
    for (unsigned part = 1; part < threads; ++part) all.append(std::exchange(parts[part], {}));
    return all;
}

// Rows of Width values in chunks that never move: growing copies nothing, wastes under a chunk.
template <class T, size_t Width, unsigned ChunkBits>
class Chunks {
public:
    static constexpr size_t kRows = size_t{1} << ChunkBits;

    size_t size() const { return size_; }
    const T* row(size_t i) const { return chunks_[i >> ChunkBits].get() + (i % kRows) * Width; }

    // How many rows lie one after another from row i on.
    size_t run(size_t i) const { return std::min(kRows - i % kRows, size_ - i); }

    void append(const T* rows, size_t n) {
        for (size_t done = 0, step; done < n; done += step, size_ += step) {
            if (size_ == chunks_.size() * kRows)
                chunks_.push_back(std::unique_ptr<T[]>(new T[kRows * Width]));
            step = std::min(n - done, kRows - size_ % kRows);
            std::memcpy(const_cast<T*>(row(size_)), rows + done * Width, step * Width * sizeof(T));
        }
    }

    size_t nbytes() const {
        return chunks_.size() * kRows * Width * sizeof(T) + chunks_.capacity() * sizeof(chunks_[0]);
    }

private:
    std::vector<std::unique_ptr<T[]>> chunks_;
    size_t size_ = 0;
};

}  // namespace nearcopy
