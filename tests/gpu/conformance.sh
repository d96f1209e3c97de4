#!/usr/bin/env bash
# What the conformance programs print on this machine, as a file that
# test_conformance holds simgpu to (tests/support/expected.h tells the format).
#
#   tests/gpu/conformance.sh BUILD > expected-GPU-VERSIONS.txt
#   tests/gpu/conformance.sh --name BUILD        that file's name
#
# BUILD's programs decide what "this machine" is: real GPUs or simgpu.
set -euo pipefail
cd "$(dirname "$0")/../.."
. tests/gpu/again.sh

name=
[ "${1-}" = --name ] && { name=1; shift; }
build=${1:?which build folder?}
machine=$("$build/probe" --short)
read -r gpus gpu driver runtime nccl <<< "$machine"

# expected-nvidia-h200-driver13.0-cuda13.0-nccl2.32.3.txt
if [ -n "$name" ]; then
    echo "expected-$gpu-driver$driver-cuda$runtime-nccl$nccl.txt"
    exit
fi

echo "# $gpu: driver $driver, CUDA runtime $runtime, NCCL $nccl"
echo "# Written by tests/gpu/conformance.sh, $(date -u +%F)."
echo "gpus $gpus"
failed=0 out=$(mktemp)
trap 'rm -f "$out"' EXIT
run_program() { timeout 120 mpirun -n "$1" "$2" > "$out" < /dev/null; }
while read -r rule ranks; do
    program=$build/tests/conformance/prog_rule$rule
    title="rule $rule${ranks:+ ranks $ranks}"
    printf '\n'
    if [ ! -x "$program" ]; then
        echo "$title skipped: $program is not built"
    elif again run_program "${ranks:-1}" "$program"; then
        echo "$title"
        cat "$out"
    else
        echo "conformance.sh: $program ended with status $?" >&2
        failed=1
        echo "$title skipped: the program did not end well"
    fi
done < <(sed -nE 's/^rule ([0-9]+)( ranks ([0-9]+))?$/\1 \3/p' \
    tests/conformance/expected.txt)
exit $failed
