#!/usr/bin/env bash
# Which of NCCL's host functions simgpu has: the table in handouts/simgpu.md.
#
#   nccl-table.sh BUILD CUDA_HOME [NEWEST]    is the handout's table true?
#   nccl-table.sh BUILD CUDA_HOME --print     write the table
#   nccl-table.sh BUILD CUDA_HOME --list      each function: "there", or why not
#
# The functions are listed in tests/simgpu/nccl.txt, which is held true where
# there are real headers: the toolkit's, and NEWEST/nccl.h (`make test
# NCCL_NEWEST=DIR`, with the header of the package nvidia-nccl-cu13 in DIR). A
# function that simgpu lacks for no reason named below is an error.
set -eu
build=$1 cuda=${2-} what=${3-}
names=tests/simgpu/nccl.txt

# family, function, "+" if it is newer than 2.28.9, "there" or why not
list() {
    nm -D --defined-only "$build/simgpu/lib/libnccl.so" |
        sed -n 's/.* [TW] \(nccl[A-Za-z0-9]*\).*/\1/p' |
        awk -F'\t' '
    function why(name) { return "UNEXPLAINED" }
    FILENAME == "-" { there[$1] = 1; next }
    /^#/ { next }
    {
        n = split($2, word, " ")
        for (i = 1; i <= n; i++) {
            newer = sub(/\+$/, "", word[i]) ? "+" : ""
            name = "nccl" word[i]
            print $1 "\t" name "\t" newer "\t" \
                (name in there ? "there" : why(name))
        }
    }' - "$names"
}

table() { list | awk -F'\t' -v first=family -f tests/simgpu/nccl_table.awk; }

# The functions that a header declares.
declared() {
    tr '\n' ' ' < "$1" | grep -oE \
        '(ncclResult_t|char ?\*|void) +nccl[A-Z][A-Za-z0-9]+ *\(' |
        sed 's/.*\(nccl[A-Z][A-Za-z0-9]*\) *(/\1/' | sort -u
}

# same HEADER "names that the list has"
same() {
    declared "$1" | diff - <(sort -u <<< "$2") ||
        { echo "$names: not the functions of $1"; exit 1; }
    echo "ok     the list has the functions of $1"
}

# The meter of student code counts every function that moves data or makes a
# communicator (common/lab/meter.h).
metered() {
    local name
    for name in $(list | awk -F'\t' '$1 ~ /collectives|messages/ ||
        $2 ~ /Comm(Init|Split|Shrink|Grow)/ { print $2 }' |
        grep -v 'ncclSignal\|ncclWaitSignal'); do # without data
        if ! grep -qx -- "--wrap=$name" common/lab/meter.wrap ||
            ! grep -q "^[A-Z]*($name,\?" common/lab/meter.c; then
            echo "$name: not in common/lab/meter.wrap or meter.c"
            exit 1
        fi
    done
    echo "ok     the meter counts all functions that move data"
}

case $what in
--print) table ;;
--list) list ;;
*)
    if list | grep UNEXPLAINED; then
        echo "functions without a reason: tests/nccl-table.sh"
        exit 1
    fi
    table | diff <(sed -n '/^| family | there | in 2/,/^| all /p' \
        handouts/simgpu.md) - ||
        {
            echo "handouts/simgpu.md: run tests/nccl-table.sh ... --print"
            exit 1
        }
    echo "ok     the table of NCCL's functions is true"
    metered
    if grep -q 'VERSION_CODE 22809$' "$cuda/include/nccl.h" 2> /dev/null; then
        same "$cuda/include/nccl.h" \
            "$(list | awk -F'\t' '$3 == "" { print $2 }')"
    fi
    if [ -n "$what" ]; then
        same "$what/nccl.h" "$(list | cut -f2)"
    fi
    ;;
esac
