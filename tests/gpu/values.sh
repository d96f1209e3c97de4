#!/usr/bin/env bash
# What CUDA's calls return and say on this machine, in files like those of
# tests/runtime/h100.
#
#   tests/gpu/values.sh BUILD DIR
#
# Prints how many parts of the programs ran; a part that dies, or has no end,
# has what it printed until then.
set -euo pipefail
cd "$(dirname "$0")/../.."
build=${1:?which build folder?} dir=${2:?where to?}
read -r gpus gpu driver runtime _ <<< "$("$build/probe" --short)"

mkdir -p "$dir"
for file in "$dir"/{values,random}.txt; do
    printf '%s\n%s\n' \
        "What the parts of the programs print on $gpu, GPUs: $gpus." \
        "Driver $driver, CUDA runtime $runtime." > "$file"
done
parts=0
while read -r program part; do
    file=$dir/values.txt
    [ "$program" != prog_random ] || file=$dir/random.txt
    printf '\n== %s\n%s\n--\n' "$part" "$program" >> "$file"
    { timeout 30 "$build/tests/runtime/$program" "$part" 2> /dev/null < \
        /dev/null || true; } | head -n 1000 >> "$file"
    parts=$((parts + 1))
done < <({ cat tests/runtime/values.txt; gzip -dc tests/runtime/h100/random.gz; } |
    awk '/^== /{ part = $2; getline; print $1, part }')
echo "$parts parts"
[ "$parts" -gt 0 ]
