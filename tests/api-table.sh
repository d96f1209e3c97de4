#!/usr/bin/env bash
# Which functions of the CUDA runtime simgpu has: the table in
# handouts/simgpu.md, from the real headers.
#
#   api-table.sh BUILD CUDA_HOME            is the handout's table true?
#   api-table.sh BUILD CUDA_HOME --print    write the table
#   api-table.sh BUILD CUDA_HOME --list     each function: "there", or why not
#
# Families are the header's own groups. A function that simgpu lacks for no
# reason named below is an error.
set -eu
build=$1 cuda=${2-} what=${3-}
header=$cuda/include/cuda_runtime_api.h
if ! [ -f "$header" ]; then
    echo "skipped: the runtime's real header (no CUDA toolkit here)"
    exit 0
fi

list() {
    nm -D --defined-only "$build/simgpu/lib/libcudart.so" |
        sed -n 's/.* T \(cuda[A-Za-z0-9]*\).*/\1/p' |
        gawk '
    function why(name) {
        if (name ~ /Mipmapped|ResourceViewDesc|Texture1DLinear/)
            return "mipmaps and views of textures"
        if (name ~ /Graphics/)
            return "graphics"
        if (name ~ /NvSci|ExternalSemaphores(Signal|Wait)Node/)
            return "memory and semaphores of other APIs"
        if (name ~ /Sparse|GetPlane|MemoryRequirements/)
            return "sparse arrays and planes"
        if (name ~ /cudaLogs/)
            return "logs of the driver"
        if (name ~ /cudaMemDiscard/)
            return "discarding managed memory"
        return "UNEXPLAINED"
    }
    FILENAME == "-" { there[$1] = 1; next }
    /defgroup CUDART/ {
        sub(/.*defgroup [A-Z0-9_]+ /, "")
        sub(/ *(\[DEPRECATED\])? *(\*\/)? *$/, "")
        if ($0 !~ /^(C\+\+|Interactions)/)
            family = $0
    }
    /addtogroup CUDART_DEVICE/ { family = "Device Management" }
    /^ *extern .*CUDARTAPI/ {
        if (!match($0, /CUDARTAPI(_CDECL)? +(cuda[A-Za-z0-9]+) *\(/, m))
            next
        name = m[2]
        if (!seen[name]++)
            print family "\t" name "\t" (name in there ? "there" : why(name))
    }' - "$header"
}

table() {
    list | gawk -F'\t' '
    !($1 in all) { order[++n] = $1 }
    { all[$1]++ }
    $3 == "there" { has[$1]++; next }
    !index(lacks[$1], $3) { lacks[$1] = lacks[$1] (lacks[$1] ? "; " : "") $3 }
    END {
        print "| family | there | in the headers | missing |"
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

case $what in
--print) table ;;
--list) list ;;
*)
    if list | grep UNEXPLAINED; then
        echo "functions without a reason: tests/api-table.sh"
        exit 1
    fi
    table | diff <(sed -n '/^| family | there | in the headers/,/^| all /p' \
        handouts/simgpu.md) - ||
        { echo "handouts/simgpu.md: run tests/api-table.sh ... --print"; exit 1; }
    echo "ok     the table of the runtime's functions is true"
    ;;
esac
