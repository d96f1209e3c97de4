#!/usr/bin/env bash
# Grade one submission and print the result in a service's format. The archives
# of `make deliver` run this.
#
#   one.sh KIT LAB SUBMISSION FORMAT OUT    FORMAT: of grade export
#
# COMMLAB_STUDENT, if set, names the student: questions and machines depend on
# the name. OUT is a file. Submissions run at the best isolation that this
# machine offers, 2 or 1. Exit status: 0 graded; 3 if this machine is at fault,
# which OUT then says without a score.
set -uo pipefail
kit=$1 lab=$2 submission=$3 format=$4 out=$5
student=$(printf %s "${COMMLAB_STUDENT-}" | tr -c 'A-Za-z0-9._@-' -)
[[ $student == [A-Za-z0-9]* ]] || student=student
work=$(mktemp -d) || exit 3
trap 'rm -rf "$work"' EXIT
mkdir "$work/in"
export COMMLAB_KEYS=. # nothing of it stays
if [ -d "$submission" ]; then
    cp -r --no-dereference "$submission" "$work/in/$student"
else
    cp "$submission" "$work/in/$student.${submission##*/}"
fi
printf 'student\n%s\n' "$student" > "$work/roster.csv"
level=$("$kit/common/kit/isolation.sh")
"$kit/build/grade" batch --roster "$work/roster.csv" --submissions "$work/in" \
    --ledger "$work/one.db" --lab "$lab" --isolation $level -j 1 >&2
status=$?
"$kit/build/grade" export --ledger "$work/one.db" --lab "$lab" \
    --format "$format" -o "$work/out" >&2 || exit 3
cat "$work/out/$student.txt" "$work/out/$student/results.json" \
    2> /dev/null > "$out"
[ -s "$out" ] || exit 3
exit $((status == 0 ? 0 : 3))
