# search.awk: the sections of HTML pages, for search.html
#
#   awk -f search.awk PAGE.html...
#
# prints a line ["x.html#id", page, heading, text], for each section.

function plain(html) {
    gsub(/<[^>]*>/, "", html)
    gsub(/&lt;/, "<", html); gsub(/&gt;/, ">", html)
    gsub(/&quot;/, "\"", html); gsub(/&amp;/, "\\&", html)
    return html
}
# A string of JavaScript that can't end the script that it is in.
function quoted(text) {
    gsub(/\\/, "\\\\", text); gsub(/"/, "\\\"", text); gsub(/[\t ]+/, " ", text)
    gsub(/</, "\\u003c", text)
    return "\"" text "\""
}
function close_section() {
    if (heading != "")
        print "[" quoted(file id) "," quoted(page) "," quoted(heading) "," \
            quoted(text) "],"
    heading = text = ""
}

FNR == 1 { close_section(); in_main = 0; page = ""
           file = FILENAME; sub(/.*\//, "", file) }
/<main>/ { in_main = 1 }
/<\/main>/ { close_section(); in_main = 0 }
in_main && match($0, /<h[123] id="[^"]*"/) {
    close_section()
    id = substr($0, RSTART + 8, RLENGTH - 9)
    heading = plain($0)
    if (page == "") page = heading
    id = "#" id
    next
}
in_main { text = text " " plain($0) }
END { close_section() }
