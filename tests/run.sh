#!/usr/bin/env bash
# Run test suites and report on them: what tests/tests.mk calls.
#
#   run.sh begin SUITE:SLICES...     a new run, of these suites
#   run.sh key SUITE NEED...         what the suite's result depends on
#   run.sh slice SUITE I/N SEC COMMAND...   run one slice, at most SEC seconds
#   run.sh report                    what came of all; status 0 if all passed
#
# In the environment: TEST_RUN, a folder for all that is kept between the calls,
# and TEST_GUARD, the program guard. ALWAYS=1 runs a slice that would be
# skipped.
#
# A slice that passed leaves a stamp with its key: a hash of the contents of all
# files that it depends on (NEED: files and folders). As long as the key is the
# same, the slice isn't run again. A slice that fails, skips something or can't
# be understood leaves none.
#
# A suite is printed when it and all before it have ended, in the order given to
# `begin`: so the output is the same whichever ends first.
set -u
run=$TEST_RUN

begin() {
    rm -rf "$run"/{now,order,next,digests,memory}
    mkdir -p "$run"/{now,key,log,passed,digests}
    : > "$run/digests/none.seen"
    printf '%s\n' "$@" > "$run/order"
    echo 1 > "$run/next"
    if [ -z "${TMPDIR-}" ] && has_memory; then touch "$run/memory"; fi
    date +%s > "$run/began"
}

# Variables that programs under test read are needs, too, as are the compiler
# and the MPI, which no file of ours contains.
outside() {
    env | grep -E '^(COMMLAB|HAZARDS|KILL|NCCL|SIGNAL|SIMGPU|UPDATE)_' | sort
    ${CC:-gcc} -dumpfullversion
    mpichversion 2> /dev/null | head -n 1
}

# digests LIST SUITE: the digests of the files in a list of "FILE<tab>STATE",
# where the state changes with the file's contents. Suites share most of their
# files: one that this run has seen in this state is not read again.
digests() {
    local list=$1 seen=$run/digests/${2//\//.}
    awk -F '\t' 'FILENAME != list { digest[$1, $2] = 1; next }
        !($1 SUBSEP $2 in digest)' list="$list" "$run"/digests/*.seen "$list" \
        > "$list.new"
    cut -f 1 "$list.new" | tr '\n' '\0' | xargs -0 -r sha256sum |
        cut -d ' ' -f 1 | paste "$list.new" - > "$seen.part"
    mv "$seen.part" "$seen.seen"
    awk -F '\t' 'FILENAME != list { digest[$1, $2] = $3; next }
        { print digest[$1, $2], $1 }' list="$list" "$run"/digests/*.seen "$list"
}

key() {
    local suite=$1 file=$run/key/$1
    shift
    mkdir -p "${file%/*}"
    rm -f "$file"
    find "$@" -type f -printf '%p\t%D:%i %s %T@ %C@\n' > "$file.files" ||
        { echo "$suite: what it needs isn't there"; return 1; }
    sort -u -o "$file.files" "$file.files"
    { outside; digests "$file.files" "$suite"; } |
        sha256sum | cut -d ' ' -f 1 > "$file"
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
    key=$(cat "$run/key/$suite")
    if [ -z "${ALWAYS-}" ] && read -r was passed 2> /dev/null < "$stamp" &&
        [ "$was" = "$key" ]; then
        echo "$passed 0 0 0 unchanged" > "$now"
        flush
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
    echo "$passed $failed $wall $cpu run" > "$now.new"
    mv "$now.new" "$now"
    [ "$failed" -gt 0 ] || grep -q '^skipped' "$log" ||
        echo "$key $passed" > "$stamp"
    flush
}

# ---- what is printed ---------------------------------------------------------

# Print the suites whose turn it is.
flush() (
    flock 9
    next=$(cat "$run/next")
    while IFS=: read -r suite n; do
        for ((i = 1; i <= n; i++)); do
            [ -e "$run/now/$suite.$i" ] || break 2
        done
        show "$suite" "$n"
        next=$((next + 1))
    done < <(tail -n "+$next" "$run/order")
    echo "$next" > "$run/next"
) 9> "$run/lock"

# results SUITE N: "PASSED FAILED WALL CPU UNCHANGED" of all its slices; those
# that didn't end count as one failure.
results() {
    local i
    for ((i = 1; i <= $2; i++)); do
        cat "$run/now/$1.$i" 2> /dev/null || echo "0 1 0 0 lost"
    done | awk '{ passed += $1; failed += $2; wall += $3; cpu += $4
            same += $5 == "unchanged" ? $1 : 0; n += $5 == "unchanged" }
        END { print passed, failed, wall, cpu, same, n }'
}

# output SUITE N: of all its slices, without what the head line says already
output() {
    local i
    for ((i = 1; i <= $2; i++)); do
        cat "$run/log/$1.$i" 2> /dev/null
    done | grep -vE '^(Running suite\(s\): |100%: Checks: )'
}

show() { # SUITE N
    local passed failed wall cpu same n
    read -r passed failed wall cpu same n < <(results "$1" "$2")
    if [ "$n" -eq "$2" ]; then
        echo "== $1: unchanged: $passed checks passed"
        return
    fi
    echo "== $1: $passed passed, $failed failed, $wall s, CPU $cpu s"
    output "$1" "$2"
}

# What failed, each with the first 8 and the last 8 lines of its message, which
# a program's errors end; or the last lines that there are.
failures() { # SUITE N
    output "$1" "$2" > "$run/output"
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

report() {
    local all=0 bad=0 same=0 cpu=0 suite n
    : > "$run/recap"
    : > "$run/times"
    while IFS=: read -r suite n; do
        read -r p f w c s _ < <(results "$suite" "$n")
        all=$((all + p)) bad=$((bad + f)) same=$((same + s))
        echo "$c $w $suite" >> "$run/times"
        [ "$f" -eq 0 ] ||
            { echo "== $suite"; failures "$suite" "$n"; } >> "$run/recap"
    done < "$run/order"
    cpu=$(awk '{ cpu += $1 } END { print int(cpu) }' "$run/times")
    sort -rn "$run/times" | awk 'NR <= 8 && $1 >= 1 {
            all = all (NR > 1 ? ", " : "") $3 " " int($1) }
        END { if (all) print "Most CPU time, in seconds: " all }'
    echo "$(($(date +%s) - $(cat "$run/began"))) s; suites took $cpu s of CPU" \
        "time on $(nproc) cores"
    [ "$bad" -eq 0 ] || { echo; echo "What failed:"; cat "$run/recap"; }
    [ "$same" -eq 0 ] || echo "$same of these checks passed before, and what" \
        "they depend on is unchanged (make test-all runs them again)"
    echo "$all passed, $bad failed"
    [ "$bad" -eq 0 ]
}

"$@"
