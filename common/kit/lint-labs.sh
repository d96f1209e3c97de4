#!/usr/bin/env bash
# Is every lab whole? `make lint-labs` says so before students do.
#
#   common/kit/lint-labs.sh [LAB...]      default: all of solutions/
#
# For each lab: markers nested and closed; labs/ what solutions/ generates; no
# hole's solution in sight; the plan readable, 100 points, its files there, each
# with a hole; the handout there, with its sections and the plan's points; and,
# by its suite in tests/labs, the solution full, the skeleton at 0 points and
# each mutant failing what it names.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit

sections=(Why "What you will learn" "The mechanism" "What you see now" Parts
    "Check yourself" Questions Hints "Common failures" "How it is graded"
    "Hand in" "Go further")
failed=0

# check WHAT COMMAND...: its output is shown when it fails
check() {
    local what=$1 said
    shift
    if said=$("$@" 2>&1); then
        echo "  ok    $what"
    else
        echo "  FAIL  $what"
        [ -z "$said" ] || printf '        %s\n' "${said//$'\n'/$'\n'        }"
        failed=$((failed + 1))
    fi
}

markers() { # LAB
    local f status=0
    for f in solutions/"$1"/*; do
        awk -f common/skeleton.awk "$f" > /dev/null || status=1
    done
    return $status
}

generated() { common/skeletons.sh --check "$1"; }

no_leaks() { # LAB
    awk -f common/kit/leaks.awk solutions/"$1"/* searching=1 labs/"$1"/* \
        "handouts/$1.md"
}

plan_total() { # LAB
    local total
    total=$(build/plan "$1" | sed -n 's/^total //p')
    [ "$total" = 100 ] || {
        echo "the plan's cases come to ${total:-no} points, not 100"
        return 1
    }
}

holes() { # LAB
    local f status=0
    for f in $(build/plan "$1" | sed -n 's/^files //p'); do
        if [ ! -f "solutions/$1/$f" ]; then
            echo "solutions/$1/$f: the plan names it, but it isn't there"
            status=1
        elif [[ $f == *.c* ]] && ! grep -q '// BEGIN HOLE' "solutions/$1/$f"
        then
            echo "solutions/$1/$f: students hand it in, but it has no hole"
            status=1
        fi
    done
    return $status
}

handout() { # LAB
    local s status=0
    for s in "${sections[@]}"; do
        grep -qx "## $s" "handouts/$1.md" || {
            echo "handouts/$1.md: there is no section \"## $s\""
            status=1
        }
    done
    return $status
}

# A row of the handout's table of parts begins "| N ..." and has the points in
# its third column.
points() { # LAB
    diff <(build/plan "$1" |
        sed -n 's/^part \([0-9]*\): \([0-9.]*\) points.*/\1 \2/p') \
        <(awk -F'|' '/^## /{ in_parts = $0 == "## Parts" }
            in_parts && $2 ~ /^ *[0-9]/ { split($2, n, " ")
            gsub(/ /, "", $4); print n[1], $4 }' "handouts/$1.md") ||
        { echo "(< the plan's points of each part, > the handout's)"; return 1; }
}

suite() { # LAB
    local test=tests/labs/test_${1%%-*}
    [ -f "$test.c" ] || { echo "there is no $test.c"; return 1; }
    make "build/$test" > /dev/null && "build/$test"
}

[ $# -gt 0 ] || set -- solutions/*
for lab in "${@#solutions/}"; do
    [ -d "solutions/$lab" ] || { echo "there is no solutions/$lab"; exit 2; }
    echo "$lab"
    check "markers are nested and closed" markers "$lab"
    check "labs/$lab is what its solution generates" generated "$lab"
    check "no solution is in sight" no_leaks "$lab"
    check "the plan comes to 100 points" plan_total "$lab"
    check "every file that students hand in has a hole" holes "$lab"
    check "the handout has its sections" handout "$lab"
    check "the handout's points are the plan's" points "$lab"
    check "solution full, skeleton 0, mutants caught" suite "$lab"
done
echo "$failed checks failed"
[ "$failed" -eq 0 ]
