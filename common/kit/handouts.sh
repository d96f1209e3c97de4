#!/usr/bin/env bash
# Rerun the commands that handouts show, so that the shown output stays current.
#
#   common/kit/handouts.sh [FILE...]           rewrite output and figures
#   common/kit/handouts.sh --check [FILE...]   fail if any is out of date
#
# FILE: default handouts/*.md and README.md. Two constructs are rerun:
#
#   ```console                        a transcript: lines that begin with "$ "
#   $ build/commgraph p2p ...         are run in the kit's top folder, and must
#   output                            print the lines that follow; a line "..."
#   ...                               stands for any number of lines
#   ```
#
#   What a transcript writes goes to build/, as a student's own runs do.
#
#   <!-- figure figures/x.svg: COMMAND -->   COMMAND writes the figure to $OUT;
#                                            $TMP is an empty folder
#   <!-- still figures/x.png 900x400 #only=steps&step=3 SUM: COMMAND -->
#                                            COMMAND writes a page of commgraph
#                                            view to $OUT; the figure is what a
#                                            browser shows. Fonts differ, so
#                                            --check compares the checksum
#
# If a command of a transcript, with "-o $OUT" appended, is also the command of
# a figure further down, it runs once for both: programs print the same whether
# they draw or not.
#
# Handouts show what students see once the work is done, so build/labN stands
# for build/solutions/labN, except in a block "```console skeleton".
set -euo pipefail
cd "$(dirname "$0")/../.."

check=
[ "${1-}" = --check ] && { check=1; shift; }
[ $# -gt 0 ] || set -- handouts/*.md README.md
work=$(mktemp -d)
drawn=$work/drawn # figures that are drawn but not yet compared
trap 'rm -rf "$work"' EXIT
status=0

# Print the path of the figure that COMMAND draws with -o, or nothing.
drawn_by() { # FILE COMMAND
    C="$2" awk 'BEGIN { command = ": " ENVIRON["C"] " -o $OUT -->" }
        /^<!-- figure / && (i = index($0, command)) &&
            length($0) == i + length(command) - 1 {
            print substr($0, 13, i - 13)
        }' "$1" | head -n 1
}

# head, in handouts, reads its input to the end: mpirun would complain if it
# couldn't write all of it.
head() { command head "$@"; [ ! -p /dev/stdin ] || cat > /dev/null; }
export -f head

# Print the output of a command line in a block of this kind.
run() { # FILE COMMAND KIND
    local command=$2 shown='' figure
    if [ "$3" != skeleton ]; then
        command=$(sed -E 's#build/lab([0-9])#build/solutions/lab\1#g' <<< "$2")
        shown='s#build/solutions/lab#build/lab#g'
    fi
    figure=$(drawn_by "$1" "$command")
    [ -z "$figure" ] || command="$command -o \$OUT"
    rm -rf "$work/run"
    mkdir "$work/run"
    { OUT=$drawn/${figure##*/} TMP=$work/run timeout 600 bash -c "$command" 2>&1 < /dev/null || true; } |
        sed "$shown"
}

# True if file $1 matches the pattern in file $2, in which a line "..." stands
# for any number of lines.
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

# Compare or replace the output of a block's command; $work/want has the shown
# one.
finish_command() { # FILE LINE COMMAND KIND
    [ -n "$3" ] || return 0
    run "$1" "$3" "$4" > "$work/got"
    if matches "$work/got" "$work/want"; then
        cat "$work/want" >> "$work/new"
        return
    fi
    cat "$work/got" >> "$work/new"
    [ -z "$check" ] || {
        status=1
        echo "$1:$2: \$ $3"
        echo "prints something else now (make handouts updates it):"
        diff "$work/want" "$work/got" || true
    }
}

# Figures give the line of each call. Lines of files that students edit are
# kept. Those of other files change with the kit and mean nothing to readers, so
# only the file's name is kept.
student_files=$(cd solutions && printf '%s\n' */*.c */*.cu |
    sed 's#.*/##; s/\./\\./' | sort -u | paste -sd '|')
without_lines() { # FILE
    sed -i -E "s#\b($student_files):([0-9]+)#\1\n\2#g
        s#(\.(c|cu|cuh|h)):[0-9]+#\1#g; s#\n#:#g" "$1"
}

# Run a command that writes $out.
write_out() { # FILE LINE COMMAND
    rm -rf "$out" "$work/run"
    mkdir "$work/run"
    if ! OUT=$out TMP=$work/run timeout 300 bash -c "$3" \
        > "$work/log" 2>&1 < /dev/null ||
        [ ! -f "$out" ]; then
        echo "$1:$2: this command wrote no figure: $3"
        tail -n 5 "$work/log"
        status=1
        return 1
    fi
    without_lines "$out"
}

figure() { # FILE LINE PATH COMMAND
    local path=${1%/*}/$3 out=$work/${3##*/}
    if [ -f "$drawn/${3##*/}" ]; then
        mv "$drawn/${3##*/}" "$out"
        without_lines "$out"
    else
        write_out "$1" "$2" "$4" || return 0
    fi
    if [ -z "$check" ]; then
        mkdir -p "$(dirname "$path")"
        cp "$out" "$path"
    elif ! cmp -s "$out" "$path"; then
        echo "$1:$2: $path is out of date (make handouts)"
        status=1
    fi
}

photograph() { # PAGE HASH SIZE PATH
    local options=(--headless --disable-gpu --disable-dev-shm-usage
        --hide-scrollbars --user-data-dir="$work/browser"
        --window-size="${3/x/,}" --screenshot="$4")
    # Browsers refuse to sandbox root. These pages are the kit's own.
    [ "$(id -u)" -ne 0 ] || options+=(--no-sandbox)
    HOME=$work timeout 100 chromium "${options[@]}" "file://$1$2" \
        > "$work/log" 2>&1
}

# Write the line of a still with its new checksum to $work/still.
still() { # FILE LINE PATH SIZE HASH SUM COMMAND
    local path=${1%/*}/$3 out=$work/page.html sum=$6
    if write_out "$1" "$2" "$7"; then
        sum=$({ echo "$4 $5"; cat "$out"; } | cksum | cut -d' ' -f1)
    fi
    if [[ $sum == "$6" && -f $path ]]; then
        :
    elif [ -n "$check" ]; then
        echo "$1:$2: $path is out of date (make handouts)"
        status=1
    elif mkdir -p "$(dirname "$path")" &&
        ! photograph "$out" "$5" "$4" "$path"; then
        echo "$1:$2: no $path, since chromium failed:"
        tail -n 5 "$work/log"
        status=1 sum=$6
    fi
    printf '<!-- still %s %s %s %s: %s -->\n' "$3" "$4" "$5" "$sum" "$7" \
        > "$work/still"
}

# shellcheck disable=SC2094 # the file is written after it has been read
handout() { # FILE
    local line number=0 kind='' in_block='' command='' at=0
    : > "$work/new"
    rm -rf "$drawn"
    mkdir "$drawn"
    while IFS= read -r line || [ -n "$line" ]; do
        number=$((number + 1))
        if [[ -z $in_block && $line =~ ^\<!--\ still\ ([^ ]+)\ ([0-9]+x[0-9]+)\ (#[^ ]*)\ ([0-9]+):\ (.*)\ --\>$ ]]; then
            still "$1" "$number" "${BASH_REMATCH[@]:1}"
            cat "$work/still" >> "$work/new"
        elif [ -z "$in_block" ]; then
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
