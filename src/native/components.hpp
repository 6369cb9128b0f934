// Connected components of a graph of pairs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace nearcopy {

// Union-find whose roots are the smallest members of their components.
class Components {
public:
    explicit Components(size_t count) : parents_(count) {
        std::iota(parents_.begin(), parents_.end(), uint32_t{0});
    }

    void join(uint32_t a, uint32_t b) {
        a = find(a);
        b = find(b);
        if (a < b) parents_[b] = a;
        if (b < a) parents_[a] = b;
    }

    uint32_t find(uint32_t node) {
        while (parents_[node] != node) {
            parents_[node] = parents_[parents_[node]];
            node = parents_[node];
        }
        return node;
    }

    std::vector<uint32_t> labels() {
        for (size_t i = 0; i < parents_.size(); ++i) parents_[i] = find(uint32_t(i));
        return std::move(parents_);
    }

private:
    std::vector<uint32_t> parents_;
};

}  // namespace nearcopy
