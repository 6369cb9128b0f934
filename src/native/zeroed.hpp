// Zeroed words, aligned to cache lines; large blocks are returned to the system when freed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <utility>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace nearcopy {

// A growing table leaves ever larger holes behind. The heap keeps these between live blocks, many
// times the memory in use, so large blocks are mapped directly.
class Zeroed {
public:
    Zeroed() = default;
    explicit Zeroed(size_t words) : bytes_(words * sizeof(uint64_t)), words_(allocated(bytes_)) {}
    Zeroed(Zeroed&& other) noexcept { swap(other); }
    Zeroed& operator=(Zeroed&& other) noexcept {
        swap(other);
        return *this;
    }
    ~Zeroed() { release(); }

    uint64_t* get() const { return words_; }

private:
    static constexpr size_t kMapped = size_t{1} << 17;
    static constexpr std::align_val_t kLine{64};

    static uint64_t* allocated(size_t bytes) {
#if defined(__linux__)
        if (bytes >= kMapped) {
            void* mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
            if (mapped == MAP_FAILED) throw std::bad_alloc();
            return static_cast<uint64_t*>(mapped);
        }
#endif
        return static_cast<uint64_t*>(std::memset(::operator new[](bytes, kLine), 0, bytes));
    }

    void release() {
#if defined(__linux__)
        if (bytes_ >= kMapped) {
            munmap(words_, bytes_);
            return;
        }
#endif
        ::operator delete[](words_, kLine);
    }

    void swap(Zeroed& other) noexcept {
        std::swap(bytes_, other.bytes_);
        std::swap(words_, other.words_);
    }

    size_t bytes_ = 0;
    uint64_t* words_ = nullptr;
};

}  // namespace nearcopy
