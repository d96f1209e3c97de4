# english.awk: find the words of tests/lint/words
#
#   awk -f english.awk words FILE...     in the comments of files
#   awk -v commits=1 -f english.awk words FILE     in commit subjects, one per
#                                        line: hash, space, subject
#
# In files that end in .c, .h, .cu, .cuh, .cpp and .hpp, comments are C's; in
# all others they start with #. A phrase may be broken across lines. Prints
# PLACE: "WORD": what to write instead. The status is 1 if anything is found.
BEGIN {
    FS = "\t"
    LONGEST_SUBJECT = 50
    BLANK = sprintf("%200s", "")
}

# ---- rules -------------------------------------------------------------------

FILENAME == ARGV[1] {
    if (sub(/^except /, ""))
        except = except (except == "" ? "" : "|") $0
    if (/^#/ || NF < 2)
        next
    if (sub(/^verb /, "", $1)) {
        verbs[$1] = $2
        next
    }
    pattern[++npatterns] = sub(/^\^/, "", $1) ? \
        "^ (" $1 ")[^a-z0-9_]" : "[^a-z0-9_-](" $1 ")[^a-z0-9_-]"
    advice[npatterns] = $2
    any = any (npatterns > 1 ? "|" : "") pattern[npatterns]
    next
}

function refuse(place, word, instead) {
    printf "%s: \"%s\": write %s\n", place, word, instead
    bad = 1
}

# Report the words in a text. If n > 0, the text has lines at offsets
# start[1..n], with the numbers number[1..n].
function check(text, place, n,    i, j, at, from, rest, word) {
    text = " " tolower(text) " "
    if (text !~ any)
        return
    while (match(text, except)) # blanks keep the offsets
        text = substr(text, 1, RSTART - 1) substr(BLANK, 1, RLENGTH) \
            substr(text, RSTART + RLENGTH)
    for (i = 1; i <= npatterns; i++)
        for (from = 0; match(rest = substr(text, from + 1), pattern[i]);
             from = at) {
            at = from + RSTART
            word = substr(rest, RSTART + 1, RLENGTH - 2)
            for (j = n; j > 1 && start[j] > at; j--)
                ;
            refuse(n ? place ":" number[j] : place, word, advice[i])
        }
}

# ---- commits -----------------------------------------------------------------

commits {
    hash = subject = verb = $0
    sub(/ .*/, "", hash)
    sub(/^[^ ]* /, "", subject)
    sub(/^[^:]*: /, "", verb)
    sub(/[^a-zA-Z].*/, "", verb)
    if (length(subject) > LONGEST_SUBJECT)
        refuse(hash, subject, "at most " LONGEST_SUBJECT " characters, not " \
            length(subject))
    if (tolower(verb) in verbs)
        refuse(hash, verb, verbs[tolower(verb)])
    check(subject, hash, 0)
    next
}

# ---- comments ----------------------------------------------------------------

# Append a line of a comment, without its marks.
function add(line) {
    gsub(/^[ \t]*(\*+ ?)?|[ \t]+$/, "", line)
    start[++nlines] = length(comment) + 2
    number[nlines] = FNR
    comment = comment (nlines > 1 ? " " : "") line
}

function end() {
    if (nlines > 0)
        check(comment, file, nlines)
    comment = ""
    nlines = 0
}

FNR == 1 {
    end()
    file = FILENAME
    is_c = FILENAME ~ /\.(c|h|cu|cuh|cpp|hpp)$/
    block = 0
}

!is_c {
    if (match($0, /^[ \t]*#+/) && !/^#!/) {
        add(substr($0, RLENGTH + 1))
        next
    }
    end()
    # In a string, an odd number of quotes precedes the mark.
    if (match($0, /[ \t]# /)) {
        before = substr($0, 1, RSTART)
        if (gsub(/["'`]/, "", before) % 2 == 0) {
            add(substr($0, RSTART + 3))
            end()
        }
    }
    next
}

# A comment of // lines ends where the next line has none.
{
    if (!block && !/^[ \t]*\/\//)
        end()
    for (rest = $0; rest != "";) {
        if (block) {
            if (!(at = index(rest, "*/"))) {
                add(rest)
                break
            }
            add(substr(rest, 1, at - 1))
            end()
            block = 0
            rest = substr(rest, at + 2)
        } else if (!match(rest, /["']|\/\*|\/\//))
            break
        else {
            mark = substr(rest, RSTART, RLENGTH)
            before = substr(rest, 1, RSTART - 1)
            rest = substr(rest, RSTART + RLENGTH)
            if (mark == "/*")
                block = 1
            else if (mark == "//") {
                add(rest)
                if (before !~ /^[ \t]*$/)
                    end()
                break
            } else if (match(rest, mark == "\"" ? \
                    "^([^\"\\\\]|\\\\.)*\"" : "^([^'\\\\]|\\\\.)+'"))
                rest = substr(rest, RLENGTH + 1)
        }
    }
}

END {
    if (!commits)
        end()
    exit bad
}
