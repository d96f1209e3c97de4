#!/usr/bin/env bash
# What recording the execution graph costs a run of lab 1, and what it costs
# together with the answers to the run's questions about time: processor time
# against that of a run without, in runs that take turns. MPICH spins while it
# waits, so its time says how busy the machine is, not what a run does: perf
# leaves it out. Without perf all time counts, which says something only on an
# idle machine with a core for each rank.
#
#   recording.sh BUILD [ROUNDS]
set -eu
build=$1 rounds=${2:-9}
TIMEFORMAT='%U %S'
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
command -v perf > /dev/null && perf=1 || perf=

# Neither, only recorded, or both. Without times a case about them may fail.
setting() {
    case $1 in
    off) echo SIMGPU_RECORD=off ;;
    recorded) echo SIMGPU_RECORD=unasked ;;
    asked) echo SIMGPU_GRAPH= ;;
    esac
}
lab1() {
    env "$(setting "$1")" "${@:2}" mpirun -n 4 "$build/solutions/lab1" \
        --iterations 3 > "$dir/log" 2>&1 || true
    grep -q '^total' "$dir/log" || { cat "$dir/log" >&2; exit 1; }
}

# Samples outside MPICH and its transport, or seconds.
cost() {
    if [ -n "$perf" ]; then
        lab1 "$1" perf record -q -F 4000 -o "$dir/perf"
        perf report -i "$dir/perf" --stdio -g none --sort dso -n 2> /dev/null |
            awk '!/^#/ && !/mpich|libuc|hydra/ { n += $2 } END { print n }'
    else
        { time lab1 "$1"; } 2>&1 | awk '{ print $1 + $2 }'
    fi
}

median() { sort -n | awk '{ x[NR] = $1 } END { print x[int((NR + 1) / 2)] }'; }

for ((i = 0; i < rounds; i++)); do
    echo "$(cost recorded) $(cost asked) $(cost off)"
done > "$dir/costs"
printf 'processor time of lab 1%s: recording %.3f times, with answers %.3f (%s)\n' \
    "${perf:+ outside MPICH}" \
    "$(awk '{ print $1 / $3 }' "$dir/costs" | median)" \
    "$(awk '{ print $2 / $3 }' "$dir/costs" | median)" "medians of $rounds"
