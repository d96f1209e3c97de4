# leaks.awk: find parts of solutions in files that must not contain them
#
#     awk -f common/kit/leaks.awk solutions/LAB/*.c searching=1 labs/LAB/* ...
#
# A hole leaks into a file that contains three of its significant lines in
# sequence, or all of a shorter hole; single lines coincide by chance. Comments
# and lines under ten characters are not significant. Prints "file:line: ..."
# for each leak; exit status 1 if there are any.

function insignificant(line) {
    return length(line) < 10 || line ~ /^(\/\/|\/\*|\*)/
}

function close_hole(    i) {
    for (i = 1; i + 2 <= n; i++)
        leak[hole[i] "\n" hole[i + 1] "\n" hole[i + 2]] = where
    if (n == 2) leak[hole[1] "\n" hole[2]] = where
    if (n == 1 && length(hole[1]) >= 40) leak[hole[1]] = where
    n = in_hole = 0
}

FNR == 1 { in_hole = 0; a = b = "" }
{ line = $0; gsub(/^[ \t]+|[ \t]+$/, "", line) }

!searching && line ~ /^\/\/ BEGIN HOLE/ {
    in_hole = 1; n = 0; where = FILENAME ":" FNR; next
}
!searching && line ~ /^\/\/ END HOLE/ { close_hole(); next }
!searching { if (in_hole && !insignificant(line)) hole[++n] = line; next }

insignificant(line) { next }
{
    split(a "\n" b "\n" line SUBSEP b "\n" line SUBSEP line, key, SUBSEP)
    for (i = 1; i <= 3; i++)
        if (key[i] in leak) {
            printf "%s:%d: this is the solution of the hole at %s: %s\n",
                FILENAME, FNR, leak[key[i]], line
            found = 1
        }
    a = b; b = line
}
END { exit found }
