#!/usr/bin/env bash
# Run Check programs one after the other; say how many checks passed, and fail
# if any did not.
set -u
checks=0 failed=0
log=$(mktemp)
trap 'rm -f "$log"' EXIT
for test in "$@"; do
    echo "== ${test#*/tests/}"
    "$test" > "$log" 2>&1
    status=$?
    cat "$log"
    n=$(sed -n 's/.*Checks: \([0-9]*\),.*/\1/p' "$log" | tail -n 1)
    bad=$(sed -n 's/.*Failures: \([0-9]*\), Errors: \([0-9]*\).*/\1 \2/p' \
        "$log" | tail -n 1 | awk '{ print $1 + $2 }')
    if [ -z "$n" ] || { [ "$status" -ne 0 ] && [ "${bad:-0}" -eq 0 ]; }; then
        echo "$test: ended with status $status"
        n=${n:-1} bad=1
    fi
    checks=$((checks + n)) failed=$((failed + bad))
done
echo "$((checks - failed)) passed, $failed failed"
[ "$failed" -eq 0 ]
