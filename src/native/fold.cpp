#include "fold.hpp"

namespace nearcopy {

static size_t encode(uint32_t point, uint8_t* out) {
    if (point < 0x80) {
        out[0] = uint8_t(point);
        return 1;
    }
    if (point < 0x800) {
        out[0] = uint8_t(0xC0 | point >> 6);
        out[1] = uint8_t(0x80 | (point & 0x3F));
        return 2;
    }
    if (point < 0x10000) {
        out[0] = uint8_t(0xE0 | point >> 12);
        out[1] = uint8_t(0x80 | (point >> 6 & 0x3F));
        out[2] = uint8_t(0x80 | (point & 0x3F));
        return 3;
    }
    out[0] = uint8_t(0xF0 | point >> 18);
    out[1] = uint8_t(0x80 | (point >> 12 & 0x3F));
    out[2] = uint8_t(0x80 | (point >> 6 & 0x3F));
    out[3] = uint8_t(0x80 | (point & 0x3F));
    return 4;
}

void FoldTable::pack() {
    bmp.assign(0x10000, 0);
    for (uint32_t point = 0; point < 0x10000; ++point) {
        uint32_t unpacked = entry(point);
        uint32_t kind = unpacked >> kKindShift;
        uint32_t target = unpacked & kPointMask;
        if (kind == SEPARATOR) continue;
        if (kind >= REMOVED || target >= 0x10000) {
            bmp[point] = kOdd << kPackedKindShift;
            continue;
        }
        uint8_t bytes[4];
        uint32_t packed = 0;
        size_t length = encode(target, bytes);
        for (size_t i = 0; i < length; ++i) packed |= uint32_t(bytes[i]) << (8 * i);
        bmp[point] = packed | uint32_t(length) << kPackedLengthShift | kind << kPackedKindShift;
    }
}

static void close(WordSink& sink) {
    if (!sink.open) return;
    sink.ends[sink.count++] = uint32_t(sink.out - sink.text);
    *sink.out++ = ' ';
    sink.open = false;
}

// The code point before a mark that joins, and the offset of its three bytes; 0 if there is none.
static uint32_t before_mark(const WordSink& sink, uint8_t** at) {
    if (!sink.touching) return 0;
    uint8_t* end = sink.open ? sink.out : sink.out - 1;  // a single has its space behind it
    if (end - sink.text < 3 || (end[-3] & 0xF0) != 0xE0) return 0;
    *at = end - 3;
    return uint32_t(end[-3] & 0x0F) << 12 | uint32_t(end[-2] & 0x3F) << 6 | (end[-1] & 0x3F);
}

static uint32_t joined(const FoldTable& table, uint32_t base, uint32_t mark) {
    if (base >= 0x1100 && base <= 0x1112 && mark >= 0x1161 && mark <= 0x1175)
        return 0xAC00 + ((base - 0x1100) * 21 + (mark - 0x1161)) * 28;
    if (base >= 0xAC00 && base <= 0xD7A3 && (base - 0xAC00) % 28 == 0 && mark >= 0x11A8 &&
        mark <= 0x11C2)
        return base + (mark - 0x11A7);
    for (const Join& join : table.joins)
        if (join.base == base && join.mark == mark) return join.joined;
    return 0;
}

static void join_mark(WordSink& sink, uint32_t mark) {
    uint8_t* at = nullptr;
    uint32_t base = before_mark(sink, &at);
    uint32_t both = base == 0 ? 0 : joined(*sink.table, base, mark);
    if (both != 0) {
        encode(both, at);
        return;
    }
    if (mark == 0x3099 || mark == 0x309A) return;  // a voicing mark with nothing to voice
    sink.out += encode(mark, sink.out);
    sink.open = sink.touching = true;
}

static void fold_entry(WordSink& sink, uint32_t entry) {
    uint32_t point = entry & kPointMask;
    switch (entry >> kKindShift) {
        case SEPARATOR:
            close(sink);
            sink.touching = false;
            break;
        case WORD:
            sink.out += encode(point, sink.out);
            sink.open = sink.touching = true;
            break;
        case SINGLE:
            close(sink);
            sink.out += encode(point, sink.out);
            sink.open = sink.touching = true;
            close(sink);
            break;
        case REMOVED:
            break;
        case SEQUENCE: {
            const uint32_t* part = &sink.table->sequences[point];
            for (uint32_t left = *part++; left > 0; --left) fold_entry(sink, *part++);
            break;
        }
        case JOIN:
            join_mark(sink, point);
            break;
    }
}

void fold_odd(WordSink& sink, uint32_t point) { fold_entry(sink, sink.table->entry(point)); }

}  // namespace nearcopy
