// The tables that fuzz/dump_tables.py has written.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "numerals.hpp"
#include "profiles.hpp"
#include "titles.hpp"
#include "words.hpp"

namespace fuzz {

class TableFile {
public:
    explicit TableFile(const char* path) : file_(std::fopen(path, "rb")) {
        if (file_ == nullptr) give_up("is not there: run fuzz/run.sh", path);
    }
    ~TableFile() { std::fclose(file_); }

    uint32_t number() {
        uint8_t b[4];
        if (std::fread(b, 1, 4, file_) != 4) give_up("is cut off", "the file of tables");
        return uint32_t(b[0]) | uint32_t(b[1]) << 8 | uint32_t(b[2]) << 16 | uint32_t(b[3]) << 24;
    }

    template <class List>
    List list() {
        List values;
        for (uint32_t left = number(); left > 0; --left)
            values.push_back(typename List::value_type(number()));
        return values;
    }

private:
    [[noreturn]] static void give_up(const char* what, const char* path) {
        std::fprintf(stderr, "fuzz: %s %s\n", path, what);
        std::exit(2);
    }

    std::FILE* file_;
};

inline nearcopy::FoldTable read_fold(TableFile& file) {
    nearcopy::FoldTable fold;
    fold.pages = file.list<std::vector<uint32_t>>();
    fold.index = file.list<std::vector<uint16_t>>();
    fold.sequences = file.list<std::vector<uint32_t>>();
    const auto joins = file.list<std::vector<uint32_t>>();
    for (size_t i = 0; i + 2 < joins.size(); i += 3)
        fold.joins.push_back({joins[i], joins[i + 1], joins[i + 2]});
    fold.pack();
    return fold;
}

inline nearcopy::Entities read_entities(TableFile& file) {
    nearcopy::Entities::List list;
    for (uint32_t left = file.number(); left > 0; --left) {
        auto name = file.list<std::string>();
        list.emplace_back(std::move(name), file.list<std::u32string>());
    }
    return nearcopy::Entities(list);
}

inline std::vector<nearcopy::NumberWord> read_numbers(TableFile& file) {
    std::vector<nearcopy::NumberWord> words;
    for (uint32_t left = file.number(); left > 0; --left) {
        auto word = file.list<std::string>();
        auto value = file.list<std::string>();
        words.push_back({std::move(word), std::move(value), file.number() != 0});
    }
    return words;
}

inline nearcopy::TitleWeights read_weights(TableFile& file) {
    std::vector<std::pair<uint64_t, uint32_t>> known;
    const uint32_t unknown = file.number();
    for (uint32_t left = file.number(); left > 0; --left) {
        const auto term = file.list<std::vector<uint32_t>>();
        known.emplace_back(nearcopy::term_hash(term.data(), term.size()), file.number());
    }
    return nearcopy::TitleWeights(known, unknown);
}

// What terms of articles weigh, by their hashes.
struct TermList {
    std::vector<std::pair<uint32_t, uint32_t>> known;
    uint32_t unknown = 1;
};

inline TermList read_terms(TableFile& file) {
    TermList terms;
    terms.unknown = file.number();
    for (uint32_t left = file.number(); left > 0; --left) {
        const auto term = file.list<std::vector<uint8_t>>();
        terms.known.emplace_back(nearcopy::profile_hash(term.data(), term.size()), file.number());
    }
    return terms;
}

struct AllTables {
    explicit AllTables(TableFile file)
        : text{read_fold(file), read_entities(file)},
          number_words(read_numbers(file)),
          numbers(number_words),
          weights(read_weights(file)),
          terms(read_terms(file)) {}

    nearcopy::Tables text;
    std::vector<nearcopy::NumberWord> number_words;
    nearcopy::NumberTable numbers;
    nearcopy::TitleWeights weights;
    TermList terms;
};

inline const AllTables& all_tables() {
    static const AllTables read{TableFile(FUZZ_TABLES)};
    return read;
}

inline const nearcopy::Tables& tables() { return all_tables().text; }

}  // namespace fuzz
