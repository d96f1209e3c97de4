#!/usr/bin/env bash
# ladders.sh: does every part of every lab have a whole ladder of hints?
#
#   ladders.sh [LAB]   default: all labs
#
# handouts/hints/LAB.txt has a question, a sketch and pseudo-code for each part
# that the lab's plans mention: under 12 lines each, no wider than a terminal
# after indenting, and nothing of the solutions. Status 1 and a line for each
# thing that isn't so.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit
status=0
for dir in labs/${1-lab*}/; do
    name=$(basename "$dir") lab=${name%%-*}
    text=handouts/hints/$lab.txt
    [ -r "$text" ] || {
        echo "there is no $text"
        status=1
        continue
    }
    parts=$(cat grader/plans/"$name".yaml grader/plans/hidden/"$name".yaml |
        grep -o 'part: [0-9]*' | cut -d ' ' -f 2 | sort -nu | paste -sd ' ')
    awk -v parts="$parts" -v rungs="question sketch pseudo-code" '
        function say(text) { print FILENAME ": " text; bad = 1 }
        function close_rung() {
            if (rung && (lines < 1 || lines > 11))
                say("part " part ", " rung ": " lines " lines")
            rung = ""; lines = 0
        }
        function close_part() {
            close_rung()
            if (part && seen != rungs) say("part " part " has: " seen)
            seen = ""
        }
        /^# Part [0-9]+: ./ {
            close_part()
            part = $3 + 0; all = all (all ? " " : "") part
            next
        }
        /^## / {
            close_rung()
            rung = $2; seen = seen (seen ? " " : "") rung
            next
        }
        /^#/ { say("line " FNR ": not a heading of a ladder") }
        NF { lines++ }
        length > 84 { say("line " FNR " has " length " characters, over 84") }
        /(cuda|nccl|MPI_|nn_|coll_|cu[A-Z])[A-Za-z_]*\([^)]/ {
            say("line " FNR " is code")
        }
        END {
            close_part()
            if (all != parts) say("has parts " all " of " parts)
            exit bad
        }' "$text" || status=1
done
awk -f common/kit/leaks.awk solutions/*/* searching=1 handouts/hints/*.txt ||
    status=1
exit $status
