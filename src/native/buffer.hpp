// A growing array of plain values that is never zero-filled.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>
#include <type_traits>

namespace nearcopy {

template <class T>
class Buffer {
    static_assert(std::is_trivially_copyable_v<T>, "values are moved by realloc");

public:
    Buffer() = default;
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;
    ~Buffer() { std::free(data_); }

    // Room for `count` values in total; existing values are kept.
    T* reserve(size_t count) {
        if (count > capacity_) grow(count);
        return data_;
    }

    T* data() { return data_; }
    const T* data() const { return data_; }

private:
    void grow(size_t count) {
        size_t wanted = capacity_ + capacity_ / 2;
        if (wanted < count) wanted = count;
        void* grown = std::realloc(data_, wanted * sizeof(T));
        if (grown == nullptr) throw std::bad_alloc();
        data_ = static_cast<T*>(grown);
        capacity_ = wanted;
    }

    T* data_ = nullptr;
    size_t capacity_ = 0;
};

}  // namespace nearcopy
