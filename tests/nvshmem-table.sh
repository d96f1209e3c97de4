#!/usr/bin/env bash
# Which of NVSHMEM's functions simgpu has: the table in handouts/simgpu.md.
#
#   nvshmem-table.sh BUILD [HOME]          is the handout's table true?
#   nvshmem-table.sh BUILD [HOME] --print  write the table
#   nvshmem-table.sh BUILD [HOME] --list   each function: "there", or why not
#
# The functions are listed in tests/extras/nvshmem.txt, which is held true where
# there are real headers: HOME/include, of the package nvidia-nvshmem-cu13
# (`make test NVSHMEM_HOME=DIR`). A function that simgpu lacks for no reason
# named below is an error.
set -eu
build=$1 home=${2-} what=${3-}
case $home in --*) what=$home home= ;; esac
names=tests/extras/nvshmem.txt

# "family, function" of each; the words of a family are patterns of the shell
functions() {
    local family words list from to
    local -A types=()
    while IFS=$'\t' read -r family words; do
        case $family in
        '#'*) continue ;;
        [A-Z]*) types[$family]=$words && continue ;;
        esac
        for from in "${!types[@]}"; do
            to=${types[$from]}
            words=${words//"{$from}"/"{$to}"}
        done
        eval "list=($words)"
        # shellcheck disable=SC2154 # eval sets it
        printf "$family\tnvshmem%s\n" "${list[@]}"
    done < "$names"
}

list() {
    nm -D --defined-only "$build/simgpu/lib/libnvshmem_host.so" |
        sed -n 's/.* T \(nvshmem[A-Za-z0-9_]*\).*/\1/p' |
        awk -F'\t' '
    function why(name) {
        if (name ~ /_smem$/) return "staging by TMA"
        if (name ~ /_region_/) return "regions of batched puts"
        if (name ~ /_cu(module|library)_/) return "loaded modules"
        if (name ~ /_symmetric/) return "symmetric memory of other origin"
        if (name ~ /_team_(init|get_uniqueid)$/) return "teams by unique id"
        if (name ~ /warpgroup|double2_maxloc/) return "warp groups, maxloc"
        if (name ~ /_counted_/) return "counted signals"
        if (name ~ /_status_string$/) return "names of error codes"
        return "UNEXPLAINED"
    }
    FILENAME == "-" { there[$1] = 1; next }
    { print $1 "\t" $2 "\t" ($2 in there ? "there" : why($2)) }
    ' - <(functions)
}

table() {
    list | awk -F'\t' '
    !($1 in all) { order[++n] = $1; has[$1] = 0 }
    { all[$1]++ }
    $3 == "there" { has[$1]++; next }
    !index(lacks[$1], $3) { lacks[$1] = lacks[$1] (lacks[$1] ? "; " : "") $3 }
    END {
        print "| family | there | in 3.8.0 | missing |"
        print "|---|---|---|---|"
        for (i = 1; i <= n; i++) {
            f = order[i]
            printf "| %s | %d | %d | %s |\n", f, has[f], all[f], lacks[f]
            sum += has[f]
            total += all[f]
        }
        printf "| all | %d | %d | |\n", sum, total
    }'
}

# The functions that the real headers declare.
declared() {
    printf '#include <nvshmem.h>\n#include <nvshmemx.h>\n' |
        g++ -std=c++17 -E -P -x c++ -D__CUDACC__ -I"$1/include" \
            -I"$2/include" -I"$2/include/cccl" - 2> /dev/null |
        tr '\n' ' ' | grep -oE '\bnvshmemx?_[a-zA-Z0-9_]+ ?\(' |
        tr -d ' (' | sort -u
}

case $what in
--print) table && exit ;;
--list) list && exit ;;
esac
if list | grep UNEXPLAINED; then
    echo "functions without a reason: tests/nvshmem-table.sh"
    exit 1
fi
while IFS= read -r row; do
    grep -qxF -- "$row" handouts/simgpu.md ||
        { echo "handouts/simgpu.md: run tests/nvshmem-table.sh $build --print"
          exit 1; }
done < <(table)
if ! [ -f "$home/include/nvshmem.h" ]; then
    echo "skipped: NVSHMEM's own headers (NVSHMEM_HOME names no folder of them)"
    exit 0
fi
cuda=$(dirname "$(dirname "$(realpath "$(command -v nvcc)")")")
diff <(declared "$home" "$cuda") <(functions | cut -f2 | sort -u) || {
    echo "tests/extras/nvshmem.txt: < in $home, > in our list"
    exit 1
}
status=0
for program in tests/*/prog_shmem*.cu; do
    # shellcheck disable=SC2046 # words
    nvcc -std=c++17 -rdc=true -arch=sm_90 -I"$home/include" \
        $(pkg-config --cflags mpich) -c "$program" -o /dev/null || status=1
done
exit $status
