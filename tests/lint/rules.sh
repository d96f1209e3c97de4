#!/usr/bin/env bash
# As a test: english.sh refuses an example of each rule, accepts good English,
# and finds nothing in this tree
#
#   tests/lint/rules.sh BUILD
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
lint=$here/english.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0

# check NAME COMMAND...
check() {
    if "${@:2}"; then
        echo "ok     $1"
    else
        echo "failed $1"
        status=1
    fi
}

# WORD<tab>COMMENT: an example for each rule about comments
examples() {
    cat << 'END'
nobody	Nobody waits for this stream.
somebody	Wait until somebody has set the flag.
whoever	Freed by whoever leaves last.
by whom	Counts the calls, by whom they are made.
whatever	The flag is kept, whatever the kernel does.
anew	Read the variable anew.
beside	An operation beside the kernel.
goes on	The kernel goes on after the barrier.
so many	Wait for so many ranks.
dear	A replay is dear.
by turns	The ranks send by turns.
comes home	The block comes home after n steps.
as nccl has it	The order of arguments is as NCCL has it.
if need be	Map the heap if need be.
is no stream	NULL: the handle is no stream.
luck	Only luck orders these two ranks.
rooms	Two pairs of rooms are enough.
each room	Each room takes one block.
of	of the sender
END
}

accepted() {
    cat << 'END'
There is no room for another message, and a channel has room for 16.
The besides and whatsoever are other words, as in nobody_waits and dear_id.
A rank is no longer alive, and is no faster than before.
The number of ranks, of which the first one prints.
END
}

# comments_as NAME FORMAT: each line of the input as a comment of file NAME,
# followed by an empty line
comments_as() {
    while IFS= read -r line; do
        # shellcheck disable=SC2059 # it is a format
        printf "$2\n\n" "$line"
    done > "$work/$1"
}

# found NAME: "WORD" for each line that english.sh prints, in order of lines
found() {
    "$lint" comments "$work/$1" | sort -t: -k2n |
        sed -n 's/^[^:]*:[0-9]*: "\([^"]*\)": write .*/\1/p'
}

finds_each_in() { # NAME FORMAT
    examples | cut -f 2 | comments_as "$1" "$2"
    diff <(examples | cut -f 1) <(found "$1")
}

accepts_in() { # NAME FORMAT
    accepted | comments_as "$1" "$2"
    [ -z "$(found "$1")" ]
}

# Every line of words has an example.
has_examples() {
    diff <(grep -v '^#' "$here/words" | grep -vE '^(except |verb |$)' |
        cut -f 2 | sort -u) \
        <("$lint" comments "$work/each.sh" | sed 's/.*": write //' | sort -u)
}

finds_places() {
    cat > "$work/places.c" << 'END'
/*
 * The worker goes
 * on after this.
 */
const char *s = "// nobody /* nobody";
int n; // dear
char c = '"'; /* anew */
    // by
    // turns
END
    diff <(printf '%s\n' 'places.c:2: "goes on": write continue' \
        'places.c:6: "dear": write expensive' \
        'places.c:7: "anew": write again, or re- before the verb' \
        'places.c:8: "by turns": write alternately, or in turn') \
        <(cd "$work" && "$lint" comments places.c)
}

# ---- commits -----------------------------------------------------------------

# subjects SUBJECT...: what english.sh prints of commits with these subjects
subjects() {
    rm -rf "$work/repo"
    git init -q "$work/repo"
    for subject in first "$@"; do
        git -C "$work/repo" -c user.name=a -c user.email=a@b -c \
            commit.gpgsign=false commit -q --allow-empty -m "$subject"
    done
    (cd "$work/repo" && "$lint" commits HEAD~$#..HEAD)
}

refuses_subject() { # SUBJECT TEXT
    ! subjects "core: add a test" "$1" > "$work/out" &&
        [ "$(wc -l < "$work/out")" = 1 ] && grep -qF -- "$2" "$work/out"
}

refuses_verbs() {
    sed -n 's/^verb \([a-z]*\)\t.*/\1/p' "$here/words" | while read -r verb; do
        refuses_subject "grade doctor: $verb a rank" \
            "\"$verb\": write the verb of the change" || return
    done
}

# ---- trees -------------------------------------------------------------------

# tree FILE COMMENT: what english.sh prints of a tree without history in which
# this file has that comment
tree() {
    rm -rf "$work/tree"
    (cd "$work" && mkdir -p tree/{common,grader,solutions,tests/support})
    cp -r "$here" "$work/tree/tests"
    mkdir -p "$work/tree/$(dirname "$1")"
    echo "// $2" > "$work/tree/$1"
    GIT_CEILING_DIRECTORIES=$work "$work/tree/tests/lint/english.sh"
}

accepts_tree() {
    tree common/simgpu/a.c "Good English." | grep -q 'subjects are not checked'
}
refuses_tree() {
    for file in common/simgpu/a.c common/staff/lab/a.cu grader/vet/a.h \
        solutions/lab/a.c tests/support/a.c; do
        ! tree "$file" "Nobody." > "$work/out" &&
            grep -q "^$file:1: \"nobody\": write " "$work/out" || return
    done
}

check "words in comments of C are found" finds_each_in each.c '/* %s */'
check "words in comments of CUDA are found" finds_each_in each.cu 'f(); // %s'
check "words in comments of make are found" finds_each_in each.mk 'x := 1 # %s'
check "words in comments of shell are found" finds_each_in each.sh '# %s'
check "each rule has an example" has_examples
check "good comments in C are accepted" accepts_in good.h '/* %s */'
check "good comments in awk are accepted" accepts_in good.awk '# %s'
check "a word is reported with its line" finds_places
check "good subjects are accepted" subjects "core: add a test" "a: move b"
check "a subject of 50 characters is accepted" subjects \
    "core: add a test that has exactly fifty characters"
check "a subject of 51 characters is refused" refuses_subject \
    "core: add a test that has exactly fifty-1 character" "at most 50"
check "a subject's verb is refused" refuses_verbs
check "a word in a subject is refused" refuses_subject "a: read b anew" '"anew"'
check "a tree without history is accepted" accepts_tree
check "a bad comment in it is refused" refuses_tree
check "this tree's English is accepted" "$lint"
exit $status
