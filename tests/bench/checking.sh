#!/usr/bin/env bash
# What SIMGPU_CHECK=1 costs: lab 1's solution on 4 ranks, with and without, the
# least time of five runs each, in turn; and the processor time of kernels whose
# shared memory and atomic operations are checked.
set -eu
least() { sort -n "$1" | head -n 1; }
dir=$(mktemp -d)
trap 'rm -r "$dir"' EXIT
for _ in 1 2 3 4 5; do
    for check in 0 1; do
        begin=$(date +%s%N)
        SIMGPU_CHECK=$check mpirun -n 4 "$1/solutions/lab1" \
            > /dev/null 2> "$dir/err"
        echo $(($(date +%s%N) - begin)) >> "$dir/$check"
    done
done
awk -v off="$(least "$dir/0")" -v on="$(least "$dir/1")" 'BEGIN {
    printf "lab 1, 4 ranks: %.2f s, with SIMGPU_CHECK=1 %.2f s: %.2f times\n",
           off / 1e9, on / 1e9, on / off }'
for check in 0 1; do
    SIMGPU_CHECK=$check "$1/tests/bench/prog_kernels" milliseconds \
        2> "$dir/err"
done | awk '
    NR == 1 { split($0, off) }
    NR == 2 {
        printf "kernels with SIMGPU_CHECK=1: reduction by a tree %.1f times, " \
               "by shuffles %.1f, histogram in global memory %.1f, in shared " \
               "memory %.1f\n",
               $1 / off[1], $2 / off[2], $3 / off[3], $4 / off[4]
    }'
