#!/usr/bin/env bash
# Regenerate labs/ from solutions/, without touching a student's work.
#
#   common/skeletons.sh           write labs/; refuse where somebody has worked
#   common/skeletons.sh --check   fail if labs/ is not what would be generated
#   FORCE=1                       overwrite all the same
#
# labs/LAB/.skeleton holds the checksum of each file as it was generated: a
# file that differs from its checksum has been worked on.
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

worked_on() { # LAB: files that differ from what was generated
    [ -f "labs/$1/.skeleton" ] || return 0
    (cd "labs/$1" && sha256sum --check --quiet .skeleton 2>/dev/null |
        sed "s|^|labs/$1/|; s|: FAILED.*||") || true
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
    cp "$new/$lab"/* "$new/$lab/.skeleton" "labs/$lab/"
done
exit $status
