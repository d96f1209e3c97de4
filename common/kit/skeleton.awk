# skeleton.awk: turn a solution into the file that a student gets
#
#     awk -f common/kit/skeleton.awk solutions/lab1-collectives/p2p.c
#
# Between the markers
#
#     // BEGIN HOLE part 2: broadcast (about 15 lines)
#     // HINT: a hint, which stays
#     ...the solution...
#     // END HOLE
#
# the solution becomes LAB_HOLE("part 2: broadcast"), or, if the marker says
# (device, about 15 lines), LAB_DEVICE_HOLE of lab/hole.cuh. If the hole has
# lines "// START: code", the student starts from that code instead: a program
# with a mistake, to be mended. Everything else is copied. Nested, unopened and
# unclosed markers are errors with file and line.
#
# In answers.txt an answer follows a "=", and a line that starts with "#="
# derives it: the skeleton omits both.

function fail(what) {
    printf "%s:%d: %s\n", FILENAME, FNR, what > "/dev/stderr"
    failed = 1
    exit 1
}

FILENAME ~ /(^|\/)answers\.txt$/ {
    if (/^#=/) next
    if (!/^#/) sub(/=.*/, "=")
    print
    next
}

/^ *\/\/ BEGIN HOLE / {
    if (hole) fail("BEGIN HOLE inside the hole of line " hole)
    hole = FNR
    indent = $0; sub(/\/\/.*/, "", indent)
    what = $0; sub(/^ *\/\/ BEGIN HOLE /, "", what)
    title = what
    hints = start = ""
    macro = what ~ /\(device, about / ? "LAB_DEVICE_HOLE" : "LAB_HOLE"
    sub(/ *\((device, )?about .*/, "", what)
    next
}

/^ *\/\/ END HOLE/ {
    if (!hole) fail("END HOLE without BEGIN HOLE")
    printf "%s// Yours to %s: %s\n%s%s", indent, start ? "mend" : "write",
        title, hints, start ? start : indent macro "(\"" what "\");\n"
    hole = 0
    next
}

hole && /^ *\/\/ HINT: / { sub(/HINT: /, ""); hints = hints $0 "\n"; next }
hole && /^ *\/\/ START: / {
    sub(/\/\/ START: /, "")
    start = start $0 "\n"
    next
}

!hole { print }

END {
    if (!failed && hole) {
        printf "%s:%d: this hole is not closed\n", FILENAME, hole \
            > "/dev/stderr"
        exit 1
    }
    if (failed) exit 1
}
