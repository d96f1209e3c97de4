#!/bin/sh
# agree.sh: build a lab's patched solution as `make labN` does
#
#   agree.sh LAB SRC BUILD PROGRAM
#
# SRC is the patched solution. Files that it has in common with the solution are
# not compiled: their objects are those of BUILD, unless a header differs.
set -eu
lab=$1 src=$(realpath "$2") build=$(realpath "$3") program=$(realpath "$4")
root=$(dirname "$build")
backend=$(head -1 "$build/backend")
GPU=$build/simgpu COMMON=$root/common
. "$build/$backend/toolchain"
objects=$(mktemp -d "${TMPDIR:-/tmp}/commlab-agree-XXXXXX")
trap 'rm -rf "$objects"' EXIT
cd "$src"

all=
for h in *.h *.cuh; do
    [ ! -e "$h" ] || cmp -s "$h" "$root/solutions/$lab/$h" || all=1
done
for file in *.c *.cu; do
    [ -e "$file" ] || continue
    o=$objects/${file%.*}.o
    if [ -z "$all" ] && cmp -s "$file" "$root/solutions/$lab/$file"; then
        ln -s "$build/$backend/obj/solutions/$lab/${file%.*}.o" "$o"
        continue
    fi
    case $file in
    *.cu) compiler=$cu ;;
    *) compiler=$cc ;;
    esac
    $compiler $headers "-I$root/common/staff/$lab" -c "$file" -o "$o"
done

staff=$build/$backend/staff/$lab
ld -r -o "$objects/half" "$objects"/*.o
objcopy --keep-global-symbols="$staff/kit.contract" "$objects/half"
$cxx -o "$program" "$objects/half" "$staff/kit.o" $libs \
    "-Wl,-rpath,$build/simgpu/lib"
