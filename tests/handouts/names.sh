#!/usr/bin/env bash
# names.sh FILE...: do the files and functions that a guide names exist?
#
# Checked are spans of code outside of blocks:
#
#   `api_return()`            a function or macro: used somewhere in the sources
#   `struct export`           a type: defined somewhere
#   `grader/base/csv.c` `csv.c` a file, a folder or the end of its path; *, NAME
#                             and MODULE for any name, LAB for a lab's,
#                             labN for lab1; or, of a file that people write,
#                             its name in a header of the grader
#
# Names of files still to be written contain NAME, and are not looked for.
# Status 1 and a line for each that doesn't exist.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit
files=$(git ls-files)
status=0

exists() { # SPAN
    local pattern
    case $1 in
        *NAME*) return 0 ;;
        *'()') git grep -qE "\b${1%??}\(" -- '*.c' '*.h' '*.cu' \
            '*.cuh' ':!tests/handouts' ;;
        'struct '* | 'enum '*)
            git grep -qE "^(typedef )?$1( \{|\$)" -- '*.c' '*.h' '*.cuh' ;;
        *)
            pattern=${1//./\\.} pattern=${pattern//'*'/'[^/]*'}
            pattern=${pattern//LAB/lab1-collectives} pattern=${pattern//labN/lab1}
            pattern=${pattern//MODULE/'[^/]*'}
            grep -qE "(^|/)${pattern%/}(/|\$)" <<< "$files" ||
                git grep -qF "\"$1\"" -- 'grader/*.h'
            ;;
    esac
}

# FILE:LINE:SPAN for each span that is to be checked
spans() {
    awk 'FNR == 1 { code = 0 }
        /^ *```/ { code = !code }
        code || /^    / { next }
        {
            while (match($0, /`[^`]+`/)) {
                print FILENAME ":" FNR ":" substr($0, RSTART + 1, RLENGTH - 2)
                $0 = substr($0, RSTART + RLENGTH)
            }
        }' "$@" |
        grep -E ':((struct|enum) [a-z_]+|[a-zA-Z_0-9]+\(\)|[^ ]*[a-z]/[^ ]*|[^ ]+\.(c|h|cu|cuh|sh|awk|mk|wrap|xml|yaml|md|txt|def))$' |
        grep -vE ':(build/|\.|--)|='
}

# What most spans name, a line each: functions and types among them, and files
# and folders by any end of their path. To look each span up alone takes a
# process or two.
known() { # SPANS
    local functions types
    functions=$(sed -nE 's/.*:([a-zA-Z_0-9]+)\(\)$/\1/p' <<< "$1" | sort -u)
    types=$(sed -nE 's/.*:((struct|enum) [a-z_]+)$/\1/p' <<< "$1" | sort -u)
    [ -z "$functions" ] || git grep -hoE "\b(${functions//$'\n'/|})\(" -- '*.c' \
        '*.h' '*.cu' '*.cuh' ':!tests/handouts' | sed 's/$/)/'
    [ -z "$types" ] || git grep -hoE \
        "^(typedef )?(${types//$'\n'/|})( \{|\$)" -- '*.c' '*.h' '*.cuh' |
        sed -E 's/^typedef //; s/ \{$//'
    awk -F / '{
            for (i = 1; i <= NF; i++) {
                print path = $i
                for (k = i + 1; k <= NF; k++)
                    print path = path "/" $k
            }
        }' <<< "$files"
}

all=$(spans "$@")
while IFS=: read -r file line span; do
    exists "$span" || {
        echo "$file:$line: there is no $span"
        status=1
    }
done < <(awk 'NR == FNR { known[$0]; next }
    {
        span = $0
        sub(/^[^:]*:[0-9]*:/, "", span)
        sub(/\/$/, "", span)
        if (!(span in known))
            print
    }' <(known "$all") <(printf %s "${all:+$all$'\n'}"))
exit $status
