#!/usr/bin/env bash
# Regenerate labs/ from solutions/, without touching a student's work.
#
#   common/skeletons.sh           write labs/; refuse where somebody has worked
#   common/skeletons.sh --check   fail if labs/ is not what would be generated
#   FORCE=1                       overwrite all the same
#
# labs/LAB/.skeleton holds the checksum of each file as it was generated. What is
# there and has no such checksum is somebody's work: a file that was edited, one
# of their own that a new lab file would replace, or any if .skeleton is gone.
set -euo pipefail
cd "$(dirname "$0")/.."

new=$(mktemp -d)
trap 'rm -rf "$new"' EXIT

generate() { # LAB
    mkdir -p "$new/$1"
    local f
    for f in solutions/"$1"/*; do
        awk -f common/skeleton.awk "$f" > "$new/$1/$(basename "$f")"
    done
    (cd "$new/$1" && sha256sum -- * > .skeleton)
}

# Is the file as it was generated?
untouched() { # LAB FILE
    [ -f "labs/$1/.skeleton" ] && (cd "labs/$1" &&
        grep -F "  $2" .skeleton | grep -x "[0-9a-f]*  $2" |
        sha256sum --check --status 2>/dev/null)
}

worked_on() { # LAB: files that would be lost
    local f
    for f in "$new/$1"/*; do
        f=$(basename "$f")
        if [ -e "labs/$1/$f" ] && ! cmp -s "labs/$1/$f" "$new/$1/$f" &&
            ! untouched "$1" "$f"; then
            echo "labs/$1/$f"
        fi
    done
}

# Files of an older skeleton that the lab no longer has.
remove_old() { # LAB
    local f
    [ -f "labs/$1/.skeleton" ] || return 0
    sed 's/^[0-9a-f]*  //' "labs/$1/.skeleton" | while read -r f; do
        if [ ! -e "$new/$1/$f" ] && untouched "$1" "$f"; then
            rm "labs/$1/$f"
        fi
    done
}

status=0
for dir in solutions/lab*; do
    [ -d "$dir" ] || { echo "skeletons: there are no solutions here"; exit 1; }
    lab=$(basename "$dir")
    generate "$lab"
    if [ "${1-}" = --check ]; then
        diff -r "$new/$lab" "labs/$lab" || status=1
        continue
    fi
    mine=$(worked_on "$lab")
    if [ -n "$mine" ] && [ -z "${FORCE-}" ]; then
        echo "skeletons: these files have been worked on, nothing of $lab was" \
             "written:"
        echo "$mine" | sed 's/^/    /'
        echo "Keep them with: cp -r labs/$lab my-$lab" \
             "(then make skeletons FORCE=1)"
        status=1
        continue
    fi
    mkdir -p "labs/$lab"
    remove_old "$lab"
    cp "$new/$lab"/* "$new/$lab/.skeleton" "labs/$lab/"
done
exit $status
