# memory.awk: memory of the first GPU against time, as a picture
#
#   awk -v names="one|two" -f memory.awk PAGE > x.svg
#
# PAGE is what `commgraph view` wrote: its "memory" has, for each GPU, the times
# (ps) and changes (bytes) of what is allocated. Each stretch in which something
# is allocated gets the next name, and its usual height in MiB.

function x(t) { return 10 + 440 * (t - first) / (last - first) }
function y(b) { return 190 - 150 * b / most }

/^"memory":/ {
    sub(/^"memory":\[\[[0-9]+,[0-9]+,\[/, "")
    sub(/\].*/, "")
    n = split($0, v, ",") / 2
    for (i = 1; i <= n; i++) {
        time[i] = v[2 * i - 1]
        held[i] = held[i - 1] + v[2 * i]
        if (held[i] > most) most = held[i]
    }
    first = time[1]; last = time[n]
}

END {
    if (!n) { print FILENAME ": no memory of a GPU" > "/dev/stderr"; exit 1 }
    print "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"460\" height=\"215\" viewBox=\"0 0 460 215\" font-family=\"sans-serif\" font-size=\"13\" text-anchor=\"middle\">"
    print "<rect width=\"460\" height=\"215\" fill=\"#fff\"/>"
    printf "<path fill=\"#a6cee3\" stroke=\"#1f78b4\" d=\"M%.1f 190", x(first)
    for (i = 1; i <= n; i++) printf "H%.1fV%.1f", x(time[i]), y(held[i])
    print "\"/>\n<path stroke=\"#444\" d=\"M10 190H450\"/>"
    split(names, name, "|")
    for (i = begin = 1; i <= n; i++) {
        lasts = i < n ? time[i + 1] - time[i] : 0
        if (lasts > longest) { longest = lasts; level = held[i]; at = i }
        if (held[i] > 0) continue
        middle = (x(time[begin]) + x(time[i])) / 2
        printf "<text x=\"%.1f\" y=\"207\">%s</text>\n", middle, name[++k]
        printf "<text x=\"%.1f\" y=\"%.1f\">%d MiB</text>\n", middle, y(level) - 7, level / 1048576 + 0.5
        begin = i + 1; longest = 0
    }
    print "</svg>"
}
