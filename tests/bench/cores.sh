#!/usr/bin/env bash
# Wall time of three kernels on one core against that on all: cores.sh BUILD
set -eu
export SIMGPU_CLOCK=real
one=$(SIMGPU_CORES=1 "$1/tests/bench/prog_access" wall)
all=$(SIMGPU_CORES=$(nproc) "$1/tests/bench/prog_access" wall)
echo "$one $all" | awk -v n="$(nproc)" '{
    printf "blocks on %d cores, against one: untiled product %.2f times as " \
        "fast, tiled product %.2f, Jacobi %.2f\n", n, $1 / $4, $2 / $5, $3 / $6
}'
