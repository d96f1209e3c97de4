#!/usr/bin/env bash
# Check that labs are complete and consistent (`make lint-labs`).
#
#   common/kit/lint-labs.sh [--no-suites] [LAB...]   default: all of solutions/
#
# For each lab: markers are nested and closed; labs/ is what solutions/
# generates; no solution is visible to students; the plan is valid, adds up to
# 100 points, neighbours' answers differ, and the solution's are right; each
# part has an idea that a right mutant lacks, each kind of case names the
# functions that it judges, and each of its files exists and has a hole; each
# part has its ladder of hints; the lab's folder has no other file except the
# header; the handout has its sections and the plan's points; and, without
# --no-suites, its suite in tests/labs passes: full points for the solution and
# its twins, none for the skeleton, and each mutant fails the cases that it
# names, loses at least 3 points, and at least half of a part whose idea it
# lacks; one that lacks an idea has no wrong result.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit

sections=(Why "What you will learn" "The mechanism" "What you see now" Parts
    "Check yourself" Questions Hints "Common failures" "How it is graded"
    "Hand in" "Go further")
failed=0

# check WHAT MEND COMMAND...: shows the output of a command that fails, and how
# to mend that
check() {
    local what=$1 mend=$2 said
    shift 2
    if said=$("$@" 2>&1); then
        echo "  ok    $what"
    else
        echo "  FAIL  $what"
        [ -z "$said" ] || printf '        %s\n' "${said//$'\n'/$'\n'        }"
        echo "        mend: $mend"
        failed=$((failed + 1))
    fi
}

markers() { # LAB
    local f status=0
    for f in solutions/"$1"/*; do
        awk -f common/kit/skeleton.awk "$f" > /dev/null || status=1
    done
    return $status
}

generated() { common/kit/skeletons.sh --check "$1"; }

no_leaks() { # LAB
    awk -f common/kit/leaks.awk solutions/"$1"/* searching=1 labs/"$1"/* \
        common/staff/"$1"/* "handouts/$1.md" "handouts/hints/${1%%-*}.txt"
}

# Everything else asks the plan: without one, there is one error.
plan_is_read() { [[ $(build/plan "$1") == *$'\ntotal '* ]]; }

plan_total() { # LAB
    local total
    total=$(build/plan "$1" | sed -n 's/^total //p')
    [ "$total" = 100 ] || {
        echo "the plan's cases add up to ${total:-no} points, not 100"
        return 1
    }
}

# The solution's answers are those to ada's questions (tests/support/suite.h).
answers() { # LAB
    [ ! -f "solutions/$1/answers.txt" ] ||
        build/plan --answers "$1" --student ada |
        diff - "solutions/$1/answers.txt" ||
        { echo "(< answers by the hidden plan, > the solution's)"; return 1; }
}

# A prediction and a question in words have a line in answers.txt and a key in
# the plan, both or neither.
asked() { # LAB
    local answers=solutions/$1/answers.txt status=0
    both() { # LINE FILE KEY
        [ "$(grep -c "^$1 =" "$answers")" = "$(grep -c "^$3:" "$2")" ] || {
            echo "\"$1 =\" in $answers goes with $3: in $2"
            status=1
        }
    }
    [ ! -f "$answers" ] || {
        both prediction "grader/plans/$1.yaml" predict
        both in_words "grader/plans/hidden/$1.yaml" rubric
    }
    return $status
}

# Check that each part has an idea, and right mutants that lack it, or a reason
# why there are none. The suite checks that they are right, and how many points
# they lose (tests/support/mutant.h).
ideas() { # LAB
    local part status=0 lacked
    lacked=$(awk '
        /^== / { breaks = "" }
        sub(/^lacks: /, "") { print }
        sub(/^breaks: /, "") { breaks = $0 }
        /^never right: ./ { print breaks }' "tests/mutants/$1.patch" |
        sed 's/, /\n/g' | sort -u)
    for part in $(build/plan "$1" | sed -n 's/^part \([0-9]*\):.*/\1/p'); do
        build/plan "$1" | grep "^idea $part: " > /dev/null || {
            echo "grader/plans/$1.yaml: part $part has no idea"
            status=1
        }
        grep -qx "part $part" <<< "$lacked" || {
            echo "tests/mutants/$1.patch: no right mutant lacks the idea of" \
                 "part $part"
            status=1
        }
    done
    for part in $(sed -n 's/^part //p' <<< "$lacked"); do
        build/plan "$1" | grep "^part $part: " > /dev/null || {
            echo "tests/mutants/$1.patch: a mutant lacks the idea of part" \
                 "$part, which the plan does not have"
            status=1
        }
    done
    return $status
}

# A wrong result is explained by naming functions: check that every kind of case
# names some, with the file that contains them.
functions() { # LAB
    local table kind word name names= file=solutions/$1 status=0
    table=$(sed -n '/judge_student students/,/^};/p' "common/staff/$1/judge.c" |
        tr -s '\n ' ' ' | sed 's/" "//g; s/}, /},\n/g')
    for kind in $(sed -n 's/.*kind: \([a-z_0-9]*\).*/\1/p' \
        "grader/plans/$1.yaml" | sort -u | grep -vx answer); do
        grep -q "{\"$kind\", \"" <<< "$table" || {
            echo "common/staff/$1/judge.c: students[] lacks the kind \"$kind\""
            status=1
        }
    done
    for word in $(sed -n 's/.*{"[a-z_0-9]*", "\([^"]*\)".*/\1/p' <<< "$table")
    do
        word=${word%,}
        case $word in
        *'()') names="$names ${word%)}" ;;
        *.c | *.cu | *.cuh)
            for name in $names; do
                grep -q "^[a-z].*\b$name" "$file/$word" || {
                    echo "common/staff/$1/judge.c: $file/$word has no $name)"
                    status=1
                }
            done
            names= ;;
        esac
    done
    return $status
}

hints() { tests/kit/ladders.sh "$1"; }

holes() { # LAB
    local f status=0
    for f in $(build/plan "$1" | sed -n 's/^files //p'); do
        if [ ! -f "solutions/$1/$f" ]; then
            echo "solutions/$1/$f: named in the plan, but missing"
            status=1
        elif [[ $f == *.c* ]] && ! grep -q '// BEGIN HOLE' "solutions/$1/$f"
        then
            echo "solutions/$1/$f: in the plan's files, but without a hole"
            status=1
        fi
    done
    return $status
}

# Staff code belongs in common/staff: a student's folder holds only their files.
only_theirs() { # LAB
    local f status=0 files
    files=" ${1%%-*}.h $(build/plan "$1" | sed -n 's/^files //p') "
    for f in solutions/"$1"/*; do
        [[ $files == *" ${f##*/} "* ]] || {
            echo "$f: not in the plan's files; staff code goes to" \
                 "common/staff/$1"
            status=1
        }
    done
    return $status
}

# Check that the handout names the file of each part.
handout() { # LAB
    local s f parts status=0
    for s in "${sections[@]}"; do
        grep -qx "## $s" "handouts/$1.md" || {
            echo "handouts/$1.md: no section \"## $s\""
            status=1
        }
    done
    parts=$(sed -n '/^## Parts/,$p' "handouts/$1.md")
    for f in $(build/plan "$1" | sed -n 's/^files //p'); do
        grep -qwF -- "$f" <<< "$parts" || {
            echo "handouts/$1.md: $f is not named from \"## Parts\" on"
            status=1
        }
    done
    return $status
}

# A row of the handout's table of parts begins with "| N ..." and has the points
# in its third column.
points() { # LAB
    diff <(build/plan "$1" |
        sed -n 's/^part \([0-9]*\): \([0-9.]*\) points.*/\1 \2/p') \
        <(awk -F'|' '/^## /{ in_parts = $0 == "## Parts" }
            in_parts && $2 ~ /^ *[0-9]/ { split($2, n, " ")
            gsub(/ /, "", $4); print n[1], $4 }' "handouts/$1.md") ||
        { echo "(< points of each part in the plan, > the handout)"; return 1; }
}

suite() { # LAB
    local name=${1%%-*}
    [ -f "tests/labs/test_$name.c" ] ||
        { echo "no tests/labs/test_$name.c"; return 1; }
    env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make test TEST="labs/$name"
}

suites=1
[ "${1-}" = --no-suites ] && { suites=; shift; }
[ $# -gt 0 ] || set -- solutions/*
for lab in "${@#solutions/}"; do
    [ -d "solutions/$lab" ] || lab=$(cd solutions && echo "$lab"-*)
    [ -d "solutions/$lab" ] || { echo "no solutions/$lab"; exit 2; }
    echo "$lab"
    check "markers are nested and closed" \
        "give each BEGIN HOLE part N its END HOLE" markers "$lab"
    check "labs/$lab is what its solution generates" \
        "make skeletons; don't edit labs/" generated "$lab"
    check "no solution is visible to students" \
        "reword that line, or move it into the hole" no_leaks "$lab"
    before=$failed
    check "the plan can be used" "the line that it names" plan_is_read "$lab"
    [ "$failed" = "$before" ] || {
        echo "        not checked: what reads the plan"
        continue
    }
    check "the plan adds up to 100 points" \
        "change the points of cases; build/plan $lab adds them up, and says
        which question has two draws with one answer: choose other numbers" \
        plan_total "$lab"
    check "the solution's answers are the hidden plan's" \
        "build/plan --answers $lab --student ada --write" \
        answers "$lab"
    check "what is asked besides numbers is in answers.txt and in the plan" \
        "add the line \"prediction =\" or predict:, \"in_words =\" or rubric:" \
        asked "$lab"
    check "every part has an idea, and a right mutant without it" \
        "add 'N: a sentence' under idea: in the plan; write the program of a
        student who looks for the cheapest way, 'lacks: part N' in its first
        lines (tests/support/mutant.h); it must lose half of the part" \
        ideas "$lab"
    check "every kind of case names the functions it judges" \
        'add {"KIND", "FUNCTION() in FILE"} to students[]' functions "$lab"
    check "every part has a question, a sketch and pseudo-code" \
        "write them below '# Part N: title' in handouts/hints" hints "$lab"
    check "every file in the plan has a hole" \
        "take the file out of the plan's files, or mark a hole" holes "$lab"
    check "the lab's folder has no other files" \
        "move the file to common/staff/$lab" only_theirs "$lab"
    check "the handout has its sections and files" \
        "add the section, or name the file in it" handout "$lab"
    check "the handout's points are the plan's" \
        "change the third column of the table in \"## Parts\"" points "$lab"
    [ -z "$suites" ] ||
        check "its suite passes: solution, skeleton, mutants" \
            "make mutant-lists LAB=$lab rewrites what mutants fail; a mutant
        that passes needs a case, one without a part's idea more points" \
            suite "$lab"
done
echo "$failed checks failed"
[ "$failed" -eq 0 ]
