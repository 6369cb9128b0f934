// Zeroed words on lines of cache; large ones go straight back to the system when they are let go.
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

// A table that grows leaves ever larger holes behind. The heap keeps those among what others hold,
// many times what is in use, so blocks of many pages are had from the system itself.
class Zeroed {
public:
    Zeroed() = default;
    explicit Zeroed(size_t words) : bytes_(words * sizeof(uint64_t)), words_(taken(bytes_)) {}
    Zeroed(Zeroed&& other) noexcept { swap(other); }
    Zeroed& operator=(Zeroed&& other) noexcept {
        swap(other);
        return *this;
    }
    ~Zeroed() { let_go(); }

    uint64_t* get() const { return words_; }

private:
    static constexpr size_t kMapped = size_t{1} << 17;
    static constexpr std::align_val_t kLine{64};

    static uint64_t* taken(size_t bytes) {
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

    void let_go() {
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
