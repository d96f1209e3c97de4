# Rows of prog_replay_speed as a figure: operations a second against ranks, both
# axes logarithmic, with the speed that is promised as a line.
#
#   build/tests/bench/prog_replay_speed | awk -f tests/bench/replay_figure.awk
BEGIN { left = 70; top = 40; width = 480; height = 220; low = 1e5; high = 1e7 }
function x(ranks) { return left + width * log(ranks / 8) / log(1024 / 8) }
function y(speed) {
    return top + height * (1 - log(speed / low) / log(high / low))
}
function text(at_x, at_y, anchor, what) {
    printf "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>\n",
        at_x, at_y, anchor, what
}
function line(x1, y1, x2, y2, style) {
    printf "<path d=\"M%.1f %.1fL%.1f %.1f\" %s/>\n", x1, y1, x2, y2, style
}

NR > 2 && $1 > 0 { n++; ranks[n] = $1; speed[n] = $4 }

END {
    printf "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" " \
        "width=\"%d\" height=\"%d\" font-family=\"sans-serif\" " \
        "font-size=\"12\">\n<rect width=\"100%%\" height=\"100%%\" " \
        "fill=\"#fff\"/>\n", left + width + 30, top + height + 50,
        left + width + 30, top + height + 50
    text(left, 22, "start", "Replay: operations a second, one core")
    for (s = low; s <= high; s *= 10) {
        line(left, y(s), left + width, y(s), "stroke=\"#ccc\"")
        text(left - 8, y(s) + 4, "end", s / 1e6 " M")
    }
    line(left, y(1e6), left + width, y(1e6),
        "stroke=\"#8c1a2b\" stroke-width=\"1.5\" stroke-dasharray=\"6 4\"")
    text(left + width, y(1e6) + 16, "end", "promised")
    for (i = 1; i <= n; i++) {
        text(x(ranks[i]), top + height + 18, "middle", ranks[i])
        path = path (i > 1 ? "L" : "M") \
            sprintf("%.1f %.1f", x(ranks[i]), y(speed[i]))
        dots = dots sprintf("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3.5\"/>\n",
            x(ranks[i]), y(speed[i]))
    }
    printf "<path d=\"%s\" fill=\"none\" stroke=\"#000\" " \
        "stroke-width=\"1.5\"/>\n%s", path, dots
    text(left + width / 2, top + height + 38, "middle",
        "ranks (400,000 operations in each run)")
    print "</svg>"
}
