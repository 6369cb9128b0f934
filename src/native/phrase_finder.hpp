// Finds whether a text has one of many phrases. The reference is `PhraseFinder` in
// nearcopy/kernels/reference/words.py.
#pragma once

#include <bitset>
#include <cstring>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "hashes.hpp"
#include "words.hpp"

namespace nearcopy {

class PhraseFinder {
public:
    // The phrases are normalised, in UTF-8.
    explicit PhraseFinder(const std::vector<std::string>& phrases) {
        for (const std::string& phrase : phrases) {
            if (phrase.empty()) continue;
            const std::string first = phrase.substr(0, phrase.find(' '));
            const uint64_t hash =
                murmur3_64(reinterpret_cast<const uint8_t*>(first.data()), first.size());
            likely_.set(hash % kLikely);
            by_first_[hash].push_back(phrase + ' ');
        }
    }

    // Of a text whose words are hashed by MURMUR3.
    bool match(const Words& words) const {
        const auto* text = reinterpret_cast<const char*>(words.text());
        const char* end = text + words.bytes() + 1;  // the last word has a space behind it too
        size_t at = 0;                               // the word that `text` begins with
        for (size_t i = 0; i < words.count(); ++i) {
            const uint64_t hash = words.hashes()[i];
            if (!likely_[hash % kLikely]) continue;
            const auto phrases = by_first_.find(hash);
            if (phrases == by_first_.end()) continue;
            for (; at < i; ++at)
                text = static_cast<const char*>(std::memchr(text, ' ', size_t(end - text))) + 1;
            const std::string_view rest(text, size_t(end - text));
            for (const std::string& phrase : phrases->second)
                if (rest.substr(0, phrase.size()) == phrase) return true;
        }
        return false;
    }

private:
    static constexpr size_t kLikely = 1 << 14;

    std::bitset<kLikely> likely_;  // by the hash of the first word
    std::unordered_map<uint64_t, std::vector<std::string>> by_first_;  // a space behind each
};

}  // namespace nearcopy
