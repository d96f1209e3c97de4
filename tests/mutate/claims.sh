#!/usr/bin/env bash
# Which suites have to notice a mutant: tests/mutate/claims, read and checked
#
# As a program, a test: each file that can be mutated is claimed by suites that
# exist, and each line of the claims is the first that matches some file.
set -euo pipefail
claims=tests/mutate/claims

# code FOLDER...: the names on stdin that are code there. Of the headers, those
# that are code.
code() {
    grep -E '\.c$|^common/base/(mix|narrow)\.h$' \
        | grep -E "^($(IFS='|'; echo "$*"))"
}

# claim FILE: the first line whose pattern matches it
claim() {
    local pattern suites
    while read -r pattern suites; do
        # shellcheck disable=SC2053 # a pattern it is
        if [[ $pattern != \#* && $1 == $pattern ]]; then
            echo "$pattern $suites"
            return
        fi
    done < $claims
    return 1
}

# Where mutants are made, unless ONLY says otherwise.
mutable=(common/base common/graph common/topo common/judge common/simgpu grader)

check() {
    local bad=0 f suite used lines
    used=$(git ls-files -co --exclude-standard | code "${mutable[@]}" \
        | while read -r f; do claim "$f" || echo "unclaimed $f"; done | sort -u)
    while read -r f; do
        echo "no suite claims $f: say so in $claims"
        bad=1
    done < <(sed -n 's/^unclaimed //p' <<< "$used")
    mapfile -t lines < <(grep -vE '^(#|$)' $claims | tr -s ' ')
    for f in "${lines[@]}"; do
        [ "$(grep -cxF -- "$f" <<< "$used")" = 1 ] || {
            echo "$claims: no file needs the line of ${f%% *}"
            bad=1
        }
        for suite in ${f#* }; do
            [ -f "tests/$suite.c" ] || {
                echo "$claims: ${f%% *}: there is no suite $suite"
                bad=1
            }
        done
    done
    [ $bad = 0 ] && echo "ok     each file that can be mutated is claimed"
}

[ "${BASH_SOURCE[0]}" != "$0" ] || check
