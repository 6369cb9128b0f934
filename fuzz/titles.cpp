// libFuzzer target: two titles through their likeness and the keys they are filed under, held
// against each other, against themselves and against words counted plainly.
//
// The first byte says how the characters are held, the second where the one title ends.
#include "titles.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "case.hpp"
#include "harness.hpp"
#include "tables.hpp"

namespace fuzz {
namespace {

using Counts = std::map<Points, double>;

std::vector<Points> words_of(const Points& title) {
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

Points joined(const std::vector<Points>& words) {
    Points title;
    for (const Points& word : words) {
        title.push_back(' ');
        title.insert(title.end(), word.begin(), word.end());
        title.push_back(' ');
    }
    return title;
}

double product(const Counts& a, const Counts& b) {
    double sum = 0;
    for (const auto& [word, count] : a) sum += b.count(word) ? count * b.at(word) : 0;
    return sum;
}

double model_cosine(const Points& a, const Points& b) {
    Counts left, right;
    for (const Points& word : words_of(a)) ++left[word];
    for (const Points& word : words_of(b)) ++right[word];
    if (left.empty() || right.empty()) return std::nan("");
    const double norms = std::sqrt(product(left, left) * product(right, right));
    return std::min(1.0, product(left, right) / norms);
}

bool same(double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); }

double likeness(const Points& a, int a_kind, const Points& b, int b_kind) {
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

double words_alike(const Points& a, int a_kind, const Points& b, int b_kind) {
    const Text left(a, a_kind, false), right(b, b_kind, false);
    return word_cosine(left.view(), right.view());
}

Hashes keys(const Points& title, int kind) {
    const Text text(title, kind, false);
    Hashes keys{7};  // what is there already stays
    title_keys(all_tables().weights, text.view(), keys);
    MUST(keys.front() == 7);
    keys.erase(keys.begin());
    return keys;
}

void check_pair(const Points& a, const Points& b) {
    const int kind = narrowest(a), other = narrowest(b);
    const double alike = likeness(a, kind, b, other), words = words_alike(a, kind, b, other);
    MUST(same(alike, likeness(b, other, a, kind)));
    MUST(same(alike, likeness(a, 4, b, 4)));
    MUST(same(words, words_alike(b, other, a, kind)));
    MUST(same(words, words_alike(a, 4, b, 4)));
    MUST(same(words, model_cosine(a, b)));
    const double lacking = front(a, kind, b, other);
    MUST(lacking == front(b, other, a, kind));
    MUST(lacking == front(a, 4, b, 4));
    MUST(front(a, kind, a, 4) == 0);
}

void check_title(const Points& title) {
    const int kind = narrowest(title);
    const std::vector<Points> words = words_of(title);
    const double self = likeness(title, kind, title, 4);
    const Hashes filed = keys(title, kind);
    // A lone s behind a word is no term: nothing else is left out.
    MUST(std::isnan(self) ? words.empty() : self == 1);
    MUST(filed.empty() == words.empty());
    MUST(filed.size() <= 10);
    Hashes distinct = filed;
    std::sort(distinct.begin(), distinct.end());
    MUST(std::unique(distinct.begin(), distinct.end()) == distinct.end());
    for (int wider = kind; wider <= 4; wider *= 2) MUST(keys(title, wider) == filed);
    MUST(keys(joined(words), 4) == filed);  // spaces count for nothing
    MUST(same(likeness(joined(words), 4, title, kind), self));
    MUST(same(words_alike(title, kind, title, 4), words.empty() ? std::nan("") : 1));
}

// Only the first words count for likeness and keys, and the first letters of each.
void check_limits(const Points& title) {
    std::vector<Points> words = words_of(title);
    words.resize(std::min<size_t>(words.size(), 64));
    for (Points& word : words) word.resize(std::min<size_t>(word.size(), 48));
    MUST(keys(joined(words), 4) == keys(title, 4));
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
