# Puts forge_cheat.h into a source, behind the line that has the text $2, with
# the distances of the functions that it calls. For tests/cheats.
add_forge() {
    library=$ROOT/build/simgpu/lib/libcudart.so
    {
        nm "$library" | awk '
            function hex(text,    i, n) {
                for (i = 1; i <= length(text); i++)
                    n = 16 * n + index("0123456789abcdef", substr(text, i, 1)) - 1
                return n
            }
            { at[$3] = hex($1) }
            END {
                n = split("graph_add simgpu_heap_find simgpu_heap_raw " \
                          "simgpu_proc simgpu_stream_of stream_queue " \
                          "witness_begin", name, " ")
                for (i = 1; i <= n; i++)
                    printf "#define FORGE_%s %d\n", name[i],
                           at[name[i]] - at["cudaGetErrorString"]
            }'
        cat "$ROOT/tests/support/forge_cheat.h"
    } > forge.txt
    sed -i "$(grep -n "$2" "$1" | head -n 1 | cut -d: -f1)r forge.txt" "$1"
    rm forge.txt
}
