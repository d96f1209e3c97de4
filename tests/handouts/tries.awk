# tries.awk: the commands that a page asks its readers to try
#
#   awk -f tries.awk PAGE      prints "LINE COMMAND" for each
#
# These are the commands in indented blocks and in `backquotes`; page.sh runs
# those of transcripts. A command is complete: names of options, and words that
# stand for something (DIR), are left out, as is what needs a debugger or a
# profiler of GPUs. A line that ends in a backslash continues in the next one.

function is_command(c) {
    if (c ~ /(^| )[A-Z]+( |$)/) return 0
    sub(/^([A-Z_]+=[^ ]+ )+/, "", c)
    return c ~ /^mpirun -n [0-9]+ build\/(lab[0-9]+|first|slow)( |$)/ ||
        c ~ /^build\/lab[0-9]+ --questions$/ ||
        c ~ /^build\/commgraph [a-z-]+ [a-z0-9]/
}

function offer(c, at) {
    sub(/ +# .*/, "", c)
    sub(/^make lab[0-9]+ && /, "", c)
    if (is_command(c) && !(c in offered)) print at, c
    offered[c]
}

# The commands in the paragraph's backquotes, which may be broken across lines.
function close_paragraph() {
    while (match(paragraph, /`[^`]+`/)) {
        offer(substr(paragraph, RSTART + 1, RLENGTH - 2), begun)
        paragraph = substr(paragraph, RSTART + RLENGTH)
    }
    paragraph = ""
}

/^```/ { close_paragraph(); fenced = !fenced; next }
fenced || /^<!--/ { next }
/^    / {
    close_paragraph()
    line = $0
    sub(/^ +/, "", line)
    if (command == "") at = FNR
    command = command line
    if (sub(/\\$/, "", command)) next
    offer(command, at)
    command = ""
    next
}
/^$/ { close_paragraph(); next }
{
    line = $0
    sub(/^ +/, "", line)
    if (paragraph == "") begun = FNR
    paragraph = paragraph == "" ? line : paragraph " " line
}
END { close_paragraph() }
