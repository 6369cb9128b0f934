#!/bin/sh
# Builds the fuzz targets and runs each for SECONDS (600); see fuzz/README.md.
#   SECONDS=60 fuzz/run.sh [text] [indexes]
set -eu
seconds=$(printenv SECONDS || echo 600)
cd "$(dirname "$0")/.."
CXX=${CLANGXX:-clang++}
NATIVE=${NATIVE:-src/native}  # another copy, to try a patch
PYTHON=${PYTHON:-.venv/bin/python}
OUT=fuzz/build

need_clang() {
    echo 'int main() {}' | "$CXX" -x c++ -fsanitize=address,undefined - -o /dev/null 2>/dev/null && return
    if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
        echo "fuzz: please install clang and its sanitizers (not root, or no apt-get here)" >&2
        exit 2
    fi
    echo "fuzz: installing clang and libclang-rt-14-dev with apt-get"
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq clang libclang-rt-14-dev >/dev/null
}

compile() {  # object source flags...
    object=$OUT/$1.o source=$2
    shift 2
    "$CXX" -std=c++17 -O1 -g -fsanitize=fuzzer-no-link,address,undefined \
        -fno-sanitize-recover=all -fno-omit-frame-pointer -Wall -Wextra $levels \
        -fno-sanitize-coverage=trace-cmp -fsanitize-coverage-ignorelist=$OUT/not_covered \
        -DFUZZ_TABLES="\"$PWD/$OUT/tables.bin\"" -I"$NATIVE" "$@" -c "$source" -o "$object"
}

# The flags of CMakeLists.txt.
avx2="-mavx2 -mbmi -mbmi2 -mlzcnt -mpopcnt"
avx512="$avx2 -mavx512f -mavx512bw -mavx512dq -mavx512vl -mavx512vbmi -mavx512vbmi2"
avx512="$avx512 -mprefer-vector-width=512"
levels=
[ "$(uname -m)" != x86_64 ] || levels=-DNEARCOPY_X86_LEVELS

build() {
    mkdir -p $OUT
    echo 'fun:*4fuzz*' >$OUT/not_covered  # only what is under test counts
    "$PYTHON" fuzz/dump_tables.py $OUT/tables.bin
    for name in dispatch fold overlap scans sketch words; do compile $name "$NATIVE/$name.cpp"; done
    compile lanes_baseline "$NATIVE/lanes.cpp" -O3 -DNEARCOPY_LANES=baseline
    [ -z "$levels" ] || compile lanes_avx2 "$NATIVE/lanes.cpp" -O3 -DNEARCOPY_LANES=avx2 $avx2
    [ -z "$levels" ] || compile lanes_avx512 "$NATIVE/lanes.cpp" -O3 -DNEARCOPY_LANES=avx512 $avx512
    for target in text indexes; do
        compile $target fuzz/$target.cpp
        "$CXX" -fsanitize=fuzzer,address,undefined $OUT/$target.o $OUT/dispatch.o $OUT/fold.o \
            $OUT/overlap.o $OUT/scans.o $OUT/sketch.o $OUT/words.o $OUT/lanes_*.o -pthread \
            -o $OUT/fuzz_$target
    done
}

fuzz() {  # target seconds longest-input slowness-to-lengthen
    mkdir -p fuzz/corpus/"$1" $OUT/found
    dictionary=
    [ ! -f fuzz/"$1".dict ] || dictionary=-dict=fuzz/$1.dict
    echo "fuzz: $1 for $2 s, inputs up to $3 bytes"
    $OUT/fuzz_"$1" -max_total_time="$2" -max_len="$3" -len_control="$4" -timeout=30 -print_final_stats=1 $dictionary \
        -artifact_prefix=$OUT/found/"$1"- fuzz/corpus/"$1" fuzz/seeds/"$1" >$OUT/"$1".log 2>&1 || {
        tail -n 60 $OUT/"$1".log
        echo "fuzz: a finding in $1; the input is named above, again with: $OUT/fuzz_$1 <input>" >&2
        exit 1
    }
    grep -E 'DONE|executed_units|peak_rss' $OUT/"$1".log
}

need_clang
build
for target in ${*:-text indexes}; do
    for known in tests/fuzz_findings/"$target"-*; do
        [ ! -f "$known" ] || $OUT/fuzz_"$target" "$known" >$OUT/"$target".log 2>&1 || {
            tail -n 60 $OUT/"$target".log
            echo "fuzz: the known finding $known is back" >&2
            exit 1
        }
    done
    fuzz "$target" $((seconds * 4 / 5)) 4096 20
    fuzz "$target" $((seconds - seconds * 4 / 5)) 65536 0
done
echo "fuzz: nothing found"
