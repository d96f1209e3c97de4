#!/usr/bin/env bash
# Tests of the tests: change the kit's code a little, and see whether a suite
# notices.
#
#   make mutate [N=200] [SEED=1] [ONLY="common/graph common/topo"] [J=1]
#               [MINUTES=90]
#
# N mutants (tests/mutate/mutants.c says of what kinds) are drawn from the code
# of ONLY, evenly over its lines. Each is built in a copy of the tree, where the
# suites that claim its file run, until one fails. The same seed draws the same
# sample from the same code. The files come in random order: after MINUTES no
# further mutant is tried, and what was judged until then is a sample too.
#
# How to read build/mutate/report.txt: one line for each mutant, then its
# change.
#
#   killed      a suite failed: its name and that of the test. "time": it took
#               more than five times as long as usual and SLACK_SEC (10)
#   survived    all suites passed. Either a test is missing, or the code does
#               nothing, or the mutant is equivalent
#   equivalent  survived, and tests/mutate/equivalent has the reason why no test
#               can notice. One that dies is an error: it is not equivalent
#   named       from tests/mutate/named, mutations that once went unnoticed
#
# Mutants that the compiler rejects (with the kit's warnings, except those about
# unused things), or makes the same code of, are not part of the sample; the
# last lines count them. The exit status is 0 if 90 % of the sample and all
# named ones die, and no suite failed without a mutation, which leaves it out.
#
# Data in tests/mutate, "#" begins a comment:
#   claims      PATTERN SUITE...   the first line whose pattern matches a file
#                                  names its suites, cheapest first
#   equivalent  a paragraph for each mutant: file and function, lines before
#   named       ("- ") and after ("+ "), and the reason, or what it broke
#
# A run that was interrupted goes on where it stopped. What was killed stays so
# while its file is unchanged; survivors are tried again when anything changed.
set -euo pipefail
here=$(realpath "$(dirname "$0")")
tool=$(realpath "$1") out=$(realpath -m "$2") n=${3:-200} seed=${4:-1}
# shellcheck source=tests/mutate/claims.sh
source "$here/claims.sh"
read -ra only <<< "${5:-${mutable[*]}}"
jobs=${6:-1} minutes=${7:-100000} slack=${SLACK_SEC:-10}
# Those of a make that started this are not for the one in the copy.
unset MAKEFLAGS MFLAGS MAKELEVEL TMPDIR
data=tests/mutate
# What a compiler objects to anyhow needs no test, unless something is unused.
lenient="-Wno-unused -Wno-unused-parameter -Wno-unused-but-set-parameter \
-Wno-parentheses"

die() { echo "mutate: $*" >&2; exit 2; }

# ---- copies of the tree ------------------------------------------------------
#
# tree.0 is what was there at the start, tree.1 to tree.J are built and mutated.

# copy_tree FROM TO: what differs gets a new date, so that make builds it again,
# even after a run that died with a mutant in its tree.
copy_tree() {
    mkdir -p "$2"
    (cd "$2" && { sha1sum --quiet -c "$out/files" 2> /dev/null || true; }) \
        | sed -n 's/: FAILED.*//p' | tr '\n' '\0' \
        | (cd "$1" && xargs -0 -r cp --parents --preserve=mode -t "$2")
    (cd "$2" && find . -path ./build -prune -o -type f -print) \
        | sed 's,^\./,,' | sort | comm -23 - <(cut -c 43- "$out/files" | sort) \
        | (cd "$2" && tr '\n' '\0' | xargs -0 -r rm)
}

# inside bind|ro-bind W SEC COMMAND...: in worker W's tree, writable or not,
# which every worker finds at the same place. A mutant may do anything, so it
# has its own processes, which end with it, 4 GB in a /tmp of its own and no
# other place to write to, no network, and a limit on CPU time. If memory runs
# out, the kernel ends it first: addresses are no measure, since the stacks of a
# grid as large as a GPU reserve 140 GB. The grader's sandbox needs what a
# machine has: control groups; a /dev/shm for all; and a /proc that hides
# nothing, as bwrap's does, or the kernel mounts no other in a user namespace.
# Suites that grade keep objects in the build folder: each has its own.
# Tests with the tag "alone", which need a machine that does nothing else, do
# not run.
inside() {
    local how=$1 w=$2 sec=$3 objects=build/tests/objects
    shift 3
    mkdir -p "$out/tree.$w/$objects"
    (
        echo 1000 > /proc/self/oom_score_adj
        ulimit -c 0 -t 1200
        ulimit -S -t "${cpu_sec:-1200}"
        # shellcheck disable=SC2016 # what the other shell is to expand
        exec bwrap --ro-bind / / --dev /dev --proc /proc \
            --bind-try /sys/fs/cgroup /sys/fs/cgroup \
            --perms 1777 --tmpfs /dev/shm \
            --size 4000000000 --tmpfs /tmp --tmpfs /var/tmp \
            "--$how" "$out/tree.$w" "$out/tree" --chdir "$out/tree" \
            --perms 700 --tmpfs "$out/tree/$objects" \
            --unshare-pid --unshare-ipc --unshare-net --die-with-parent \
            sh -c 'mount -t proc proc /proc 2> /dev/null; exec "$@"' sh \
            timeout -k 1 "$sec" "$@"
    ) < /dev/null # mpirun reads what it finds, here the list of mutants
}

build() { # W TARGET...
    local w=$1
    shift
    CFLAGS=$lenient inside bind "$w" 3600 make -s -j"$(nproc)" GPU=sim "$@" \
        > "$out/build.$w.log" 2>&1
}

# ---- suites ------------------------------------------------------------------

suites_of() { # FILE
    local line
    line=$(claim "$1") || die "no suite claims $1: say so in $claims"
    echo "${line#* }"
}

# What make calls the programs of a suite.
needs() { echo "needs/${1/test_/}"; } # SUITE

# usual SUITE: the seconds of CPU time that it takes
usual() {
    { cat tests/suites.mk 2> /dev/null || true; } \
        | awk -F '[ ,)]' -v t=2 -v s="${1/test_/}" '
            $2 ~ /^(suite|parted)$/ && $3 == s { t = $4 } END { print t }'
}

# passes W SUITE: if not, `failure` is what failed. The first test that fails
# ends the suite, and so does the deadline: in CPU time for each process, so
# that a loop without end costs little, and in time, in which others that use
# this machine count.
passes() {
    local answer cpu_sec sec
    cpu_sec=$((slack + 5 * $(usual "$2")))
    sec=$(awk -v sec="$cpu_sec" -v n="$(nproc)" \
        '{ print int(sec * ($1 > n ? $1 / n : 1)) }' /proc/loadavg)
    # shellcheck disable=SC2016 # what the other shell is to expand
    answer=$(inside ro-bind "$1" "$sec" bash -c '
        grep -m 1 -E "^(not ok [0-9]+ - |status [0-9])" < <(
            CK_TAP_LOG_FILE_NAME=/dev/stdout CK_EXCLUDE_TAGS=alone "$0" 2>&1 | tee >(cat >&2)
            echo "status ${PIPESTATUS[0]}")' \
        "build/tests/$2" 2> "$out/suite.$1.log") || answer="time"
    # "not ok 3 - FILE:CASE:TEST: what failed"
    failure=$(cut -d : -f 3 <<< "$answer")
    [ "$failure" != "status 152" ] || failure="time" # SIGXCPU
    [ "$failure" = "status 0" ]
}

# sound W SUITE FILE: a suite that fails with a mutation passes without. If not,
# it says nothing of any mutant. The tree is left unmutated.
sound() {
    local failure
    grep -qsx "$state $2" "$out/sound" && return
    cp "$3" "$out/tree.$1/$3"
    if build "$1" "$(needs "$2")" \
        && { passes "$1" "$2" || passes "$1" "$2"; }; then
        echo "$state $2" >> "$out/sound"
    else
        cp "$out/suite.$1.log" "$out/unsound.${2//\//.}.log"
        echo "mutate: $2 fails without a mutation: $failure" \
            "($out/unsound.${2//\//.}.log)" | tee -a "$out/unsound" >&2
        return 1
    fi
}

# ---- one mutant --------------------------------------------------------------

# assembly W FILE: what the compiler makes of it, without the debugger's part
assembly() {
    local command
    if [[ $2 == *.h ]]; then # all of it is inline
        # shellcheck disable=SC2086 # words
        inside bind "$1" 600 gcc -std=gnu11 -Wall -Wextra -Werror $lenient -O2 \
            -Icommon -x c -S -o - -fkeep-inline-functions "$2" 2> /dev/null
        return
    fi
    command=$(CFLAGS=$lenient inside bind "$1" 600 make -n Q= GPU=sim -W "$2" \
        "build/sim/obj/${2%.c}.o" | grep " -c $2 ")
    inside bind "$1" 600 sh -c "${command% -o *} -S -g0 -MMD -MF /dev/null -o -" \
        2> /dev/null
}

# change FILE FUNCTION MUTANT: as the data files describe one
change() {
    echo "$1 $2"
    { diff "$1" "$3" || true; } | sed -n 's/^< /- /p; s/^> /+ /p' \
        | sed 's/  */ /g; s/ $//'
}

# reason CHANGE: what data/equivalent says of it
reason() {
    awk -v change="$1" 'BEGIN { RS = "" }
        { gsub(/ +/, " ") }
        index($0, change "\n") == 1 { print substr($0, length(change) + 2) }' \
        $data/equivalent | tr '\n' ' '
}

# judge W FILE MUTANT: `verdict` and `killer`. The tree may be left mutated.
judge() {
    local w=$1 file=$2 key suite failure
    key=$(sha1sum < "$3" | cut -c 1-40)
    IFS=$'\t' read -r verdict killer < <(awk -F'\t' -v key="$key" -v s="$state" '
        $1 == key && ($3 != "survived" || $2 == s) { v = $3 "\t" $4 }
        END { print v ? v : "new" }' "$out/verdicts")
    [ "$verdict" = new ] || return 0
    cp "$3" "$out/tree.$w/$file"
    verdict=survived killer=
    if ! assembly "$w" "$file" > "$out/mutant.$w.s"; then
        verdict=rejected
    elif cmp -s "$out/mutant.$w.s" "$out/original.$w.s"; then
        verdict=same
    else
        for suite in $(suites_of "$file"); do
            ! grep -qs "^mutate: $suite fails" "$out/unsound" || continue
            if ! build "$w" "$(needs "$suite")"; then
                verdict=killed killer=build
                break
            elif ! passes "$w" "$suite"; then
                if sound "$w" "$suite" "$file"; then
                    verdict=killed killer="$suite: $failure"
                    break
                fi
                cp "$3" "$out/tree.$w/$file"
            fi
        done
    fi
    printf '%s\t%s\t%s\t%s\n' "$key" "$state" "$verdict" "$killer" \
        >> "$out/verdicts"
}

original() { # W FILE: unmutated again
    cp "$2" "$out/tree.$1/$2"
    assembly "$1" "$2" > "$out/original.$1.s" || die "$2 does not compile"
}

say() { # VERDICT PLACE KIND KILLER CHANGE
    printf '%-10s %s  %s  %s\n' "$1" "$2" "$3" "$4"
    echo "$5" | sed -n 's/^[-+] /    &/p'
}

# ---- the sample --------------------------------------------------------------

# FILE QUOTA: how many of the N fall on each file, by equal steps through all
# lines of code; in random order
quotas() {
    local file
    for file in "${files[@]}"; do
        echo "$file $("$tool" "$seed" "$file" | cut -d ' ' -f 2 | sort -u | wc -l)"
    done | awk -v n="$n" -v seed="$seed" '
        { file[NR] = $1; lines[NR] = $2; total += $2 }
        END {
            at = (seed * 0.6180339887) % 1
            for (i = 1; i <= NR; i++) {
                sum += lines[i]
                for (quota = 0; at < sum * n / total; at++)
                    quota++
                if (quota)
                    print file[i], quota
            }
        }' | awk -v seed="$seed" -f "$here/order.awk" | sort -n | cut -f 2-
}

# sample W FILE QUOTA: its first mutants that compile to other code
sample() {
    local w=$1 file=$2 quota=$3 mutant=$out/mutant.$1.c
    local number line kind function text why verdict killer
    original "$w" "$file"
    while [ "$quota" -gt 0 ] && [ "$SECONDS" -lt $((60 * minutes)) ] \
        && read -r number line kind function; do
        "$tool" "$seed" "$file" "$number" > "$mutant"
        text=$(change "$file" "$function" "$mutant")
        judge "$w" "$file" "$mutant"
        why=$(reason "$text")
        case "${why:+listed} $verdict" in
        "listed survived") verdict=equivalent killer=$why ;;
        "listed killed") verdict=wrong killer="not equivalent: $killer" ;;
        esac
        say "$verdict" "$file:$line" "$kind" "$killer" "$text"
        case $verdict in killed | survived) quota=$((quota - 1)) ;; esac
    done < <("$tool" "$seed" "$file")
    original "$w" "$file"
}

# The mutations that went unnoticed once
named() {
    local file function text mutant=$out/mutant.1.c verdict killer
    while IFS= read -r -d '' text; do
        read -r file function <<< "$text"
        [[ " ${files[*]} " == *" $file "* ]] || continue
        awk -v text="$text" -f "$here/apply.awk" "$file" > "$mutant" \
            || die "$data/named: not once in $file: $text"
        original 1 "$file"
        judge 1 "$file" "$mutant"
        case $verdict in
        killed) ;;
        rejected | same) die "$data/named: no other code in $file: $text" ;;
        *) verdict=UNNOTICED ;;
        esac
        say "$verdict" "$file" named "$killer" "$text"
        original 1 "$file"
    done < <(awk 'BEGIN { RS = ""; ORS = "\0" } !/^#/' $data/named)
}

summary() {
    awk -v seed="$seed" '
        /^[^ ]/ {
            verdict = $1; kind = $3
            folder = $2
            sub(":[0-9]*$", "", folder)
            sub("/[^/]*$", "", folder)
            if (kind == "named") {
                named++; dead += verdict == "killed"
            } else {
                if (!seen[folder]++)
                    folders[++n] = folder
                of[verdict]++; of[folder verdict]++
                time += verdict == "killed" && $NF == "time"
            }
        }
        function row(name, of_name,   killed, survived) {
            killed = of[of_name "killed"] + 0
            survived = of[of_name "survived"] + 0
            printf "%-24s %7d %7d %8d %10d  %5.1f %%\n", name,
                killed + survived, killed, survived,
                of[of_name "equivalent"] + 0,
                killed + survived ? 100 * killed / (killed + survived) : 100
        }
        END {
            printf "%-24s %7s %7s %8s %10s\n", "", "sampled", "killed",
                "survived", "equivalent"
            for (i = 1; i <= n; i++)
                row(folders[i], folders[i])
            row("all", "")
            printf "seed %s; %d of the killed by time; not sampled: %d rejected" \
                " by the compiler, %d the same code\n", seed, time,
                of["rejected"], of["same"]
            if (of["wrong"])
                printf "%d listed as equivalent die: see \"wrong\"\n",
                    of["wrong"]
            if (named)
                printf "named: %d of %d die\n", dead, named
            exit of["wrong"] || dead < named ||
                of["killed"] < 0.9 * (of["killed"] + of["survived"])
        }' "$1"
}

# ---- the run -----------------------------------------------------------------

# The trees, built, and `files` to mutate.
prepare() {
    local f w suites targets
    mkdir -p "$out/tree"
    exec 9> "$out/lock"
    flock -n 9 || die "another run uses $out"
    touch "$out/verdicts"
    git ls-files -z -co --exclude-standard | sort -zu \
        | while IFS= read -r -d '' f; do [ ! -f "$f" ] || echo "$f"; done \
        | tr '\n' '\0' | xargs -0 sha1sum > "$out/files"
    # What a suite says depends on the tree, and which suites on the claims.
    state=$(grep -vE " $data/(equivalent|named)$" "$out/files" | sha1sum \
        | cut -c 1-8)
    copy_tree "$PWD" "$out/tree.0"
    cd "$out/tree.0"

    mapfile -t files < <(cut -c 43- "$out/files" | code "${only[@]}")
    [ ${#files[@]} -gt 0 ] || die "no code in ${only[*]}"
    for f in "${files[@]}"; do suites_of "$f"; done > "$out/claimed"
    mapfile -t suites < <(tr ' ' '\n' < "$out/claimed" | awk '!seen[$0]++')
    echo "mutate: building ${#suites[@]} suites"
    copy_tree "$PWD" "$out/tree.1"
    mapfile -t targets < <(for f in "${suites[@]}"; do needs "$f"; done)
    build 1 "${targets[@]}" \
        || { tail "$out/build.1.log"; die "the tree does not build"; }
    for ((w = 2; w <= jobs; w++)); do
        [ -d "$out/tree.$w" ] || cp -a "$out/tree.1" "$out/tree.$w"
        copy_tree "$PWD" "$out/tree.$w"
    done
}

# Every worker takes each J-th file; what it does is in part.W, and said.
judge_all() {
    local w file quota workers=()
    quotas > "$out/quotas"
    rm -f "$out"/part.* "$out"/unsound*
    for ((w = 1; w <= jobs; w++)); do
        awk -v w="$w" -v jobs="$jobs" 'NR % jobs == w - 1' "$out/quotas" \
            | while read -r file quota; do sample "$w" "$file" "$quota"; done \
            | tee "$out/part.$w" | { grep --line-buffered -vE '^(rejected|same| )' || true; } &
        workers+=($!)
    done
    for w in "${workers[@]}"; do wait "$w" || exit; done
    named > "$out/part.named"
    cat "$out"/part.* > "$out/all"
}

# VERDICT...: those lines of `all`, and their changes
only_of() {
    awk -v verdicts=" $* " '
        /^[^ ]/ { show = index(verdicts, " " $1 " ") }
        show' "$out/all"
}

main() {
    local status=0
    prepare
    judge_all
    # What was not judged is only counted.
    only_of killed survived equivalent wrong UNNOTICED > "$out/report.txt"
    only_of survived wrong UNNOTICED > "$out/unnoticed"
    [ ! -s "$out/unnoticed" ] || { echo "Unnoticed:"; cat "$out/unnoticed"; }
    summary "$out/all" > "$out/summary" || status=1
    [ ! -s "$out/unsound" ] || { cat "$out/unsound"; status=1; }
    tee -a "$out/report.txt" < "$out/summary"
    echo "in full: $out/report.txt"
    exit $status
}

main
