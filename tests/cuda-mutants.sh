#!/usr/bin/env bash
# Every mutant is a program for real GPUs, too: what it changes compiles against
# the real headers, without a warning.
#
#   cuda-mutants.sh BUILD CUDA_HOME
#
# Compiled is what a patch touches; of a header, the first file that includes
# it. Of n slices, SUITE_SLICE=i/n takes every n-th patch.
set -eu
export cuda=${2-} slice=${SUITE_SLICE:-1/1}
if ! [ -f "$cuda/include/nccl.h" ] || ! [ -x "$cuda/bin/nvcc" ]; then
    echo "skipped: mutants for GPU=cuda (no CUDA toolkit with NCCL here)"
    exit 0
fi
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
export out
mpi="$(pkg-config --cflags mpich) -DMPICH_SKIP_MPICXX"
export flags="-Icommon -Icommon/cuda -isystem $cuda/include $mpi"

compile() { # FILE LAB
    local flags="$flags -Icommon/staff/$2"
    # shellcheck disable=SC2086 # flags are words
    case $1 in
    *.c) gcc -std=gnu11 -Wall -Wextra -Werror $flags -fsyntax-only "$1" ;;
    *.cu) "$cuda/bin/nvcc" -std=c++17 -Werror all-warnings $flags \
        -Xcompiler -Wall,-Wextra,-Werror \
        -gencode arch=compute_80,code=compute_80 -c "$1" -o "$1.o" ;;
    *.h | *.cuh) compile "$(grep -l "\"$(basename "$1")\"" \
        "${1%/*}"/*.c "${1%/*}"/*.cu | head -n 1)" "$2" ;;
    esac
}

check() { # SERIES NAME
    local lab=${1#tests/mutants/} dir f
    lab=${lab%.patch}
    dir=$(mktemp -d "$out/XXXXXX")
    cp solutions/"$lab"/* "$dir"
    tests/section.sh "$1" "$2" > "$dir/patch"
    patch -d "$dir" -p1 --quiet < "$dir/patch" ||
        { echo "$1: $2 does not apply"; return 1; }
    for f in $(sed -n 's|^+++ b/||p' "$dir/patch"); do
        compile "$dir/$f" "$lab" ||
            { echo "$1: $2: $f does not compile"; return 1; }
    done
}
export -f compile check

awk '/^== / { print FILENAME, $2 }' tests/mutants/*.patch |
    awk -v i="${slice%/*}" -v n="${slice#*/}" 'NR % n == i % n' |
    xargs -n 2 bash -c 'check "$0" "$1"'
echo "ok     mutants compile for GPU=cuda, slice $slice"
