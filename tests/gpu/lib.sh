# What the scripts here share: a line for each thing that was run, and a count.
# shellcheck shell=bash disable=SC2034 # the scripts read what is set here
# Nothing that a machine can't run is silent: it is skipped by name, with why.
. tests/gpu/again.sh
passed=0 failed=0 skipped=0
log=$(mktemp)
trap 'rm -f "$log"' EXIT

ok() { printf 'ok       %s\n' "$1"; passed=$((passed + 1)); }
failure() { # NAME: why is in $log
    printf 'FAILED   %s\n' "$1"
    sed 's/^/         /' "$log"
    failed=$((failed + 1))
}
skip() { printf 'skipped  %s: %s\n' "$1" "$2"; skipped=$((skipped + 1)); }

to_log() { "$@" > "$log" 2>&1 < /dev/null; }

# Run a command, output in $log; FAILED, with its last lines, when it ends
# badly.
try() { # NAME SECONDS COMMAND...
    local name=$1 seconds=$2
    shift 2
    again to_log timeout --kill-after=10 "$seconds" "$@"
    verdict "$name" "$seconds" $?
}

# What a command's status says of it; $log has its output.
verdict() { # NAME SECONDS STATUS
    local name=$1 seconds=$2 status=$3
    if [ "$status" -eq 0 ]; then
        ok "$name"
        return
    fi
    [ "$status" -ne 124 ] || echo "(not done after $seconds s)" >> "$log"
    { grep -E 'FAILED|FAIL |WRONG' "$log" | head -n 5
      tail -n 5 "$log"; } | awk '!seen[$0]++' > "$log.short"
    mv "$log.short" "$log"
    failure "$name: status $status"
}

# Sets backend, gpus and gpu: what programs of a build find. A build that isn't
# there finds none.
find_machine() { # BUILD
    backend=none gpus=0 gpu=none
    [ -x "$1/probe" ] || return 0
    backend=$("$1/probe" | sed -n 's/^backend *//p')
    read -r gpus gpu _ <<< "$("$1/probe" --short)"
}

# lab1, lab2...: all that there are.
all_labs() {
    find solutions labs -mindepth 1 -maxdepth 1 -name 'lab*' 2> /dev/null |
        sed -E 's#.*/(lab[0-9]+)-.*#\1#' | sort -uV
}

# The GPUs that a lab needs at least: its judge says so.
need() { # LAB
    local n
    n=$(sed -n 's/.*\.least_gpus = \([0-9]*\).*/\1/p' \
        common/staff/"$1"-*/judge.c)
    echo "${n:-0}"
}

# The end of every script: the count, and the exit status. All skipped is none
# tested, which is no success.
finish() {
    echo "$passed passed, $failed failed, $skipped skipped"
    if [ $((passed + failed)) -eq 0 ]; then
        echo "nothing was tested"
        return 1
    fi
    [ "$failed" -eq 0 ]
}
