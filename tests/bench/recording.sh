#!/usr/bin/env bash
# What recording the execution graph, and answering questions about time from
# it, costs a run of lab 1: processor time with and without. The runs take
# turns, so both see the same machine; MPICH spins while it waits, so one core
# for each rank, or the ratio says little.
#
#   recording.sh BUILD [PAIRS]
set -eu
build=$1 pairs=${2:-15}
TIMEFORMAT='%U %S'
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# Processor seconds of a run; without a graph a case about time may fail.
run() {
    { time SIMGPU_RECORD=$1 mpirun -n 2 "$build/solutions/lab1" \
        > "$log" 2>&1 || true; } 2>&1
    grep -q '^total' "$log" || { cat "$log" >&2; exit 1; }
}

for ((i = 0; i < pairs; i++)); do
    echo "$(run on) $(run off)"
done | awk '
    { ratio[NR] = ($1 + $2) / ($3 + $4); on += $1 + $2; off += $3 + $4 }
    END {
        for (i = 1; i <= NR; i++)
            for (k = i + 1; k <= NR; k++)
                if (ratio[k] < ratio[i]) {
                    t = ratio[i]; ratio[i] = ratio[k]; ratio[k] = t
                }
        printf "recording: lab 1 takes %.2f s of processor time with, %.2f s " \
            "without; ratio %.2f (median of %d)\n", on / NR, off / NR,
            ratio[int((NR + 1) / 2)], NR
    }'
