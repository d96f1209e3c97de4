# Rank 1's lines of plugin_profiler.c. A worker writes those of kernel channels:
# they follow at the end, those of one task and time in a line.
/FAILED/ { print }
/closed$/ { nclosed++ }
!/^1: / { next }
/ kernel-channel in / {
    id = $2
    sub(/^1: [0-9]+ /, "")
    ids[$0] = ids[$0] " " id
    next
}
{ print }
END {
    for (text in ids)
        print text ", channels" ids[text] | "LC_ALL=C sort"
    close("LC_ALL=C sort")
    print nclosed " closed"
}
