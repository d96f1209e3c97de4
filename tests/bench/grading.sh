#!/usr/bin/env bash
# What grading costs: lab 1's solution by `grade run`, compiled or with objects
# that a grading before it has compiled, against the same cases under mpirun
# alone, which judges them in its own process; and that with and without a
# record of what it did. Least times of runs in turn, as CPU time of all
# processes: a sandbox is a session of its own, which the kernel gives its share
# of a busy machine, so wall times of the two compare only on an idle one.
# Grading with objects may take 1.5 times the bare run; the exit status is 1 if
# it takes more.
#
#   grading.sh BUILD [ROUNDS [LAB]]
set -eu
build=$(realpath "$1") rounds=${2:-3} lab=${3:-lab1} limit=1.5
plans=$(realpath "$build/../grader/plans")
solution=$(echo "$build"/../solutions/"$lab"-*)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
mkdir -m 700 "$dir/objects"

# The runs that the plan asks for, as grader/run/cases.c: ranks, machine, cases.
jobs_of() {
    awk '
        function of(key,  at, text) {
            at = match($0, "(^|[ {])" key ": *(\\[[^]]*\\]|\"[^\"]*\"|[^,}]*)")
            text = at ? substr($0, RSTART, RLENGTH) : ""
            sub(".*" key ": *", "", text)
            gsub("[][\",]", " ", text)
            return text
        }
        /^ranks:/ { ranks = of("ranks") } /^topo:/ { topo = of("topo") }
        /- \{name:/ && !/kind: answer/ {
            n = split(of("ranks") ? of("ranks") : ranks, r, " ")
            name = of("name")
            gsub(" ", "", name)
            for (i = 1; i <= n; i++) {
                on = of("topo") ? of("topo") : topo ? topo : "dgx-h100"
                job = r[i] " " on
                sub(" +$", "", job)
                cases[job] = cases[job] (cases[job] ? "," : "") name
            }
        }
        END { for (job in cases) print job, cases[job] }' \
        "$plans/$lab"-*.yaml "$plans/hidden/$lab"-*.yaml | tr -s ' ' | sort
}

bare() { # SETTING
    while read -r ranks topo cases; do
        env "$1" SIMGPU_SCHEDULE=late SIMGPU_TOPO="$topo" mpirun -n "$ranks" \
            "$build/solutions/$lab" --hidden --case "$cases" < /dev/null \
            > "$dir/log" 2>&1 ||
            true # a case about times, without times
        grep -q '^total' "$dir/log" || { cat "$dir/log" >&2; exit 1; }
    done < "$dir/jobs"
}

graded() { # WHAT MORE...
    (cd "$dir" && "$build/grade" run --lab "$lab" --quiet "${@:2}" "$solution") \
        > "$dir/log" 2>&1 || [ $? -eq 1 ] || { cat "$dir/log" >&2; exit 1; }
}

# bwrap does not wait for the process that reaps those inside: this adopts it.
cc -O1 -o "$dir/cpu" -x c - << 'END'
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double sec(struct timeval t) { return t.tv_sec + 1e-6 * t.tv_usec; }

int main(int argc, char **argv) // FILE COMMAND...: append CPU and wall seconds
{
    struct timespec a, b;
    struct rusage u;
    int status, first = 1;
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    clock_gettime(CLOCK_MONOTONIC, &a);
    const pid_t child = fork();
    if (child == 0)
        _exit(execvp(argv[2], argv + 2));
    for (pid_t p; (p = wait(&status)) > 0;)
        if (p == child)
            first = status;
    clock_gettime(CLOCK_MONOTONIC, &b);
    getrusage(RUSAGE_CHILDREN, &u);
    FILE *const f = argc > 2 ? fopen(argv[1], "a") : NULL;
    if (!f)
        return 1;
    fprintf(f, "%.3f %.3f\n", sec(u.ru_utime) + sec(u.ru_stime),
            b.tv_sec - a.tv_sec + 1e-9 * (b.tv_nsec - a.tv_nsec));
    return WIFEXITED(first) ? WEXITSTATUS(first) : 1;
}
END
export build dir lab solution
timed() { # NAME COMMAND...
    "$dir/cpu" "$dir/$1.sec" bash -c "$(declare -f bare graded); \"\$@\"" - \
        "${@:2}"
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
least() { sort -n "$dir/$1.sec" | head -n 1; }
for what in off bare run whole; do
    echo "$what $(least $what)"
done | awk -v limit=$limit -v lab="$lab" -v n="$(wc -l < "$dir/jobs")" '
    { cpu[$1] = $2; wall[$1] = $3 }
    END {
        printf "%s, %d runs, CPU time: bare %.2f s (nothing recorded: %.2f " \
               "s); graded %.2f s: %.2f times, limit %.1f; with compiling " \
               "%.2f s: %.2f times (wall: %.2f, %.2f and %.2f s)\n",
               lab, n, cpu["bare"], cpu["off"], cpu["run"],
               cpu["run"] / cpu["bare"], limit, cpu["whole"],
               cpu["whole"] / cpu["bare"], wall["bare"], wall["run"],
               wall["whole"]
        exit cpu["run"] > limit * cpu["bare"]
    }'
