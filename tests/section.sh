#!/bin/sh
# Print one patch of a series.
#
#   section.sh FILE [NAME]
#
# A series is a file of many small patches of the same source, each after a
# line "== NAME" (tests/mutants, twins, mistakes, cheats, explain). This prints
# the patch NAME without that line or, without NAME, what precedes the first
# line that begins with "==". If there is no such patch, the message goes to
# stdout, so that patch(1), which reads it there, fails.
awk -v name="${2-}" 'BEGIN { on = found = name == "" }
    /^==/ { on = $1 == "==" && $2 == name; found = found || on; next } on
    END { if (!found) print ARGV[1] " has no patch " name; exit !found }' "$1"
