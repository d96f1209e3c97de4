#!/usr/bin/env bash
# show.sh NAME [N [FILE.svg RANKS]]: a run with a planted cause, looked at
#
# Runs prog_causes NAME (N: only one N-th of its repetitions) on its machine and
# prints the first answer of commgraph explain, without the line. With FILE.svg
# it draws the timeline of the first RANKS ranks instead. BUILD=dir: default
# build.
set -euo pipefail
cd "$(dirname "$0")/../.."
build=${BUILD-build}
prog=$build/tests/explain/prog_causes
[ -x "$prog" ] || make -s "$prog" > /dev/null
read -r _ _ nranks machine < <("$prog" --list | grep "^$1 ")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
SIMGPU_TOPO=$machine SIMGPU_DATALESS=on SIMGPU_GRAPH=$work/run \
    mpirun -n "$nranks" "$prog" "$1" "${2-1}" > /dev/null < /dev/null
if [ -n "${3-}" ]; then
    "$build/commgraph" timeline "$work/run" -o "$3" --span cost --ranks "$4"
else
    "$build/commgraph" explain "$work/run" |
        awk '/^1\. / { on = 1 } on && !NF { exit } on && !/^    at /'
fi
