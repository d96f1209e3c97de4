#!/usr/bin/env bash
# Remove a lab, with everything that is only there for it.
#
#   common/kit/remove-lab.sh lab10-topic
#
# Its folders and files go, its row in the README and its names in the lists of
# tests. Lines that still name it are listed: they are sentences and programs
# that only a person can change.
set -euo pipefail
cd "$(dirname "$0")/../.."

lab=${1-}
[[ $lab =~ ^lab[0-9]+-[a-z0-9]+(-[a-z0-9]+)*$ && -d solutions/$lab ]] || {
    echo "remove-lab: there is no solutions/$lab: try make remove-lab" \
         "NAME=lab10-my-topic"
    exit 2
}
n=${lab%%-*}

shopt -s nullglob
own=(solutions/"$lab" labs/"$lab" common/staff/"$lab"
    grader/plans/{,hidden/,times/,hidden/times/}"$lab".yaml
    handouts/"$lab".md handouts/hints/"$n".txt handouts/figures/"$n"-*
    tests/{mutants,twins}/"$lab".patch tests/cheats/"$lab"
    tests/labs/{test,prog}_"$n".*
    $(grep -lsx "lab: $lab" tests/mistakes/*.patch || true))
echo "remove-lab: $lab"
for f in "${own[@]}"; do
    [ -e "$f" ] || continue
    rm -r "$f"
    echo "  $f"
done

# Lists: a row, a line of its own, or a word in a line.
sed -i "\,^| [0-9]* \[.*\](handouts/$lab\.md),d" README.md
sed -i "/(call [a-z]*,labs\/$n,/d; /^page_$lab :=/d; s/ $n\b//g" tests/suites.mk
sed -i "s/ $n\b//g" tests/times.sh
[ ! -f labs/.skeleton ] || sed -i "\,  $lab/,d" labs/.skeleton

left=$(grep -rnwI --exclude-dir=.git --exclude-dir=build -e "$lab" -e "$n" . |
    cut -c 3-122 || true)
[ -z "$left" ] || printf 'These lines still name it:\n%s\n' "$left"
cat << END
Next:
  tests/cheat-table.sh --print         the tables for grader/THREATS.md
  make lint-labs && make test
END
