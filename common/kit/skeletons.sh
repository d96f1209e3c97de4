#!/usr/bin/env bash
# Regenerate labs/ from solutions/, without touching a student's work.
#
#   common/kit/skeletons.sh [LAB...]           write them; refuse where a file
#                                              has been worked on
#   common/kit/skeletons.sh --check [LAB...]   fail if labs/ is not what would
#                                              be generated
#   FORCE=1                                    overwrite all the same
#
# LAB: lab1-collectives; default: all of solutions/. labs/LAB/.skeleton holds
# the checksum of each file as it was generated. A file without a matching
# checksum is a student's work: one that was edited, one of their own that a new
# lab file would replace, or any file if .skeleton is gone.
set -euo pipefail
cd "$(dirname "$0")/../.."

check=
[ "${1-}" = --check ] && { check=1; shift; }
[ $# -gt 0 ] || set -- solutions/lab*
new=$(mktemp -d)
trap 'rm -rf "$new"' EXIT

generate() { # LAB
    mkdir -p "$new/$1"
    local f
    for f in solutions/"$1"/*; do
        awk -f common/kit/skeleton.awk "$f" > "$new/$1/$(basename "$f")"
    done
    (cd "$new/$1" && sha256sum -- * > .skeleton)
}

# True if the file is as it was generated.
untouched() { # LAB FILE
    [ -f "labs/$1/.skeleton" ] && (cd "labs/$1" &&
        grep -F "  $2" .skeleton | grep -x "[0-9a-f]*  $2" |
        sha256sum --check --status 2>/dev/null)
}

# The files of the lab, and those of an older skeleton that it no longer has.
known_files() { # LAB
    (cd "$new/$1" && printf '%s\n' *)
    [ ! -f "labs/$1/.skeleton" ] || sed 's/^[0-9a-f]*  //' "labs/$1/.skeleton"
}

worked_on() { # LAB: files that would be lost
    known_files "$1" | sort -u | while read -r f; do
        if [ -e "labs/$1/$f" ] && ! cmp -s "labs/$1/$f" "$new/$1/$f" &&
            ! untouched "$1" "$f"; then
            echo "labs/$1/$f"
        fi
    done
}

remove_old() { # LAB
    known_files "$1" | while read -r f; do
        [ -e "$new/$1/$f" ] || rm -f "labs/$1/$f"
    done
}

status=0
for lab in "${@#solutions/}"; do
    [ -d "solutions/$lab" ] || {
        echo "skeletons: there is no solutions/$lab"
        exit 1
    }
    generate "$lab"
    if [ -n "$check" ]; then
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
