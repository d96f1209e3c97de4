#!/usr/bin/env bash
# What many ranks cost on this machine: run the solutions of labs on them, with
# all cases that are for any number of ranks, and print a row for each lab:
#
#   | lab | ranks | cases | passed | seconds | CPU seconds | MiB |
#
# Questions and cases that are for fewer ranks aren't counted. Memory is the
# largest sum of the ranks' proportional set sizes that a look every few seconds
# has found. Exit status 1 if a case failed.
#
#   ranks.sh BUILD [RANKS [LAB...]]      default: 64, all labs
#
# They are on as many nodes of 8 H100 as that takes. NICE=19 in the environment
# spares others on this machine.
set -eu
build=$(realpath "$1") ranks=${2:-64}
shift $(($# < 2 ? $# : 2))
[ $# -gt 0 ] || set -- $(cd "$build/solutions" && echo lab*)
for lab; do
    [ -x "$build/solutions/$lab" ] ||
        { echo "ranks.sh: there is no $build/solutions/$lab"; exit 2; }
done
export SIMGPU_TOPO=$(((ranks + 7) / 8))x:dgx-h100
dir=$(mktemp -d)
run=
finish() {
    [ -z "$run" ] || kill -- "-$run" 2> /dev/null || :
    rm -rf "$dir"
}
trap finish EXIT

# The process and all that descend from it.
family() {
    ps -e -o pid=,ppid= | awk -v root="$1" '{ parent[$1] = $2 }
        END { for (p in parent) {
            for (q = p; q in parent && q != root; q = parent[q]);
            if (q == root) print p } }'
}

# MiB of them all.
memory() {
    family "$1" | sed 's|.*|/proc/&/smaps_rollup|' |
        xargs cat 2> /dev/null |
        awk '/^Pss:/ { n += $2 } END { print int(n / 1024) }'
}

# "CASES PASSED", and what was found wrong with the others.
verdicts() {
    sqlite3 :memory: "CREATE TABLE test AS
        SELECT json_extract(value, '\$.name') AS name,
            json_extract(value, '\$.outcome') AS outcome,
            json_extract(value, '\$.message') AS message
        FROM json_each(CAST(readfile('$dir/json') AS TEXT), '\$.tests')
        WHERE json_extract(value, '\$.answered') IS NULL;
        SELECT count(*) || ' ' || coalesce(sum(outcome = 'pass'), 0) FROM test;
        SELECT name || ': ' || message FROM test WHERE outcome <> 'pass';"
}

TIMEFORMAT='%R %U %S'
status=0
echo '| lab | ranks | cases | passed | seconds | CPU seconds | MiB |'
echo '|---|---|---|---|---|---|---|'
for lab; do
    rm -f "$dir"/*
    set -m
    { time nice -n "${NICE-0}" mpirun -n "$ranks" "$build/solutions/$lab" \
        --json="$dir/json" > "$dir/log" 2>&1 || :; } 2> "$dir/time" &
    run=$!
    set +m
    most=0
    while kill -0 "$run" 2> /dev/null; do
        now=$(memory "$run")
        most=$((now > most ? now : most))
        sleep 5
    done
    wait "$run" || :
    run=
    [ -s "$dir/json" ] || { cat "$dir/log" >&2; exit 1; }
    verdicts > "$dir/verdicts"
    read -r cases passed < "$dir/verdicts"
    awk -v head="| $lab | $ranks | $cases | $passed |" -v most="$most" \
        '{ printf "%s %.0f | %.0f | %d |\n", head, $1, $2 + $3, most }' \
        "$dir/time"
    [ "$cases" = "$passed" ] || { status=1; tail -n +2 "$dir/verdicts" >&2; }
done
exit $status
