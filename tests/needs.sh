#!/usr/bin/env bash
# Is what a suite opens what tests/suites.mk says it needs?
#
#   make test TEST=graph/path && tests/needs.sh build graph/path
#
# Runs the suite's program under strace, and lists the files of this tree that
# it or its children opened and that are not in the list from which `make test`
# computed its key. Status 0 if there are none. Programs in a sandbox see some
# files under other names: those are not found.
set -eu
build=$1 suite=$2
root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"
list=$build/tests/run/key/$suite/files
[ -e "$list" ] || { echo "needs: run make test TEST=$suite first"; exit 2; }
command -v strace > /dev/null || { echo "needs: no strace here"; exit 2; }
log=$(mktemp)
trap 'rm -f "$log"' EXIT
strace -f -qq -y -e trace=open,openat,execve -o "$log" \
    "$build/tests/${suite%/*}/test_${suite##*/}" > /dev/null ||
    echo "needs: $suite failed; here is what it opened until then"
missing=$(sed -nE "s|.*open.*= [0-9]+<($root/[^>]*)>.*|\1|p
        s|.*execve\(\"($root/[^\"]*)\".* = 0$|\1|p" "$log" | sort -u |
    while read -r f; do
        [ ! -f "$f" ] || echo "${f#"$root"/}"
    done | grep -vE "^(\.git|$build/tests/run)/" | grep -vxF -f "$list" || :)
[ -z "$missing" ] || { echo "$missing"; exit 1; }
