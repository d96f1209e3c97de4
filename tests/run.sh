#!/usr/bin/env bash
# Run test suites and report on them: called by tests/run.mk.
#
#   run.sh begin SUITE:SLICES:CPU... a new run, of these suites, each with its
#                                    usual CPU time in seconds
#   run.sh key SUITE NEED...         what the suite's result depends on
#   run.sh slice SUITE I/N SEC COMMAND...   run one slice, at most SEC seconds
#   run.sh report [LEFT]             the totals; status 0 if all passed. LEFT
#                                    suites of this tree were not asked for
#
# In the environment: TEST_RUN, a folder for all that is kept between the calls,
# and TEST_GUARD, the program guard. ALWAYS=1 runs a slice that would be
# skipped. VERBOSE=1 prints what each suite printed.
#
# A slice that passed leaves a stamp with its key: a hash of the contents of all
# files that it depends on (NEED: files and folders). As long as the key is the
# same, the slice isn't run again. A slice that fails, skips something or can't
# be understood leaves none.
#
# A failure is printed when its slice ends. A suite gets a line when the last of
# its slices has ended, with the number of suites that have ended so far and an
# estimate of the time left.
set -u
run=$TEST_RUN

begin() {
    rm -rf "$run"/{now,order,ended,digests,memory}
    mkdir -p "$run"/{now,key,log,passed,digests}
    : > "$run/digests/none.seen"
    : > "$run/ended"
    printf '%s\n' "$@" > "$run/order"
    if [ -z "${TMPDIR-}" ] && has_memory; then touch "$run/memory"; fi
    outside > "$run/outside"
    date +%s > "$run/began"
}

# Variables that programs under test read are needs of every suite, as are the
# compiler and the MPI, which no file of ours contains.
outside() {
    env | grep -E '^(COMMLAB|HAZARDS|KILL|NCCL|SIGNAL|SIMGPU|UPDATE)_' | sort
    ${CC:-gcc} -dumpfullversion
    mpichversion 2> /dev/null | head -n 1
}

# digests LIST SUITE: the digests of the files in a list of "FILE STATE", where
# the state changes with the file's contents. Suites share most of their files:
# one that this run has seen in this state is not read again.
digests() {
    local list=$1 seen=$run/digests/${2//\//.} LC_ALL=C
    export LC_ALL
    sort -u "$run"/digests/*.seen > "$list.seen"
    join -t $'\t' -v 1 "$list" "$list.seen" > "$list.new"
    cut -d ' ' -f 1 "$list.new" | tr '\n' '\0' | xargs -0 -r sha256sum |
        cut -d ' ' -f 1 | paste "$list.new" - > "$seen.part"
    join -t $'\t' "$list" <(sort -u "$list.seen" "$seen.part") |
        sed 's/ .*\t/ /'
    mv "$seen.part" "$seen.seen"
}

key() {
    local suite=$1 dir=$run/key/$1
    shift
    mkdir -p "$dir"
    rm -f "$dir/key"
    find "$@" -type f -printf '%p %D:%i %s %T@ %C@\n' > "$dir/files" ||
        { echo "$suite: what it needs isn't there"; return 1; }
    LC_ALL=C sort -u -o "$dir/files" "$dir/files"
    { cat "$run/outside"; digests "$dir/files" "$suite"; } |
        sha256sum | cut -d ' ' -f 1 > "$dir/key"
}

# ---- a slice -----------------------------------------------------------------

# count LOG STATUS: "PASSED FAILED" of what a test program or a script printed.
# A program that Check runs says how many; a script has a line "ok ..." for
# each.
count() {
    local n bad
    if read -r n bad < <(sed -n 's/.*Checks: \([0-9]*\), Failures: \([0-9]*\), Errors: \([0-9]*\).*/\1 \2 \3/p' \
        "$1" | tail -n 1 | awk '{ print $1, $2 + $3 }'); then
        n=$((n - bad))
    else
        n=$(grep -c '^ok ' "$1") bad=0
        [ "$2" -ne 0 ] || [ "$n" -gt 0 ] || grep -q '^skipped' "$1" || bad=1
    fi
    [ "$2" -eq 0 ] || [ "$bad" -gt 0 ] || bad=1
    echo "$n $bad"
}

# Is there room for temporary files in memory, and may they be programs? They
# are made there in a tenth of the time, and gradings make thousands. A
# container's /dev/shm may be small, or closed to programs.
has_memory() {
    local free dir ok=1
    free=$(df -Pm /dev/shm 2> /dev/null | awk 'NR == 2 { print $4 }')
    [ "${free:-0}" -ge 4096 ] &&
        dir=$(mktemp -d /dev/shm/commlab-slice-XXXXXX) || return
    cp /bin/true "$dir" && "$dir/true" 2> /dev/null && ok=0
    rm -r "$dir"
    return $ok
}

slice() {
    local suite=$1 number=${2%/*} of=${2#*/} sec=$3 key status passed failed
    local log=$run/log/$1.$number now=$run/now/$1.$number
    local stamp=$run/passed/$1.$number-$of wall=0 cpu=0
    shift 3
    mkdir -p "${log%/*}" "${now%/*}" "${stamp%/*}"
    key=$(cat "$run/key/$suite/key")
    if [ -z "${ALWAYS-}" ] && read -r was passed 2> /dev/null < "$stamp" &&
        [ "$was" = "$key" ]; then
        rm -f "$log"
        ended "$suite" "$number" "$passed 0 0 0 unchanged"
        return
    fi
    rm -f "$stamp"
    # A suite that runs make itself is no part of the make that runs it.
    unset MAKEFLAGS MFLAGS MAKELEVEL TEST
    if [ -e "$run/memory" ] &&
        TMPDIR=$(mktemp -d /dev/shm/commlab-slice-XXXXXX); then
        chmod 711 "$TMPDIR" # a sandbox's user passes through it
        export TMPDIR
        trap 'rm -rf "$TMPDIR"' EXIT
    fi
    read -r status wall cpu < <(SUITE_SLICE=$number/$of \
        "$TEST_GUARD" "$sec" "$log" "$@")
    read -r passed failed < <(count "$log" "${status:=1}")
    [ "$failed" -eq 0 ] || echo "$suite, slice $number/$of: status $status" \
        >> "$log"
    [ "$failed" -gt 0 ] || grep -q '^skipped' "$log" ||
        echo "$key $passed" > "$stamp"
    ended "$suite" "$number" "$passed $failed $wall $cpu run"
}

# ---- what is printed ---------------------------------------------------------

# ended SUITE NUMBER RESULT: keep a slice's result, "PASSED FAILED WALL CPU
# HOW", and print what is to be said about it. The lock keeps lines together.
ended() (
    flock 9
    read -r n sec < <(awk -F : -v suite="$1" '$1 == suite { print $2, $3 }' \
        "$run/order")
    echo "$3" > "$run/now/$1.$2"
    echo "$1 $2 $(awk -v sec="${sec:-0}" -v n="$n" 'BEGIN { print sec / n }')" \
        "$3" >> "$run/ended"
    if [ "$(ls "$run/now/$1".* | wc -l)" -eq "$n" ]; then
        show_suite "$1" "$n"
    elif [ "$(cut -d ' ' -f 2 <<< "$3")" -gt 0 ]; then
        echo "$1, slice $2/$n: failed"
    fi
    details "$1" "$2" "$3" || :
) 9> "$run/lock"

# results SUITE N: "PASSED FAILED WALL CPU SAME UNCHANGED" of all its slices;
# SAME checks and UNCHANGED slices were not run again. A slice that did not end
# counts as one failure.
results() {
    local i
    for ((i = 1; i <= $2; i++)); do
        cat "$run/now/$1.$i" 2> /dev/null || echo "0 1 0 0 lost"
    done | awk '{ passed += $1; failed += $2; wall += $3; cpu += $4
            same += $5 == "unchanged" ? $1 : 0; n += $5 == "unchanged" }
        END { print passed, failed, wall, cpu, same, n }'
}

# progress SUITE: "[ENDED/ALL]" and the time left. That is the usual CPU time of
# the slices to come, at the rate of this run: the usual seconds that it did per
# second, to which the first half minute adds what an idle machine would do.
progress() {
    awk -v cores="$(nproc)" -v sec=$(($(date +%s) - $(cat "$run/began"))) '
        FNR == NR { split($0, o, ":"); all++; slices[o[1]] = o[2]
            left += o[3]; next }
        { left -= $3; if ($7 != "unchanged") done += $3
            if (++seen[$1] == slices[$1]) ended++ }
        END {
            left *= (sec + 30) / (done + 30 * cores)
            printf "[%*d/%d] ", length(all ""), ended, all
            if (ended == all) print ""
            else if (left > 90) printf "; about %d min left\n", left / 60 + 0.5
            else printf "; about %d s left\n", left + 0.5
        }' "$run/order" "$run/ended"
}

show_suite() { # SUITE N
    local passed failed wall cpu same n at left
    read -r passed failed wall cpu same n < <(results "$1" "$2")
    at=$(progress)
    left=${at#*] }
    at=${at%%]*}]
    if [ "$n" -eq "$2" ]; then
        echo "$at $1: unchanged: $passed checks passed$left"
    else
        echo "$at $1: $passed passed, $failed failed, $wall s, CPU $cpu s$left"
    fi
}

# details SUITE NUMBER RESULT: what a slice printed, if that is asked for; else
# its failures, or what it skipped
details() {
    local log=$run/log/$1.$2
    if [ ! -e "$log" ]; then
        return
    elif [ -n "${VERBOSE-}" ]; then
        output "$log"
    elif [ "$(cut -d ' ' -f 2 <<< "$3")" -gt 0 ]; then
        failures "$log"
    else
        grep '^skipped' "$log"
    fi
}

# output LOG: without what the line of the suite says already
output() {
    grep -vE '^(Running suite\(s\): |100%: Checks: )' "$1"
}

# failures LOG: what failed, each with the first 8 and the last 8 lines of its
# message, which a program's errors end; or the last lines that there are
failures() {
    output "$1" > "$run/output"
    awk 'function show(i) {
            for (i = 0; i < n; i++)
                if (i < 8 || i >= n - 8) print line[i]
                else if (i == 8) print "..."
            shown += n; n = 0
        }
        /^[^ ]+:[0-9]+:[A-Z]:/ { show(); failed = /^[^ ]+:[0-9]+:[FE]:/ }
        failed { line[n++] = $0 }
        END { show(); exit shown == 0 }' "$run/output" ||
        tail -n 20 "$run/output"
}

failed_slices() { # SUITE N
    local i failed
    for ((i = 1; i <= $2; i++)); do
        if ! read -r _ failed _ 2> /dev/null < "$run/now/$1.$i"; then
            echo "$1, slice $i/$2: it did not end"
        elif [ "$failed" -gt 0 ]; then
            failures "$run/log/$1.$i"
        fi
    done
}

report() {
    local all=0 bad=0 same=0 cpu=0 suite n
    : > "$run/recap"
    : > "$run/times"
    while IFS=: read -r suite n _; do
        read -r p f w c s _ < <(results "$suite" "$n")
        all=$((all + p)) bad=$((bad + f)) same=$((same + s))
        echo "$c $w $suite" >> "$run/times"
        [ "$f" -eq 0 ] ||
            { echo "== $suite"; failed_slices "$suite" "$n"; } >> "$run/recap"
    done < "$run/order"
    cpu=$(awk '{ cpu += $1 } END { print int(cpu) }' "$run/times")
    sort -rn "$run/times" | awk 'NR <= 8 && $1 >= 1 {
            all = all (NR > 1 ? ", " : "") $3 " " int($1) }
        END { if (all) print "Most CPU time, in seconds: " all }'
    echo "$(($(date +%s) - $(cat "$run/began"))) s; suites took $cpu s of CPU" \
        "time on $(nproc) cores"
    [ "$bad" -eq 0 ] || { echo; echo "What failed:"; cat "$run/recap"; }
    [ "$same" -eq 0 ] || echo "$same of these checks passed before, and what" \
        "they depend on is unchanged (ALWAYS=1 runs them again)"
    [ "${1:-0}" -eq 0 ] || echo "make test-all also runs the $1 slow suites"
    echo "$all passed, $bad failed"
    [ "$bad" -eq 0 ]
}

"$@"
