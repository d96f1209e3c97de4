#!/usr/bin/env bash
# hint.sh LAB [PART[.RUNG]]: show the hints for a part of a lab, one at a time
#
# Without PART, list the parts and how many of their hints have been shown. With
# PART, show its next hint. With PART.RUNG, show that hint if it has been shown
# before or is the next.
#
# handouts/hints/LAB.txt has three hints for each part, in this order: a
# question, a sketch, pseudo-code.
#
#   # Part 1: title
#   ## question
#   lines...
#
# .hints in the top folder records the hints that have been shown, as lines "LAB
# PART RUNG". Only this script reads it.
set -euo pipefail
cd "$(dirname "$0")/../.."
rungs=(question sketch pseudo-code)
lab=$1 want=${2-} shown_file=.hints
text=handouts/hints/$lab.txt
[ -r "$text" ] || {
    echo "hint: there are no hints for $lab"
    exit 2
}

titles() { sed -n 's/^# Part \([0-9]*\): /\1 /p' "$text"; }
shown() { # PART
    grep -cE "^$lab $1 [0-9]$" "$shown_file" 2> /dev/null || true
}
hint() { # PART RUNG
    awk -v part="# Part $1:" -v rung="## ${rungs[$2 - 1]}" '
        /^# / { in_part = index($0, part) == 1; on = 0; next }
        /^## / { on = in_part && $0 == rung; next }
        on && (NF || some) { some = 1; print "    " $0 }' "$text" |
        sed -e :a -e '/^ *\n*$/{$d;N;ba' -e '}'
}

if [ -z "$want" ]; then
    echo "$lab: hints for each part: first a question, then a sketch, then" \
        "pseudo-code"
    while read -r part title; do
        n=$(shown "$part")
        printf '  part %d  %d of %d shown  %s\n' "$part" "${n:-0}" \
            ${#rungs[@]} "$title"
    done < <(titles)
    echo "make hint-$lab HINT=1 shows the next one of part 1, HINT=1.1 its" \
        "first one again"
    exit 0
fi

part=${want%%.*} rung=${want#"$part"} rung=${rung#.}
title=$(titles | sed -n "s/^$part //p")
if ! [[ $part =~ ^[0-9]+$ && $rung =~ ^[0-9]*$ ]] || [ -z "$title" ]; then
    echo "hint: HINT=$want is no part of $lab: use one of" \
        "$(titles | cut -d ' ' -f 1 | paste -sd ' ')"
    exit 2
fi
n=$(shown "$part") next=$((${n:-0} + 1)) last=${#rungs[@]}
rung=${rung:-$next}
if [ "$rung" -gt "$last" ] && [ "$next" -gt "$last" ]; then
    echo "all $last hints of part $part have been shown; HINT=$part.1 to" \
        "HINT=$part.$last show them again"
    exit 0
elif [ "$rung" -lt 1 ] || [ "$rung" -gt "$next" ]; then
    echo "hint: the next hint of part $part is $part.$next: try that first"
    exit 2
fi
[ "$rung" -lt "$next" ] || echo "$lab $part $rung" >> "$shown_file"
echo "$lab, part $part ($title), hint $rung of $last: ${rungs[$rung - 1]}"
echo
hint "$part" "$rung"
echo
echo "Hints are counted in $shown_file and cost no points."
