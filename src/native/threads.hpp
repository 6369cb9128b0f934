// Parallel loops.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace nearcopy {

// The number of threads to use; 0 means all cores.
inline unsigned thread_count(int64_t threads) {
    if (threads < 0 || threads > 1024)
        throw std::invalid_argument("threads: expected 0 (all cores) to 1024, found " +
                                    std::to_string(threads) + ": pass the number of cores to use");
    return threads ? unsigned(threads) : std::max(1u, std::thread::hardware_concurrency());
}

// Calls run(part) for every part below `threads`, on a thread of its own where it can be started;
// the first exception is rethrown once all threads have ended.
template <class Run>
void on_threads(unsigned threads, Run run) {
    std::vector<std::exception_ptr> errors(threads);
    auto guarded = [&](unsigned part) {
        try {
            run(part);
        } catch (...) {
            errors[part] = std::current_exception();
        }
    };
    std::vector<std::thread> pool;
    pool.reserve(threads);
    for (unsigned part = 1; part < threads; ++part) {
        try {
            pool.emplace_back(guarded, part);
        } catch (...) {
            guarded(part);  // the thread cannot be started: run its part here
        }
    }
    guarded(0);
    for (std::thread& thread : pool) thread.join();
    for (const std::exception_ptr& error : errors)
        if (error) std::rethrow_exception(error);
}

// Calls work(worker, i) for every i below `count`; a thread makes its own worker and takes the next
// few indices at a time, so that long texts do not hold up the rest.
template <class MakeWorker, class Work>
void on_threads(size_t count, unsigned threads, MakeWorker make, Work work) {
    constexpr size_t kStep = 16;
    threads = unsigned(std::min<size_t>(threads, count / kStep + 1));
    std::atomic<size_t> next{0};
    on_threads(threads, [&](unsigned) {
        auto worker = make();
        for (size_t from; (from = next.fetch_add(kStep)) < count;)
            for (size_t i = from; i < std::min(from + kStep, count); ++i) work(worker, i);
    });
}

}  // namespace nearcopy
