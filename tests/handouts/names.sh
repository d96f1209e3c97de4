#!/usr/bin/env bash
# names.sh FILE...: do the files and functions that a guide names exist?
#
# Checked are spans of code outside of blocks:
#
#   `api_return()`            a function or macro: used somewhere in the sources
#   `struct export`           a type: defined somewhere
#   `grader/run.c` `run.c`    a file or folder, or the end of its path; * stands
#                             and MODULE for any name, LAB for a lab's,
#                             labN for lab1
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
            grep -qE "(^|/)${pattern%/}(/|\$)" <<< "$files"
            ;;
    esac
}

for file in "$@"; do
    while IFS=: read -r line span; do
        exists "$span" || {
            echo "$file:$line: there is no $span"
            status=1
        }
    done < <(awk '/^ *```/ { code = !code }
        code || /^    / { next }
        {
            while (match($0, /`[^`]+`/)) {
                print FNR ":" substr($0, RSTART + 1, RLENGTH - 2)
                $0 = substr($0, RSTART + RLENGTH)
            }
        }' "$file" |
        grep -E ':((struct|enum) [a-z_]+|[a-zA-Z_0-9]+\(\)|[^ ]*[a-z]/[^ ]*|[^ ]+\.(c|h|cu|cuh|sh|awk|mk|wrap|xml|yaml|md|txt|def))$' |
        grep -vE ':(build/|\.|--)|=')
done
exit $status
