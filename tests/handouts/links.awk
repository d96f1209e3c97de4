# links.awk: does every link of these pages lead somewhere?
#
#   gawk -f links.awk FILE...
#
# FILE: markdown as GitHub reads it, or HTML as pages.sh writes it. Each target
# that doesn't say http: has to be a file, and its #anchor a heading (an id) of
# that file, which has to be among those named. In HTML also: no markdown that
# was not understood, and no comment, is left. Status 1 and a line for each
# that isn't so.

function note(target) { link[++n] = target; from[n] = FILENAME; line[n] = FNR }
function complain(at, text) { print at ": " text; bad = 1 }

# The anchor that GitHub gives a heading.
function slug(heading) {
    heading = tolower(heading)
    gsub(/[^a-z0-9 _-]/, "", heading)
    gsub(/ /, "-", heading)
    return heading
}

FNR == 1 { code = 0; page = FILENAME ~ /\.html$/ }

# Markdown: what is outside of blocks and of spans of code.
!page && /^ *```/ { code = !code }
!page && (code || /^    /) { next }
!page {
    if (match($0, /^#+ /)) anchor[FILENAME, slug(substr($0, RLENGTH + 1))]
    gsub(/`[^`]*`/, "")
    while (match($0, /\]\([^)]*\)/)) {
        note(substr($0, RSTART + 2, RLENGTH - 3))
        $0 = substr($0, RSTART + RLENGTH)
    }
    next
}

# HTML: attributes anywhere, leftovers outside of code.
{
    rest = $0
    while (match(rest, /(href|src|id)="[^"]*"/)) {
        split(substr(rest, RSTART, RLENGTH - 1), a, "=\"")
        if (a[1] == "id") anchor[FILENAME, a[2]]
        else note(a[2])
        rest = substr(rest, RSTART + RLENGTH)
    }
    if (/<pre/) code = 1
    if (!code) {
        gsub(/<code>[^<]*<\/code>/, "")
        if (/<!--|```|\]\(|^\||^#|\*\*/)
            complain(FILENAME ":" FNR, "markdown is left over: " $0)
    }
    if (/<\/pre>/) code = 0
}

END {
    for (i = 1; i <= n; i++) {
        if (link[i] ~ /^https?:/) continue
        file = link[i]
        sub(/#.*/, "", file)
        folder = from[i]
        if (!sub(/\/[^\/]*$/, "", folder)) folder = "."
        path = file == "" ? from[i] : folder == "." ? file : folder "/" file
        while (sub(/[^\/.]+\/\.\.\//, "", path)) ;
        if (system("test -e '" path "'") != 0)
            complain(from[i] ":" line[i], "there is no " link[i])
        else if (link[i] ~ /#/ &&
                 !((path, substr(link[i], index(link[i], "#") + 1)) in anchor))
            complain(from[i] ":" line[i], "no heading is " link[i])
    }
    exit bad
}
