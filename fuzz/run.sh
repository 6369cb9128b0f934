#!/bin/sh
# Builds the fuzz targets and runs each for SECONDS (600); see fuzz/README.md.
#   SECONDS=60 fuzz/run.sh [text] [key_index] [titles] [numerals] [profiles] [joins] [slugs]
#       [addresses] [facts] [headlines] [pages] [feeds] [rows] [requests]
set -eu
seconds=$(printenv SECONDS || echo 600)  # bash would count up $SECONDS
cd "$(dirname "$0")/.."
CXX=${CLANGXX:-clang++}
NATIVE=${NATIVE:-src/native}  # or another copy, to try a patch
PYTHON=${PYTHON:-.venv/bin/python}
OUT=fuzz/build
native="text key_index titles numerals profiles joins slugs"
python="addresses facts headlines pages feeds rows requests"
asked=${*:-$native $python}

# The flags of CMakeLists.txt.
avx2="-mavx2 -mbmi -mbmi2 -mlzcnt -mpopcnt"
avx512="$avx2 -mavx512f -mavx512bw -mavx512dq -mavx512vl -mavx512vbmi -mavx512vbmi2"
avx512="$avx512 -mprefer-vector-width=512"
levels=
[ "$(uname -m)" != x86_64 ] || levels=-DNEARCOPY_X86_LEVELS

has_libfuzzer() {
    echo 'extern "C" int LLVMFuzzerTestOneInput(const char*, unsigned long) { return 0; }' |
        "$CXX" -x c++ -fsanitize=fuzzer,address,undefined - -o $OUT/probe 2>/dev/null
}

need_clang() {
    ! has_libfuzzer || return 0
    if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
        echo "fuzz: please install clang with libFuzzer (not root, or no apt-get here)" >&2
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

lanes() {  # level flags...
    level=$1
    shift
    compile "lanes_$level" "$NATIVE/lanes.cpp" -O3 "-DNEARCOPY_LANES=$level" "$@"
}

build() {
    "$PYTHON" fuzz/dump_tables.py $OUT/tables.bin
    echo 'fun:*4fuzz*' >$OUT/not_covered  # only what is under test counts
    rm -f $OUT/*.o
    for name in addresses dispatch distances fold joins lines neighbours numerals overlap profiles \
        scans set_ranks sketch technical titles words; do
        compile $name "$NATIVE/$name.cpp"
    done
    lanes baseline
    [ -z "$levels" ] || lanes avx2 $avx2
    [ -z "$levels" ] || lanes avx512 $avx512
    kernels=$(echo $OUT/*.o)
    for target in $native; do
        compile target_$target fuzz/$target.cpp
        "$CXX" -fsanitize=fuzzer,address,undefined $OUT/target_$target.o $kernels -pthread \
            -o $OUT/fuzz_$target
    done
}

need_atheris() {
    ! "$PYTHON" -c 'import atheris' 2>/dev/null || return 0
    echo "fuzz: installing atheris into the environment of $PYTHON"
    "$PYTHON" -m pip install --quiet --disable-pip-version-check --group fuzz || {
        echo "fuzz: there is no atheris for this Python; name the others: fuzz/run.sh $native" >&2
        exit 2
    }
}

among() {  # targets: whether one of them is asked for
    for each in $asked; do
        case " $1 " in *" $each "*) return 0 ;; esac
    done
    return 1
}

command_of() {  # target
    case " $native " in
        *" $1 "*) echo "$OUT/fuzz_$1" ;;
        *) echo "$PYTHON fuzz/guided.py $1" ;;
    esac
}

attempt() {  # target arguments...
    target=$1
    shift
    $(command_of "$target") -timeout=30 -rss_limit_mb=4096 "$@" >$OUT/"$target".log 2>&1 || {
        grep -vE '^#[0-9]|NEW_FUNC' $OUT/"$target".log | tail -n 60
        input=$(sed -n 's/.*Test unit written to //p' $OUT/"$target".log)
        echo "fuzz: a finding; once more with: $(command_of "$target") ${input:-$*}" >&2
        exit 1
    }
}

fuzz() {  # target seconds longest-input slowness-to-lengthen
    echo "fuzz: $1 for $2 s, inputs up to $3 bytes"
    mkdir -p fuzz/corpus/"$1"
    dictionary=
    [ ! -f fuzz/"$1".dict ] || dictionary=-dict=fuzz/$1.dict
    attempt "$1" -max_total_time="$2" -max_len="$3" -len_control="$4" $dictionary \
        -print_final_stats=1 -artifact_prefix=$OUT/found/"$1"- fuzz/corpus/"$1" fuzz/seeds/"$1"
    grep -E 'DONE|executed_units|peak_rss' $OUT/"$1".log
}

mkdir -p $OUT/found
if among "$native"; then
    need_clang
    build
fi
! among "$python" || need_atheris
long=$((seconds / 5 + 1))
for target in $asked; do
    for known in tests/fuzz_findings/"$target"-*; do
        [ ! -f "$known" ] || attempt "$target" "$known"
    done
    fuzz "$target" $((seconds - seconds / 5)) 4096 20
    fuzz "$target" $long 65536 0
done
echo "fuzz: nothing found"
