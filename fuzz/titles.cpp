// libFuzzer target: the similarity of two titles, and their blocking keys.
//
// The first byte is the width of the characters, the second is where the first title ends.
#include "titles.hpp"

#include <algorithm>
#include <cmath>

#include "case.hpp"
#include "harness.hpp"
#include "tables.hpp"

namespace fuzz {
namespace {

std::vector<Points> split_words(const Points& title) {
    std::vector<Points> words(1);
    for (uint32_t point : title) {
        if (point != ' ')
            words.back().push_back(point);
        else if (!words.back().empty())
            words.emplace_back();
    }
    if (words.back().empty()) words.pop_back();
    return words;
}

Points join_words(const std::vector<Points>& words) {
    Points title;
    for (const Points& word : words) {
        title.push_back(' ');
        title.insert(title.end(), word.begin(), word.end());
        title.push_back(' ');
    }
    return title;
}

bool same(double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); }

double similarity(const Points& a, int a_kind, const Points& b, int b_kind) {
    const Text left(a, a_kind, false), right(b, b_kind, false);
    const double made = title_cosine(all_tables().weights, left.view(), right.view());
    MUST(std::isnan(made) || (made >= 0 && made <= 1));
    return made;
}

double front(const Points& a, int a_kind, const Points& b, int b_kind) {
    const Text left(a, a_kind, false), right(b, b_kind, false);
    const double made = title_front(all_tables().weights, left.view(), right.view());
    MUST(made >= 0);
    return made;
}

double word_similarity(const Points& a, int a_kind, const Points& b, int b_kind) {
    const Text left(a, a_kind, false), right(b, b_kind, false);
    return word_cosine(left.view(), right.view());
}

Hashes keys(const Points& title, int kind) {
    const Text text(title, kind, false);
    Hashes keys{7};  // existing keys are kept
    title_keys(all_tables().weights, text.view(), keys);
    MUST(keys.front() == 7);
    keys.erase(keys.begin());
    return keys;
}

void check_pair(const Points& a, const Points& b) {
    const int kind = narrowest(a), other = narrowest(b);
    const double soft = similarity(a, kind, b, other), words = word_similarity(a, kind, b, other);
    MUST(same(soft, similarity(b, other, a, kind)));
    MUST(same(soft, similarity(a, 4, b, 4)));
    MUST(same(words, word_similarity(b, other, a, kind)));
    MUST(same(words, word_similarity(a, 4, b, 4)));
    const double missing = front(a, kind, b, other);
    MUST(missing == front(b, other, a, kind));
    MUST(missing == front(a, 4, b, 4));
    MUST(front(a, kind, a, 4) == 0);
}

void check_title(const Points& title) {
    const int kind = narrowest(title);
    const std::vector<Points> words = split_words(title);
    const double self = similarity(title, kind, title, 4);
    const Hashes indexed = keys(title, kind);
    // A lone s behind a word is no term: nothing else is left out.
    MUST(std::isnan(self) ? words.empty() : self == 1);
    MUST(indexed.empty() == words.empty());
    MUST(indexed.size() <= 10);
    Hashes distinct = indexed;
    std::sort(distinct.begin(), distinct.end());
    MUST(std::unique(distinct.begin(), distinct.end()) == distinct.end());
    for (int wider = kind; wider <= 4; wider *= 2) MUST(keys(title, wider) == indexed);
    MUST(keys(join_words(words), 4) == indexed);  // spaces are ignored
    MUST(same(similarity(join_words(words), 4, title, kind), self));
    MUST(same(word_similarity(title, kind, title, 4), words.empty() ? std::nan("") : 1));
}

// Only the first words count for likeness and keys, and the first letters of each.
void check_limits(const Points& title) {
    std::vector<Points> words = split_words(title);
    words.resize(std::min<size_t>(words.size(), 64));
    for (Points& word : words) word.resize(std::min<size_t>(word.size(), 48));
    MUST(keys(join_words(words), 4) == keys(title, 4));
}

}  // namespace
}  // namespace fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace fuzz;
    Input input(data, size);
    const unsigned width = input.byte() % 4;
    const size_t split = input.byte();
    const Points both = read_points(input, width);
    const auto middle = both.begin() + long(both.size() * split / 256);
    const Points a(both.begin(), middle), b(middle, both.end());
    check_pair(a, b);
    for (const Points& title : {a, b, both}) {
        check_title(title);
        check_limits(title);
    }
    return 0;
}
