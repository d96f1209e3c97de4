#!/usr/bin/env bash
# What the handouts show is what the kit prints: run their commands again.
#
#   common/kit/handouts.sh [FILE...]           write outputs and figures anew
#   common/kit/handouts.sh --check [FILE...]   fail where one has changed
#
# FILE: default handouts/*.md and README.md. Two things are kept true:
#
#   ```console                        a transcript: lines that begin with "$ "
#   $ build/commgraph p2p ...         are run in the kit's top folder, what
#   output                            follows has to be what they print; a line
#   ...                               "..." stands for any lines, also none
#   ```
#
#   <!-- figure figures/x.svg: COMMAND -->   COMMAND writes the figure to $OUT;
#                                            $TMP is an empty folder
#
# A handout shows what a student sees who has done the work, so build/labN runs
# build/solutions/labN; in a block "```console skeleton" it is build/labN.
set -euo pipefail
cd "$(dirname "$0")/../.."

check=
[ "${1-}" = --check ] && { check=1; shift; }
[ $# -gt 0 ] || set -- handouts/*.md README.md
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0

# The output of a command line, for a block of that kind.
run() { # COMMAND KIND
    local command=$1 shown=
    if [ "$2" != skeleton ]; then
        command=$(sed -E 's#build/lab([0-9])#build/solutions/lab\1#g' <<< "$1")
        shown='s#build/solutions/lab#build/lab#g'
    fi
    rm -rf "$work/run"
    mkdir "$work/run"
    { TMP=$work/run timeout 600 bash -c "$command" 2>&1 < /dev/null || true; } |
        sed "s#$work/run#/tmp/run#g; $shown"
}

# Does the text of file $1 match the pattern of file $2, in which "..." lines
# stand for any lines?
matches() {
    awk 'NR == FNR { got[++n] = $0; next } { want[++m] = $0 }
         function match_from(i, j) {
             while (j <= m) {
                 if (want[j] == "...") {
                     for (; i <= n + 1; i++)
                         if (match_from(i, j + 1)) return 1
                     return 0
                 }
                 if (i > n || got[i++] != want[j++]) return 0
             }
             return i > n
         }
         END { exit !match_from(1, 1) }' "$1" "$2"
}

# One command of a block is complete: its lines of output are in $TMP/want.
finish_command() { # FILE LINE COMMAND KIND
    [ -n "$3" ] || return 0
    run "$3" "$4" > "$work/got"
    if matches "$work/got" "$work/want"; then
        cat "$work/want" >> "$work/new"
        return
    fi
    cat "$work/got" >> "$work/new"
    [ -z "$check" ] || {
        status=1
        echo "$1:$2: \$ $3"
        echo "prints something else now (make handouts writes it anew):"
        diff "$work/want" "$work/got" || true
    }
}

# A figure names the calls' lines. Those of common/ move with every change
# there and mean nothing to a reader of the lab: the file's name stays.
common_files=$(git ls-files common | sed -nE 's#.*/([^/]*)\.(c|cu)$#\1.\2#p' |
    sort -u | sed 's/\./\\./' | paste -sd '|')
without_lines() { # FILE
    sed -i -E "s#([^A-Za-z0-9_])($common_files):[0-9]+#\1\2#g" "$1"
}

figure() { # FILE LINE PATH COMMAND
    local path=${1%/*}/$3 out=$work/${3##*/}
    rm -rf "$out" "$work/run"
    mkdir "$work/run"
    if ! OUT=$out TMP=$work/run timeout 300 bash -c "$4" \
        > "$work/log" 2>&1 < /dev/null ||
        [ ! -f "$out" ]; then
        echo "$1:$2: no figure came out of: $4"
        tail -n 5 "$work/log"
        status=1
        return
    fi
    without_lines "$out"
    if [ -z "$check" ]; then
        mkdir -p "$(dirname "$path")"
        cp "$out" "$path"
    elif ! cmp -s "$out" "$path"; then
        echo "$1:$2: $path is not what its command draws (make handouts)"
        status=1
    fi
}

# shellcheck disable=SC2094 # the file is written after it has been read
handout() { # FILE
    local line number=0 kind='' in_block='' command='' at=0
    : > "$work/new"
    while IFS= read -r line || [ -n "$line" ]; do
        number=$((number + 1))
        if [ -z "$in_block" ]; then
            printf '%s\n' "$line" >> "$work/new"
            if [[ $line =~ ^\`\`\`console\ ?(.*)$ ]]; then
                in_block=1 kind=${BASH_REMATCH[1]}
            elif [[ $line =~ ^\<!--\ figure\ ([^:]*):\ (.*)\ --\>$ ]]; then
                figure "$1" "$number" "${BASH_REMATCH[@]:1}"
            fi
        elif [[ $line == '```' || $line == '$ '* ]]; then
            finish_command "$1" "$at" "$command" "$kind"
            command=
            [[ $line == '```' ]] && in_block=
            [[ $line == '$ '* ]] && command=${line#"$ "} at=$number
            : > "$work/want"
            printf '%s\n' "$line" >> "$work/new"
        else
            printf '%s\n' "$line" >> "$work/want"
        fi
    done < "$1"
    if [ -n "$in_block" ]; then
        echo "$1: a block is not closed"
        status=1
    elif [ -z "$check" ] && ! cmp -s "$work/new" "$1"; then
        cp "$work/new" "$1"
        echo "wrote $1"
    fi
}

for file in "$@"; do
    handout "$file"
done
exit $status
