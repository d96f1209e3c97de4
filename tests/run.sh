#!/usr/bin/env bash
# Run Check programs one after the other; say how long each took and how many
# checks passed. What failed is said again at the end, where it is read.
set -u
# Those that run make themselves are not part of the one that runs them.
unset MAKEFLAGS MFLAGS MAKELEVEL
checks=0 failed=0
log=$(mktemp) recap=$(mktemp)
trap 'rm -f "$log" "$recap"' EXIT
for test in "$@"; do
    echo "== ${test#*/tests/}"
    began=$SECONDS
    "$test" > "$log" 2>&1
    status=$?
    cat "$log"
    echo "   $((SECONDS - began)) s"
    n=$(sed -n 's/.*Checks: \([0-9]*\),.*/\1/p' "$log" | tail -n 1)
    bad=$(sed -n 's/.*Failures: \([0-9]*\), Errors: \([0-9]*\).*/\1 \2/p' \
        "$log" | tail -n 1 | awk '{ print $1 + $2 }')
    if [ -z "$n" ] || { [ "$status" -ne 0 ] && [ "${bad:-0}" -eq 0 ]; }; then
        echo "$test: ended with status $status" | tee -a "$recap"
        n=${n:-1} bad=1
    fi
    [ "${bad:-0}" -eq 0 ] || {
        echo "== ${test#*/tests/}"
        grep -E '^[^ ]+:[0-9]+:[FE]:' "$log" || tail -n 20 "$log"
    } >> "$recap"
    checks=$((checks + n)) failed=$((failed + bad))
done
[ "$failed" -eq 0 ] || { echo; echo "What failed:"; cat "$recap"; }
echo "$((checks - failed)) passed, $failed failed"
[ "$failed" -eq 0 ]
