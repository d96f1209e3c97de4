/*
 * forge.h: for cheats that write operations into the execution graph
 *
 * The kit's functions are at fixed distances from one that programs may call:
 * cheat.sh computes them from the library's symbols and defines FORGE_NAME for
 * each, before this text. Structures are those of common/graph/record/record.h
 * and core/heap/heap.h.
 */
#include <mpi.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
    FORGE_KERNEL = 1,
    FORGE_COPY,
    FORGE_COLL = 4,
    FORGE_SEND,
    FORGE_RECV,
    FORGE_JOIN = 1, /* graph_node.flags: the host waits for its end */
    FORGE_ALL = 1,  /* enum graph_match */
    FORGE_PAIR = 4,
    FORGE_ALLREDUCE = 1, /* enum topo_op */
    FORGE_SENDRECV = 10
};

struct forge_access {
    uint64_t alloc, begin, end;
    uint32_t write, site;
};

struct forge_node {
    uint32_t rank, index;
    uint8_t kind, match_kind, op, math;
    uint32_t flags, thread, queue;
    int32_t place, peer_place;
    uint64_t host_ps, latency_ps;
    double flops;
    uint64_t match;
    uint32_t match_size, match_rank, match_root, elem_size;
    uint64_t bytes;
    uint32_t name, site, group;
    uint16_t ndeps, nmoves;
    uint32_t naccesses, span;
};

struct forge_move {
    int32_t from, to;
    uint64_t nbytes;
};

struct forge_block { /* the beginning of struct heap_block */
    char *base;
    size_t nbytes;
    int device;
    int32_t place;
    uint64_t closed, id;
    char rest[64];
};

static void *forge_at(long distance)
{
    const volatile uintptr_t known = (uintptr_t)cudaGetErrorString;
    return (void *)(known + (uintptr_t)distance);
}

/* The bytes at p, as the graph names them. */
static struct forge_access forge_access(const void *p, size_t nbytes, int write)
{
    struct forge_block b;
    int (*const find)(const void *, struct forge_block *) = (int (*)(
        const void *, struct forge_block *))forge_at(FORGE_simgpu_heap_find);
    find(p, &b);
    const uint64_t begin = (uint64_t)((const char *)p - b.base);
    return (struct forge_access){b.id, begin, begin + nbytes, (uint32_t)write,
                                 0};
}

/* Where simgpu itself reaches the bytes at p. */
static void *forge_raw(const void *p)
{
    void *(*const raw)(const void *) =
        (void *(*)(const void *))forge_at(FORGE_simgpu_heap_raw);
    return raw(p);
}

/* Add an operation; returns its number. */
static uint32_t forge_add(struct forge_node n, const struct forge_access *a,
                          uint32_t naccesses, cudaStream_t stream)
{
    const char *(*const proc)(void) =
        (const char *(*)(void))forge_at(FORGE_simgpu_proc);
    void *(*const stream_of)(void *) =
        (void *(*)(void *))forge_at(FORGE_simgpu_stream_of);
    uint32_t (*const queue)(const void *) =
        (uint32_t(*)(const void *))forge_at(FORGE_stream_queue);
    uint32_t (*const add)(void *, const void *, const void *, const void *,
                          const void *) =
        (uint32_t(*)(void *, const void *, const void *, const void *,
                     const void *))forge_at(FORGE_graph_add);
    void *graph;
    memcpy(&graph, proc() + 48, sizeof graph); // struct proc
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const struct forge_move move = {rank, rank, n.bytes};
    n.queue = queue(stream_of(stream));
    n.place = rank;
    n.nmoves = n.kind == FORGE_COPY;
    n.naccesses = naccesses;
    return add(graph, &n, NULL, &move, a);
}

/* Say that it runs. */
static void forge_begin(uint32_t index)
{
    void (*const begin)(uint32_t) =
        (void (*)(uint32_t))forge_at(FORGE_witness_begin);
    begin(index);
}
