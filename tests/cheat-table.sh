#!/bin/sh
# The corpus of hostile submissions, by class and by outcome.
#
#   cheat-table.sh [BUILD]    are the tables of grader/THREATS.md true?
#   cheat-table.sh --print    write them
#   cheat-table.sh --write    write them there
#   cheat-table.sh --list     each submission: class, lab, outcome
#
# A submission, in the series tests/cheats/LAB.patch, begins with its classes
# and with what becomes of it (tests/grader/test_grader.c). tests/cheats/classes
# lists the classes in the table's order. Each needs submissions in two labs at
# least: what closes a class in one lab may be open in the next. The exceptions
# are in tests/cheats/one-lab, where `make remove-lab` adds those that only the
# removed lab had a second time.
set -eu
export LC_ALL=C
cd "$(dirname "$0")/cheats"
threats=../../grader/THREATS.md
heading='## The classes and their cheats'
outcomes='refused,suspected,zero,loses,passes'

# name, class, lab and outcome of each submission, with tabs between them
list() {
    gawk -v OFS='\t' '
    function outcome() {
        if (expect[1] == "refused" || expect[1] == "suspected")
            return expect[1]
        if (expect[1] == "pass")
            return "passes"
        return some || expect[2] > 0 ? "loses" : "zero"
    }
    function end_submission() {
        if (name && nclasses == 0)
            class[++nclasses] = name ~ /^honest-/ ? "honest" : ""
        for (i = 1; i <= nclasses; i++)
            print name, class[i], lab, outcome()
        nclasses = some = in_patch = 0
        name = ""
        delete expect
    }
    /^== / { end_submission(); name = $2; next }
    /^--- / { in_patch = 1 }
    in_patch { next }
    { sub(/^# /, "") }
    sub(/^class: /, "") { class[++nclasses] = $0 }
    sub(/^expect: /, "") { split($0, expect, " ") }
    /^case: / { some = 1 }
    BEGINFILE { lab = gensub(/^lab([0-9]+).*/, "\\1", 1, FILENAME) }
    ENDFILE { end_submission() }' lab*.patch | sort
}

# What the list lacks, a line each.
mistakes() {
    list | gawk -F'\t' '
    FILENAME == "classes" { class[$0]; next }
    FILENAME == "one-lab" { one[$0]; next }
    $2 == "honest" && $1 ~ /^honest-/ { next }
    !($2 in class) {
        print $1 ": its class, \"" $2 "\", is not in tests/cheats/classes"
        next
    }
    seen[$1, $2]++ { print $1 ": has \"" $2 "\" twice" }
    !times[$2, $3]++ { nlabs[$2]++ }
    END {
        for (c in class)
            if (nlabs[c] < 2 && !(c in one))
                print c ": has submissions in " nlabs[c] + 0 \
                    " labs, needs them in 2"
    }' classes $(ls one-lab 2> /dev/null) -
}

# The table of classes. Lab 1 has no number, others have theirs in brackets.
classes() {
    echo '| class | outcomes | submissions |'
    echo '|---|---|---|'
    list | gawk -F'\t' '
    FILENAME == "classes" { order[++n] = $0; next }
    {
        name = $1 ($3 == 1 ? "" : " (" $3 ")")
        all[$2] = all[$2] (all[$2] ? ", " : "") name
        times[$2, $4]++
    }
    function counts(class,    i, text) {
        for (i = 1; i <= noutcomes; i++)
            if ((class, outcome[i]) in times)
                text = text (text ? ", " : "") \
                    times[class, outcome[i]] " " outcome[i]
        return text
    }
    END {
        noutcomes = split("'"$outcomes"'", outcome, ",")
        for (i = 1; i <= n; i++)
            print "| " order[i] " | " counts(order[i]) " | " all[order[i]] " |"
    }' classes -
}

# How many submissions have each outcome.
totals() {
    echo '| outcome | hostile | honest |'
    echo '|---|---|---|'
    list | gawk -F'\t' '
    counted[$1]++ { next }
    { n[$1 ~ /^honest-/, $4]++; all[$1 ~ /^honest-/]++ }
    END {
        noutcomes = split("'"$outcomes"'", outcome, ",")
        for (i = 1; i <= noutcomes; i++)
            print "| " outcome[i] " | " n[0, outcome[i]] + 0 " | " \
                n[1, outcome[i]] + 0 " |"
        print "| all | " all[0] " | " all[1] " |"
    }'
}

page() {
    classes
    echo
    totals
}

# Replace the tables of the page, which are behind the heading.
write() {
    page > tables
    awk -v heading="$heading" '
    /^## / { on = $0 == heading }
    on && /^[|]/ {
        if (!last)
            while ((getline line < "tables") > 0 && line != "")
                print line
        last = 1
        next
    }
    { last = 0; print }' "$threats" > page
    cat page > "$threats"
    rm tables page
}

case ${1-} in
--print) page && exit ;;
--write) write && exit ;;
--list) list && exit ;;
esac
wrong=$(mistakes)
if [ "$wrong" ]; then
    echo "$wrong"
    exit 1
fi
there=$(awk -v heading="$heading" '
    /^## / { on = $0 == heading }
    on && /^[|]/' "$threats")
if [ "$there" != "$(page | sed '/^$/d')" ]; then
    echo "grader/THREATS.md: the tables of submissions are out of date:" \
        "tests/cheat-table.sh --write mends them"
    exit 1
fi
echo "ok     each submission has a class and each class two labs"
