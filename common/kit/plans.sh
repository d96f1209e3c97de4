#!/usr/bin/env bash
# Time every lab's solution and write the plans' reference times:
# grader/plans/times/LAB.yaml, and hidden/times/LAB.yaml for hidden cases.
#
#   common/kit/plans.sh [BUILD [LAB...]]           write them
#   common/kit/plans.sh --check [BUILD [LAB...]]   fail if they are out of date
#
# LAB is like lab1-collectives; the default is all of solutions/.
#
# Modelled times are the same on every machine, so they are kept as data.
set -euo pipefail
cd "$(dirname "$0")/../.."
check=
if [ "${1-}" = --check ]; then
    check=1
    shift
fi
build=${1:-build}
[ $# -eq 0 ] || shift
[ $# -gt 0 ] || set -- solutions/lab*
work=$(mktemp -d)
new=$work/new file=

# Old times come back if new ones don't replace them.
end() {
    [ ! -f "$work/old" ] || mv "$work/old" "$file"
    rm -rf "$work"
}
trap end EXIT

times() { # LAB PROGRAM [--hidden]
    echo "# What the solution takes: written by make plans, not by hand."
    echo "times:"
    "$build/solutions/$2" --list --times "${@:3}" | while read -r ranks topo; do
        SIMGPU_TOPO=$topo mpirun -n "$ranks" "$build/solutions/$2" \
            --times "${@:3}" < /dev/null
    done
}

status=0
write() { # FILE LAB PROGRAM [--hidden]
    file=$1
    # the old times must not judge the new ones
    [ -n "$check" ] || [ ! -f "$1" ] || mv "$1" "$work/old"
    times "${@:2}" > "$new"
    rm -f "$work/old"
    [ "$(wc -l < "$new")" -gt 2 ] || return 0 # no timed cases
    if [ -n "$check" ]; then
        diff "$new" "$1" || status=1
        return
    fi
    mkdir -p "$(dirname "$1")"
    cp "$new" "$1"
}

for lab in "${@#solutions/}"; do
    [ -d "solutions/$lab" ] || { echo "plans: no solutions/$lab"; exit 2; }
    write "grader/plans/times/$lab.yaml" "$lab" "${lab%%-*}"
    write "grader/plans/hidden/times/$lab.yaml" "$lab" "${lab%%-*}" --hidden
done
exit $status
