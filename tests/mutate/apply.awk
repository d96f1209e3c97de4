# apply.awk: a file with a mutation of tests/mutate/named
#
#   awk -v text="FILE FUNCTION
#   - a line as it is
#   + a line instead" -f apply.awk FILE
#
# White space counts only where words meet. Exits with 1 unless the lines to
# replace, which follow one another, are there exactly once.
function bare(line) {
    gsub(/[ \t]+/, " ", line)
    sub(/^ /, "", line)
    sub(/ $/, "", line)
    return line
}
BEGIN {
    n = split(text, lines, "\n")
    for (i = 2; i <= n; i++)
        if (lines[i] ~ /^- /)
            before[++nbefore] = bare(substr(lines[i], 3))
        else if (lines[i] ~ /^\+ /)
            after = after substr(lines[i], 3) "\n"
}
{ file[NR] = $0 }
END {
    for (i = 1; i <= NR; i++) {
        for (k = 1; k <= nbefore && bare(file[i + k - 1]) == before[k];)
            k++
        if (nbefore && k > nbefore) {
            printf "%s", after
            i += nbefore - 1
            found++
        } else
            print file[i]
    }
    exit found != 1
}
