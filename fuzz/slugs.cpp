// libFuzzer target: the parts and the slug of an address, the words beside spans of a title, and the
// phrases of a text.
//
// The first byte is the width of the characters, the next two are a span.
#include <algorithm>
#include <string>

#include "addresses.hpp"
#include "case.hpp"
#include "harness.hpp"
#include "neighbours.hpp"
#include "phrase_finder.hpp"
#include "tables.hpp"

namespace fuzz {
namespace {

const AddressReader& address_reader() {
    static const AddressReader reader({"news", "sport", "world"}, {"index.html", "default.asp"});
    return reader;
}

bool is_within(std::string_view part, std::string_view whole) {
    return part.data() >= whole.data() && part.data() + part.size() <= whole.data() + whole.size();
}

void check_parts(const std::string& url) {
    CleanAddress address;
    if (!address_reader().read(url, address)) return;
    MUST(is_within(address.host, url) && is_within(address.path, url));
    MUST(!address.host.empty());
    MUST(address.path.empty() || (address.path.front() == '/' && address.path.back() != '/'));
    const std::string again = "https://" + std::string(address.host) + std::string(address.path);
    CleanAddress same;
    MUST(address_reader().read(again, same));
    MUST(same.host == address.host && same.path == address.path);
    MUST(same.is_home == address.is_home);
    SlugParts parts;
    std::string_view slug;
    MUST(address_reader().slug(again + "/", parts, slug));
}

void check_slug(const std::string& form) {
    SlugParts parts;
    std::string_view found, again;
    if (!address_reader().slug(form, parts, found)) return;
    const std::string slug(found);
    MUST(slug.size() <= form.size());
    MUST(slug.empty() || (slug.front() != ' ' && slug.back() != ' '));
    MUST(slug.find("  ") == std::string::npos);
    for (char c : slug) MUST(c == ' ' || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'));
    MUST(address_reader().slug(form + "#top", parts, again) && again == slug);
}

void check_neighbours(const std::string& text, size_t start, size_t end) {
    if (std::any_of(text.begin(), text.end(), [](char c) { return uint8_t(c) >= 128; })) return;
    Neighbours words(text);
    for (size_t most = 0; most < 4; ++most) {
        const auto [before, after] = words.of(start, end, most);
        MUST(before.empty() || size_t(std::count(before.begin(), before.end(), ' ')) < most);
        MUST(after.empty() || size_t(std::count(after.begin(), after.end(), ' ')) < most);
        MUST(text.find(before.substr(0, before.find(' '))) != std::string::npos);
    }
}

void check_clause(const Points& points, size_t start, size_t end) {
    ClauseWords narrow, wide;
    const Text text(points, narrowest(points), false), wider(points, 4, false);
    const Reach reach{40, 6, 5};
    const bool read = clause_words(text.view(), start, end, reach, narrow);
    MUST(clause_words(wider.view(), start, end, reach, wide) == read);
    if (!read) return;
    MUST(narrow.before == wide.before && narrow.after == wide.after);
    MUST(narrow.before.size() <= 6 && narrow.after.size() <= 5);
}

// Any words in a row are a phrase that is found, as is one of them; the words turned are found only
// if they stand there too.
void check_phrases(const Points& points) {
    const Text text(points, narrowest(points), false);
    Words words(tables());
    words.fold(text.view(), Hash::MURMUR3);
    const std::string folded(reinterpret_cast<const char*>(words.text()), words.bytes());
    MUST(PhraseFinder({folded}).match(words) == (words.count() > 0));
    MUST(!PhraseFinder({folded + " end", ""}).match(words));
    const size_t middle = std::min(folded.find(' ', folded.size() / 2), folded.size());
    if (words.count() == 0) return;
    MUST(PhraseFinder({"x y", folded.substr(0, middle)}).match(words));
    if (middle < folded.size()) {
        const std::string end = folded.substr(middle + 1), turned = end + " " + folded;
        MUST(PhraseFinder({end}).match(words));
        MUST(!PhraseFinder({turned}).match(words));
    }
}

}  // namespace
}  // namespace fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace fuzz;
    Input input(data, size);
    const unsigned width = input.byte() % 4;
    const size_t start = input.byte(), end = start + input.byte() % 16;
    const std::string bytes(reinterpret_cast<const char*>(data) + std::min<size_t>(size, 3),
                            size - std::min<size_t>(size, 3));
    const Points points = read_points(input, width);
    check_parts(bytes);
    check_slug(bytes);
    check_slug("https://example.com/" + bytes);
    check_neighbours(bytes, start, end);
    check_clause(points, start, end);
    check_phrases(points);
    return 0;
}
