# Cheats that know simgpu's own functions by their distance from one of CUDA's.
# For tests/cheats.

# FORGE_NAME: the distances, as macros.
forge_distances() {
    nm "$ROOT/build/simgpu/lib/libcudart.so" | awk '
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
}

# Put standard input into a source, behind the first line that has a text.
put_behind() { # SOURCE TEXT
    cat > forge.txt
    sed -i "$(grep -n "$2" "$1" | head -n 1 | cut -d: -f1)r forge.txt" "$1"
    rm forge.txt
}

# Put forge_cheat.h there, with what it needs.
add_forge() { # SOURCE TEXT
    { forge_distances; cat "$ROOT/tests/support/forge_cheat.h"; } |
        put_behind "$1" "$2"
}

# Put there raw(p): where the host has the bytes of device memory.
add_raw() { # SOURCE TEXT
    {
        echo '#include <mpi.h>'
        echo '#include <stdint.h>'
        forge_distances | grep simgpu_heap_raw
        cat << 'C'

static void *raw(const void *p)
{
    const volatile uintptr_t known = (uintptr_t)cudaGetErrorString;
    void *(*const at)(const void *) =
        (void *(*)(const void *))(known + (uintptr_t)FORGE_simgpu_heap_raw);
    return at(p);
}
C
    } | put_behind "$1" "$2"
}
