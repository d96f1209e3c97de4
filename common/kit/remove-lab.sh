#!/usr/bin/env bash
# Remove a lab, with everything that is only there for it.
#
#   common/kit/remove-lab.sh lab11-topic
#   FORCE=1                                also remove files that git lacks
#
# Its folders and files go, the test programs that link them, its row in the
# README, its names in the lists of tests and its cheats in grader/THREATS.md.
# Lines that still name it are listed: they are sentences and programs
# that only a person can change.
set -euo pipefail
cd "$(dirname "$0")/../.."

lab=${1-}
[[ $lab =~ ^lab[0-9]+-[a-z0-9]+(-[a-z0-9]+)*$ && -d solutions/$lab ]] || {
    echo "remove-lab: there is no solutions/$lab: try make remove-lab" \
         "NAME=lab11-my-topic"
    exit 2
}
n=${lab%%-*}

shopt -s nullglob
own=(solutions/"$lab" labs/"$lab" common/staff/"$lab"
    grader/plans/{,hidden/,times/,hidden/times/}"$lab".yaml
    handouts/"$lab".md handouts/slides/"$n".md handouts/hints/"$n".txt handouts/figures/"$n"-*
    tests/{mutants,twins,mistakes,cheats}/"$lab".{patch,txt}
    tests/labs/{test,prog}_"$n".*
    $(grep -ls "links: .*[/ ]$lab\(/\|$\)" tests/*/prog_* || true))
# What was never committed can't be brought back.
new=$(git ls-files --others --exclude-standard -- "${own[@]}" 2> /dev/null ||
    true)
[ -z "$new" ] || [ -n "${FORCE-}" ] || {
    printf '%s\n' "remove-lab: nothing was removed: git can't bring back" \
        "    ${new//$'\n'/$'\n'    }" \
        "commit them first, or: make remove-lab NAME=$lab FORCE=1"
    exit 1
}
echo "remove-lab: $lab"
for f in "${own[@]}"; do
    [ -e "$f" ] || continue
    # a figure that another page shows, too
    [[ $f != handouts/figures/* ]] ||
        [ -z "$(grep -lF "figures/${f##*/}" README.md handouts/*.md |
            grep -vx "handouts/$lab.md")" ] || continue
    rm -r "$f"
    echo "  $f"
done

# Lists: a row, a line of its own, or a word in a line.
sed -i "\,^| [0-9]* \[.*\](handouts/$lab\.md),d" README.md
# A line that a backslash continues is longer.
sed -i "/(call [a-z]*,labs\/$n,/{:more;/\\\\$/{N;b more};d}; /^page_$lab :=/d
    s/ $n\b//g" tests/suites.mk
# A link to the lab becomes plain text.
sed -Ei "s/\[([^]]*)\]\((handouts\/)?$lab\.md[^)]*\)/\1/g" README.md handouts/*.md
sed -i "s/ $n\b//g" tests/times.sh
[ ! -f labs/.skeleton ] || sed -i "\,  $lab/,d" labs/.skeleton

# A class of cheats that only one other lab has from now on may have one.
tests/cheat-table.sh 2>&1 |
    sed -n 's/: has submissions in [01] labs, needs them in 2$//p' \
        >> tests/cheats/one-lab || true
[ -s tests/cheats/one-lab ] || rm tests/cheats/one-lab
tests/cheat-table.sh --write

# The kit's own examples of a new lab's name are about no lab.
left=$(grep -rnwI --exclude-dir=.git --exclude-dir=build -e "$lab" -e "$n" . |
    grep -v 'lab11-\(my-\)\?topic\|lab11-one-bit-adam' |
    cut -c 3-122 || true)
[ -z "$left" ] || printf 'These lines still name it:\n%s\n' "$left"
cat << END
Next:
  make lint-labs && make test
END
