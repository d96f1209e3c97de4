#!/usr/bin/env bash
# The kit's kernels against what the GPU can do (make bench-gpu builds them).
#
#   tests/gpu/bench-gpu.sh BUILD
#
# The device's clocks are said before and after: a rate means something beside
# them. With a build for simgpu the times are modelled.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
. tests/gpu/lib.sh
build=${1:?which build folder?}

clocks() { # WHEN
    local said
    if [ "$backend" = sim ]; then
        said="modelled: they never change"
    elif ! said=$(nvidia-smi -i 0 --format=csv,noheader --query-gpu=clocks.sm,\
clocks.max.sm,clocks.mem,clocks.max.mem,temperature.gpu,power.draw 2>&1); then
        said="unknown: $(head -n 1 <<< "$said")"
    fi
    echo "# clocks $1 (SM, its most, memory, its most, C, W): $said"
}

find_machine "$build"
if [ "$gpus" -eq 0 ]; then
    echo "nothing was measured: no GPU here"
    exit 1
fi
echo "# backend $backend, $gpu"
clocks before
"$build/tests/gpu/prog_ceilings" || exit 1
clocks after
