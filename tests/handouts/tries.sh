#!/usr/bin/env bash
# tries.sh: do the commands work that handouts ask their readers to try?
#
#   tries.sh [BUILD [CUDA_HOME [PAGE...]]]    PAGE: default all handouts
#
# Runs what tries.awk finds in a page, in order, in a folder that looks like the
# kit's and has a saved run, `run`, with the solutions in place of the student's
# programs. Prints the number of commands.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$(realpath "${1:-$root/build}")
if [ $# -gt 2 ]; then
    shift 2
else # for students; instructors' commands have files of their own
    set -- "$root"/README.md "$root"/handouts/{student,profiling,nodes,lab*}.md
fi
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failed=0 n=0

try() { # PAGE LINE COMMAND
    local command=$3
    command=$(sed -E 's#build/lab([0-9])#build/solutions/lab\1#g' <<< "$command")
    n=$((n + 1))
    (cd "$dir/kit" && timeout 900 bash -c "$command" < /dev/null) \
        > "$dir/log" 2>&1 && return
    echo "${1##*/}:$2: status $? of: $3"
    tail -n 5 "$dir/log"
    failed=1
}

SIMGPU_GRAPH=$dir/run mpirun -n 4 "$build/solutions/lab1" --case ring > "$dir/log"
for page; do
    rm -rf "$dir/kit"
    mkdir "$dir/kit"
    cp -r "$dir/run" "$dir/kit"
    ln -s "$root"/* "$dir/kit"
    ln -sfn "$build" "$dir/kit/build"
    while read -r line command; do
        try "$page" "$line" "$command"
    done < <(awk -f "$root/tests/handouts/tries.awk" "$page")
done
[ $failed = 1 ] || echo "ok $n commands of $# pages work"
exit $failed
