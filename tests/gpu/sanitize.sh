#!/usr/bin/env bash
# The labs' solutions under NVIDIA's compute-sanitizer (make sanitize).
#
#   tests/gpu/sanitize.sh BUILD [LAB...]            default: every lab
#
# A line for each tool and lab: memcheck, accesses outside of allocations;
# racecheck, shared memory; synccheck, barriers; initcheck, memory read before
# it was written. A lab's verdicts don't matter here: what is timed is slow
# under the tool, and may fail. Nor do errors that calls return: NCCL asks for
# what the GPU may not have, and takes no for an answer.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
. tests/gpu/lib.sh
build=${1:?which build folder?}
shift
FOUND=99 # the exit status by which the tool says that it found something
tools=(memcheck racecheck synccheck initcheck)
find_machine "$build"

under() { # TOOL LAB RANKS
    local name="$1 of $2, $3 ranks" status
    again to_log timeout --kill-after=10 1800 mpirun -n "$3" \
        compute-sanitizer --tool "$1" --error-exitcode $FOUND --print-limit 5 \
        $([ "$1" != memcheck ] || echo --report-api-errors no) \
        "$build/solutions/$2"
    status=$?
    if [ $status -eq 124 ]; then
        skip "$name" "not done after 1800 s"
    elif ! grep -qE '(ERROR|RACECHECK) SUMMARY' "$log"; then
        failure "$name: it did not run (status $status)"
    elif grep -qE 'SUMMARY: [1-9]' "$log" || [ $status -eq $FOUND ]; then
        grep -E '^=========' "$log" | head -n 12 > "$log.short"
        mv "$log.short" "$log"
        failure "$name"
    else
        ok "$name"
    fi
}

if [ "$gpus" -eq 0 ]; then
    echo "nothing was tested: no GPU here"
    exit 1
fi
# shellcheck disable=SC2046 # names without blanks
[ $# -gt 0 ] || set -- $(all_labs)
echo "$gpus GPUs, $gpu, backend $backend"
for lab in "$@"; do
    ranks=$((gpus < 2 ? gpus : 2)) # two find what eight do, and take less long
    for tool in "${tools[@]}"; do
        if ! command -v compute-sanitizer > /dev/null; then
            skip "$tool of $lab" "no compute-sanitizer here"
        elif [ ! -x "$build/solutions/$lab" ]; then
            skip "$tool of $lab" "$build/solutions/$lab is not built"
        elif [ "$(need "$lab")" -gt "$gpus" ]; then
            skip "$tool of $lab" "needs $(need "$lab") GPUs, here are $gpus"
        else
            under "$tool" "$lab" "$ranks"
        fi
    done
done
finish
