#!/bin/sh
# cheat.sh: turn a copy of a lab's solution into a submission of the corpus
#
#   cheat.sh SERIES NAME DIR BUILD
#
# SERIES is tests/cheats/LAB.patch, of which this applies the patch NAME
# (tests/section.sh). What cannot be a patch is commands that run in DIR, where
# $root is the tree's root and $skeleton the lab's skeleton. A patch may add
# lines that are expanded here:
#
#   @insert FILE        that file of tests/cheats/insert
#   @distances NAME...  macros FORGE_NAME: the distance of simgpu's functions
#                       from cudaGetErrorString, by the library's symbols
#
# and in any line @ROOT@ is the tree's root.
set -eu
build=$(realpath "$4")
here=$(cd "$(dirname "$0")" && pwd)
root=$(dirname "$(dirname "$here")")
skeleton=$root/labs/$(basename "$1" .patch)
cheat=$("$root/tests/section.sh" "$1" "$2") || { echo "$cheat" && exit 1; }
cd "$3"

expand() { # SOURCE
    nm "$build/simgpu/lib/libcudart.so" |
        awk -v insert="$here/insert/" -v root="$root" '
        function hex(text,    i, n) {
            for (i = 1; i <= length(text); i++)
                n = 16 * n + index("0123456789abcdef", substr(text, i, 1)) - 1
            return n
        }
        FILENAME == "-" { at[$3] = $1; next }
        /^@insert / {
            while ((got = (getline line < (insert $2))) > 0)
                print line
            failed = failed || got < 0
            close(insert $2)
            next
        }
        /^@distances / {
            for (i = 2; i <= NF; i++) {
                failed = failed || !($i in at)
                printf "#define FORGE_%s %d\n", $i,
                       hex(at[$i]) - hex(at["cudaGetErrorString"])
            }
            next
        }
        { gsub(/@ROOT@/, root); print }
        END { exit failed }' - "$1" > expanded
    mv expanded "$1"
}

if printf '%s\n' "$cheat" | grep -q '^--- '; then
    printf '%s\n' "$cheat" | patch --quiet --no-backup-if-mismatch -p1
    grep -lE '^@(insert|distances) |@ROOT@' ./* | while read -r source; do
        expand "$source"
    done
else
    eval "$cheat"
fi
