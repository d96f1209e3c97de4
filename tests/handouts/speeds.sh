#!/usr/bin/env bash
# speeds.sh BUILD FILE...: do tables of links show what the machines achieve?
#
# Checked are rows of the form
#
#   | NDR, 400 Gbit/s | 50 | 48.5 | 4.0 | `2x:dgx-h100@ndr`: node to node |
#
# with GB/s nominal and achieved, and microseconds. The last two must be what
# `commgraph speeds MACHINE` prints for the path, no more than nominal and at
# least three quarters of it; N Gbit/s are N/8 GB/s. Status 1 and a line for
# each row that is wrong, or if there are no rows.
set -euo pipefail
build=$1
shift
status=0 rows=0
while IFS='|' read -r _ link nominal achieved us machine _; do
    [[ $machine =~ ^\ \`([^\`]*)\`:\ (.*[^ ])\ *$ ]] || continue
    rows=$((rows + 1))
    says=$("$build/commgraph" speeds "${BASH_REMATCH[1]}" 2>&1 |
        grep -F " ${BASH_REMATCH[2]}" | head -n 1) || true
    awk -v link="$link" -v nominal="$nominal" -v achieved="$achieved" \
        -v us="$us" -v says="$says" 'BEGIN {
            n = split(says, word, / +/)
            gbit = match(link, /[0-9]+ Gbit/) ? substr(link, RSTART) / 8 : 0
            exit !(n > 2 && word[n - 1] == achieved + 0 && word[n] == us + 0 &&
                achieved <= nominal + 0 && achieved >= .75 * nominal &&
                (!gbit || gbit == nominal + 0))
        }' || {
        echo "$link |$nominal |$achieved |$us: commgraph speeds says: $says"
        status=1
    }
done < <(cat "$@")
[ "$rows" -gt 0 ] || { echo "there are no rows" && exit 1; }
exit $status
