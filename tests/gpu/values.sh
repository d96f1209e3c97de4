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
rm -f "$dir"/prog_*.txt
parts=0
while read -r program part; do
    file=$dir/$program.txt
    [ -e "$file" ] || printf '%s\n%s\n' \
        "What the parts of this program print on $gpu, GPUs: $gpus." \
        "Driver $driver, CUDA runtime $runtime." > "$file"
    printf '\n== %s\n%s\n--\n' "$part" "$program" >> "$file"
    { timeout 30 "$build/tests/runtime/$program" "$part" 2> /dev/null < \
        /dev/null || true; } | head -n 1000 >> "$file"
    parts=$((parts + 1))
done < <(awk '/^== /{ part = $2; getline; print $1, part }' \
    tests/runtime/values.txt tests/runtime/h100/prog_random.txt)
echo "$parts parts"
[ "$parts" -gt 0 ]
