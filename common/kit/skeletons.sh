#!/usr/bin/env bash
# Regenerate labs/ from solutions/ without losing a student's work.
#
#   common/kit/skeletons.sh [LAB...]           write labs; refuse if a file has
#                                              been worked on
#   common/kit/skeletons.sh --check [LAB...]   fail if labs/ differs from what
#                                              would be generated
#   FORCE=1                                    overwrite edited files, too
#
# LAB is like lab1-collectives; the default is all of solutions/. labs/.skeleton
# holds the checksum of each file as it was generated. A file without a matching
# checksum is a student's work: one that was edited, one of their own with the
# name of a new lab file, or any file if .skeleton is gone.
set -euo pipefail
cd "$(dirname "$0")/../.."
export LC_ALL=C # the same order of files everywhere

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
}

# Print lines "CHECKSUM  LAB/FILE", as in labs/.skeleton.
sums() { (cd "$new" && sha256sum -- "$1"/*); } # LAB
listed() { # LAB
    [ ! -f labs/.skeleton ] || grep "^[0-9a-f]*  $1/" labs/.skeleton || true
}

# True if the file is still as it was generated.
untouched() { # LAB FILE
    listed "$1" | awk -v name="$1/$2" '$2 == name' |
        (cd labs && sha256sum --check --status 2>/dev/null)
}

# Print the lab's files, and those of an older skeleton that it no longer has.
known_files() { # LAB
    (cd "$new/$1" && printf '%s\n' *)
    listed "$1" | sed 's,^.*  .*/,,'
}

worked_on() { # files that would be lost
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

write() { # LAB
    mkdir -p "labs/$1"
    remove_old "$1"
    cp "$new/$1"/* "labs/$1/"
    { cat labs/.skeleton 2>/dev/null || true; } | while read -r sum name; do
        [ "${name%/*}" = "$1" ] || [ ! -d "labs/${name%/*}" ] ||
            echo "$sum  $name"
    done | sort -k 2 - <(sums "$1") > "$new/.skeleton"
    mv "$new/.skeleton" labs/.skeleton
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
        diff <(sums "$lab") <(listed "$lab") || status=1
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
    write "$lab"
done
exit $status
