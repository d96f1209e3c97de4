#!/usr/bin/env bash
# What recording costs an all-reduce: prog_all_reduce with nothing recorded,
# with its execution graph recorded, and with each record handed to the grader's
# recorder, in turn; the best of each, since what else runs only slows it down.
# That is wall time, so it says something only on an idle machine with a core
# for each rank.
#
#   all_reduce.sh BUILD [RANKS [ROUNDS]]
set -eu
build=$(realpath "$1") ranks=${2:-2} rounds=${3:-5}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export TMPDIR=$dir

all_reduce() { # NAME COMMAND...
    "${@:2}" mpirun -n "$ranks" "$build/tests/bench/prog_all_reduce" |
        awk -v name="$1" '{ sub(/.*simgpu /, ""); print name, NR, $1 }'
}
for ((i = 0; i < rounds; i++)); do
    all_reduce off env SIMGPU_RECORD=off
    all_reduce on env SIMGPU_RECORD=unasked
    all_reduce graded "$build/tests/bench/prog_recorded" "$ranks"
done > "$dir/rates"

awk -v n="$ranks" -v rounds="$rounds" '
    $3 > best[$1, $2] { best[$1, $2] = $3 }
    END {
        split("out of place;in place", place, ";")
        for (i = 1; i <= 2; i++) {
            off = best["off", i]
            printf "all-reduce of 16 MiB, %d ranks, %s, best of %d: nothing " \
                   "recorded %.2f GB/s, recorded %.2f (%+.1f %%), by the " \
                   "grader %.2f (%+.1f %%)\n", n, place[i], rounds, off,
                   best["on", i], 100 * (best["on", i] / off - 1),
                   best["graded", i], 100 * (best["graded", i] / off - 1)
        }
    }' "$dir/rates"
