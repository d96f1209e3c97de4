#!/usr/bin/env bash
# Speeds, as ratios within one run: they say something on any machine.
set -eu
for n in 2 4 8; do
    mpirun -n "$n" "$1/tests/bench/prog_all_reduce"
done
"$1/tests/bench/prog_fiber"
"$1/tests/bench/prog_access"
"$1/tests/bench/prog_kernels"
tests/bench/cores.sh "$1"
"$1/tests/bench/prog_replay_speed"
tests/bench/all_reduce.sh "$1"
tests/bench/recording.sh "$1"
tests/bench/checking.sh "$1"
tests/bench/grading.sh "$1"
