#!/usr/bin/env bash
# Create a new lab that works from the start, for you to change.
#
#   common/kit/new-lab.sh lab11-topic ["Title"]
#
# The seed (common/kit/seed) is a lab with a single function, complete with
# skeleton, solution, judge, visible and hidden cases, a mutant, a handout and a
# suite. It builds and runs; the skeleton scores 0, the solution full points. No
# existing file is overwritten.
set -euo pipefail
cd "$(dirname "$0")/../.."

lab=${1-} title=${2-}
[[ $lab =~ ^lab([0-9]+)-[a-z0-9]+(-[a-z0-9]+)*$ ]] || {
    echo "new-lab: \"$lab\" is not a lab name; try" \
         "make new-lab NAME=lab11-my-topic"
    exit 2
}
n=lab${BASH_REMATCH[1]}
title=${title:-$(sed "s/^$n-//; s/-/ /g; s/./\u&/" <<< "$lab")}
taken=$(ls -d solutions/"$n"-* labs/"$n"-* common/staff/"$n"-* \
    "grader/plans/$n"-*.yaml handouts/"$n"-*.md \
    "handouts/hints/$n.txt" 2> /dev/null || true)
if [ -n "$taken" ]; then
    echo "new-lab: $n exists, nothing was written:"
    printf '    %s\n' "${taken//$'\n'/$'\n'    }"
    exit 1
fi

plant() { # SEED FILE
    mkdir -p "$(dirname "$2")"
    sed -e "s/@LAB@/$lab/g; s/@N@/$n/g; s/@NUPPER@/${n^^}/g" \
        -e "s/@TITLE@/${title//\//\\/}/g" "common/kit/seed/$1" > "$2"
    echo "  $2"
}

echo "new-lab: $lab, \"$title\""
plant lab.h "solutions/$lab/$n.h"
plant shift.c "solutions/$lab/shift.c"
for f in cases.c judge.c; do
    plant "$f" "common/staff/$lab/$f"
done
plant plan.yaml "grader/plans/$lab.yaml"
plant hidden.yaml "grader/plans/hidden/$lab.yaml"
plant handout.md "handouts/$lab.md"
plant hints.txt "handouts/hints/$n.txt"
plant mutant.patch "tests/mutants/$lab.patch"
plant suite.c "tests/labs/test_$n.c"
common/kit/skeletons.sh
cat << END
  labs/$lab (the skeleton)
Next:
  make $n && mpirun -n 4 build/$n      the skeleton: 0 points
  make lint-labs LAB=$lab              checks that the lab is complete
  make handouts                        fills in the handout's transcripts
Then make it yours, starting with $n.h; see handouts/instructor.md.
END
