#!/usr/bin/env bash
# What grading costs: lab 1's solution by `grade run`, compiled or with objects
# that a grading before it has compiled, against the same cases under mpirun
# alone, which judges them in its own process; and that with and without a
# record of what it did. Least times of runs in turn. Grading with objects may
# take 1.5 times the bare run; the exit status is 1 if it takes more. It says
# something only on an idle machine: the sandbox is a session of its own, which
# the kernel gives its share of a busy one.
#
#   grading.sh BUILD [ROUNDS [LAB]]
set -eu
build=$(realpath "$1") rounds=${2:-3} lab=${3:-lab1} limit=1.5
plans=$(realpath "$build/../grader/plans")
solution=$(echo "$build"/../solutions/"$lab"-*)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
mkdir -m 700 "$dir/objects"

# The runs that the plan asks for: ranks and machine, as grader/cases.c.
jobs_of() {
    awk '
        function of(key,  at, text) {
            at = match($0, "[ {]" key ": *(\\[[^]]*\\]|\"[^\"]*\"|[^,}]*)")
            text = at ? substr($0, RSTART, RLENGTH) : ""
            sub(".*" key ": *", "", text)
            gsub("[][\",]", " ", text)
            return text
        }
        /^ranks:/ { ranks = of("ranks") } /^topo:/ { topo = of("topo") }
        /- \{name:/ && !/kind: answer/ {
            n = split(of("ranks") ? of("ranks") : ranks, r, " ")
            for (i = 1; i <= n; i++)
                print r[i], of("topo") ? of("topo") : topo ? topo : "dgx-h100"
        }' "$plans/$lab"-*.yaml "$plans/hidden/$lab"-*.yaml | sort -u
}

bare() { # SETTING
    while read -r ranks topo; do
        env "$1" SIMGPU_SCHEDULE=late SIMGPU_TOPO="$topo" mpirun -n "$ranks" \
            "$build/solutions/$lab" --hidden < /dev/null > "$dir/log" 2>&1 ||
            true # a case about times, without times
        grep -q '^total' "$dir/log" || { cat "$dir/log" >&2; exit 1; }
    done < "$dir/jobs"
}

graded() { # WHAT MORE...
    (cd "$dir" && "$build/grade" run --lab "$lab" --quiet "${@:2}" "$solution") \
        > "$dir/log" 2>&1 || [ $? -eq 1 ] || { cat "$dir/log" >&2; exit 1; }
}

timed() { # NAME COMMAND...
    local begin
    begin=$(date +%s%N)
    "${@:2}"
    echo $((($(date +%s%N) - begin) / 1000000)) >> "$dir/$1.ms"
}

jobs_of > "$dir/jobs"
[ -s "$dir/jobs" ] || { echo "no cases found for $lab" >&2; exit 1; }
graded warm --objects objects
for ((i = 0; i < rounds; i++)); do
    timed off bare SIMGPU_RECORD=off
    timed bare bare SIMGPU_GRAPH=
    timed run graded run --objects objects
    timed whole graded whole
done
least() { sort -n "$dir/$1.ms" | head -n 1; }
awk -v off="$(least off)" -v bare="$(least bare)" -v run="$(least run)" \
    -v whole="$(least whole)" -v limit=$limit -v lab="$lab" \
    -v n="$(wc -l < "$dir/jobs")" 'BEGIN {
    printf "%s, %d runs: bare %.2f s (nothing recorded: %.2f s); graded " \
           "%.2f s: %.2f times, limit %.1f; with compiling %.2f s: %.2f times\n",
           lab, n, bare / 1e3, off / 1e3, run / 1e3, run / bare, limit,
           whole / 1e3, whole / bare
    exit run > limit * bare }'
