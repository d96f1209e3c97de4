#!/usr/bin/env bash
# Refuse English that reads as translated, in comments and commit subjects
#
#   tests/lint/english.sh                  this tree's comments and commits
#   tests/lint/english.sh comments FILE... the comments of these files
#   tests/lint/english.sh commits RANGE    the subjects of these commits
#
# tests/lint/words lists what is refused and what to write instead. The status
# is 0 if nothing is found.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)

# labs/ follows from solutions/.
FOLDERS=(common grader solutions tests/support)
# Subjects are checked from the commit after this one on. Earlier ones are
# published, so they can no longer be changed.
SINCE=d3669b4b

comments() {
    awk -f "$here/english.awk" "$here/words" "$@"
}

commits() {
    git log --no-merges --format='%h %s' "$1" |
        awk -v commits=1 -f "$here/english.awk" "$here/words" -
}

# The files of a folder whose comments are C's, or start with #.
files() {
    find "$1" -type f \( -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh' \
        -o -name '*.cpp' -o -name '*.hpp' -o -name '*.sh' -o -name '*.mk' \
        -o -name '*.awk' \)
}

all() {
    local bad=0 folder list
    cd "$here/../.."
    for folder in "${FOLDERS[@]}"; do
        list=$(files "$folder" | sort)
        mapfile -t list <<< "$list"
        comments "${list[@]}" || bad=1
    done
    if git rev-parse -q --verify "$SINCE^{commit}" > /dev/null 2>&1; then
        commits "$SINCE..HEAD" || bad=1
    else
        echo "english: no history since $SINCE: subjects are not checked"
    fi
    return $bad
}

case ${1-} in
comments | commits) "$@" ;;
*) all ;;
esac
