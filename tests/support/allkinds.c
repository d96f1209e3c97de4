#include "allkinds.h"

/* US: picoseconds in a microsecond. */
enum { US = 1000000, K = 1 << 10, M = 1 << 20 };

/* Ranks 0 and 1 are in one node, rank 2 is in the other. */
static int32_t gpu_of(uint32_t rank)
{
    return rank == 2 ? 8 : (int32_t)rank;
}

static uint64_t memory_of(uint32_t rank, uint32_t number)
{
    return (uint64_t)rank << 32 | number;
}

static struct graph_ref kernel(struct synthetic *s, uint32_t r, uint32_t queue,
                               const char *name, double flops, uint64_t from,
                               uint64_t to)
{
    return SYNTHETIC(s, r, .name = name,
                     .node = {.kind = GRAPH_KERNEL,
                              .queue = queue,
                              .place = gpu_of(r),
                              .host_ps = 2 * US,
                              .latency_ps = US,
                              .math = queue == 2 ? TOPO_FP32 : TOPO_FP16,
                              .elem_size = 4096,
                              .flops = flops},
                     .moves = {{gpu_of(r), gpu_of(r), 3 * M},
                               {gpu_of(r), gpu_of(1), 64 * K}},
                     .accesses = {{memory_of(r, 1), from, to, GRAPH_WRITE, 0}});
}

static struct graph_ref copy(struct synthetic *s, uint32_t r, const char *name,
                             int32_t from, int32_t to, uint32_t flags,
                             uint64_t nbytes)
{
    return SYNTHETIC(s, r, .name = name,
                     .node = {.kind = GRAPH_COPY,
                              .queue = 3,
                              .place = gpu_of(r),
                              .host_ps = US,
                              .flags = flags},
                     .moves = {{from, to, nbytes}});
}

/* Add one rank's part of an operation of several ranks. */
static struct graph_ref together(struct synthetic *s, uint32_t r,
                                 const char *name, struct graph_node n)
{
    n.place = n.queue ? gpu_of(r) : TOPO_HOST_PLACE(r == 2);
    n.host_ps = US / 2;
    n.match_rank = n.match_size == 2 && n.match_kind >= GRAPH_MATCH_PAIR
                       ? n.kind == GRAPH_RECV || (n.kind == GRAPH_MPI && r == 1)
                       : r;
    return SYNTHETIC(s, r, .name = name, .node = n);
}

static void notes(struct synthetic *s, uint32_t r)
{
    struct graph_segment *const to = s->rank[r];
    graph_note_machine(to, ALLKINDS_MACHINE);
    graph_note_queue(to, 1, gpu_of(r), "stream");
    graph_note_queue(to, 2, gpu_of(r), "non-blocking stream");
    graph_note_queue(to, 3, gpu_of(r), "default stream");
    SYNTHETIC(s, r, .name = "ncclCommInitRank",
              .node = {.kind = GRAPH_HOST,
                       .host_ps = US,
                       .latency_ps = (1500 + 100 * r) * (uint64_t)US});
    graph_note_alloc(to, memory_of(r, 1), gpu_of(r), 4 * M, 0);
    graph_note_alloc(to, memory_of(r, 2), TOPO_HOST_PLACE(r == 2), M, 0);
    graph_note_alloc(to, memory_of(r, 3), gpu_of(r), 2 * M, 0);
}

/* Kernels in two streams that write the same bytes, and copies of each kind. */
static void compute_and_copy(struct synthetic *s, uint32_t r)
{
    synthetic_range(s, r, "step #0");
    const struct graph_ref a = kernel(s, r, 1, "gemm<float>", 4e9, 0, M);
    kernel(s, r, 2, "bias & relu", (1 + r) * 1e8, M - 16, M + 16);
    copy(s, r, "cudaMemcpyAsync", TOPO_HOST_PLACE(r == 2), gpu_of(r), 0,
         512 * K);
    if (r == 0) {
        copy(s, r, "cudaMemcpyPeerAsync", 0, 1, GRAPH_STAGED, 2 * M);
        copy(s, r, "cudaMemcpyPeerAsync", 0, 1, 0, 2 * M);
        copy(s, r, "nvshmem_put", 0, 8, GRAPH_NETWORK, M);
        copy(s, r, "cudaMemcpy2DAsync", 0, 0, 0, 96 * K);
    }
    SYNTHETIC(s, r, .name = "cudaMemsetAsync",
              .node = {.kind = GRAPH_MEMSET, .queue = 3, .place = gpu_of(r)},
              .moves = {{gpu_of(r), gpu_of(r), 256 * K}}, .deps = {a},
              .accesses = {{memory_of(r, 3), 0, 256 * K, GRAPH_WRITE, 0}});
    SYNTHETIC(s, r, .name = "cudaEventRecord",
              .node = {.kind = GRAPH_MARK, .queue = 3, .host_ps = US / 4});
    together(s, r, "ncclAllReduce",
             (struct graph_node){.kind = GRAPH_COLL,
                                 .op = TOPO_OP_ALLREDUCE,
                                 .queue = 1,
                                 .match = 1,
                                 .match_kind = GRAPH_MATCH_ALL,
                                 .match_size = ALLKINDS_RANKS,
                                 .latency_ps = r * US,
                                 .bytes = 8 * M});
}

/* Rank r sends to the next rank and receives from the previous
 * one, in a group. */
static void ring(struct synthetic *s, uint32_t r)
{
    synthetic_range(s, r, "ring #0");
    for (int receives = 0; receives < 2; receives++) {
        const uint32_t peer =
            (r + (receives ? ALLKINDS_RANKS - 1 : 1)) % ALLKINDS_RANKS;
        const uint32_t sender = receives ? peer : r;
        SYNTHETIC(s, r, .name = receives ? "ncclRecv" : "ncclSend",
                  .node = {.kind = receives ? GRAPH_RECV : GRAPH_SEND,
                           .op = TOPO_OP_SENDRECV,
                           .queue = 1,
                           .place = gpu_of(r),
                           .peer_place = gpu_of(peer),
                           .group = 1,
                           .host_ps = receives ? 0 : US,
                           .match = 10 + sender,
                           .match_kind = GRAPH_MATCH_PAIR,
                           .match_size = 2,
                           .match_rank = (uint32_t)receives,
                           .bytes = M},
                  .accesses = {{memory_of(r, 1), receives ? 2 * M : 0,
                                receives ? 3 * M : M,
                                receives ? GRAPH_WRITE : GRAPH_READ, 0}});
    }
    SYNTHETIC(s, r, .name = "add",
              .node = {.kind = GRAPH_KERNEL,
                       .queue = 1,
                       .place = gpu_of(r),
                       .host_ps = 2 * US,
                       .latency_ps = US},
              .moves = {{gpu_of(r), gpu_of(r), 3 * M}},
              .accesses = {{memory_of(r, 1), 2 * M, 3 * M, GRAPH_READ, 0},
                           {memory_of(r, 1), 0, M, GRAPH_READ, 0},
                           {memory_of(r, 1), 0, M, GRAPH_WRITE, 0}});
    synthetic_range(s, r, NULL);
}

/* MPI calls of each kind; the message is from rank 0 to rank 1. */
static void meet(struct synthetic *s, uint32_t r)
{
    static const struct {
        const char *name;
        enum topo_op op;
        enum graph_match match;
        uint32_t nranks;
        uint64_t bytes;
    } call[] = {
        {"MPI_Barrier", TOPO_OP_BARRIER, GRAPH_MATCH_ALL, ALLKINDS_RANKS, 0},
        {"MPI_Bcast", TOPO_OP_BROADCAST, GRAPH_MATCH_FROM_ROOT, ALLKINDS_RANKS,
         4 * K},
        {"MPI_Reduce", TOPO_OP_REDUCE, GRAPH_MATCH_TO_ROOT, ALLKINDS_RANKS,
         8 * K},
        {"MPI_Allgather", TOPO_OP_ALLGATHER, GRAPH_MATCH_ALL, ALLKINDS_RANKS,
         100 * K},
        {"MPI_Ssend", TOPO_OP_SENDRECV, GRAPH_MATCH_PAIR, 2, 16 * K},
        {"MPI_Send", TOPO_OP_SENDRECV, GRAPH_MATCH_MESSAGE, 2, 64},
    };
    for (uint32_t i = 0; i < sizeof call / sizeof *call; i++)
        if (r < call[i].nranks)
            together(s, r, call[i].name,
                     (struct graph_node){.kind = GRAPH_MPI,
                                         .op = (uint8_t)call[i].op,
                                         .match = 20 + i,
                                         .match_kind = (uint8_t)call[i].match,
                                         .match_size = call[i].nranks,
                                         .bytes = call[i].bytes});
}

/* A kernel that runs in parts and puts bytes, calls that wait, and a
 * second thread. */
static void finish(struct synthetic *s, uint32_t r)
{
    synthetic_range(s, r, "step #1");
    const struct graph_ref k = kernel(s, r, 2, "persistent", 1e8, 3 * M, 4 * M);
    const struct graph_move put = {gpu_of(r), gpu_of((r + 1) % ALLKINDS_RANKS),
                                   M};
    graph_aside(s->rank[r], k.index, 9, "put", NULL, 0, US);
    graph_amend(s->rank[r], k.index, 0, &put, 1, NULL, 0);
    graph_part(s->rank[r], k.index, &(struct graph_point){r, k.index, 0}, 1,
               US);
    graph_amend(s->rank[r], k.index, 5e8, NULL, 0, NULL, 0);
    SYNTHETIC(s, r, .name = "callback",
              .node = {.kind = GRAPH_HOSTFN, .queue = 2, .latency_ps = 3 * US});
    SYNTHETIC(s, r, .name = "cudaStreamSynchronize",
              .node = {.kind = GRAPH_HOST, .host_ps = US, .latency_ps = US},
              .deps = {k});
    SYNTHETIC(s, r, .name = "cudaMemcpy",
              .node = {.kind = GRAPH_COPY,
                       .queue = 3,
                       .place = gpu_of(r),
                       .host_ps = US,
                       .flags = GRAPH_JOIN},
              .moves = {{gpu_of(r), TOPO_HOST_PLACE(r == 2), 128 * K}});
    synthetic_range(s, r, NULL);
    SYNTHETIC(s, r,
              .node = {.kind = GRAPH_HOST, .thread = 1, .host_ps = 4 * US});
    SYNTHETIC(s, r, .name = "check",
              .node = {.kind = GRAPH_KERNEL,
                       .thread = 1, // started by thread 0 after its wait
                       .queue = 4,
                       .place = gpu_of(r),
                       .host_ps = US},
              .accesses = {{memory_of(r, 1), 3 * M, 4 * M, GRAPH_READ, 0}});
    SYNTHETIC(s, r, .name = "cudaFree",
              .node = {.kind = GRAPH_HOST, .host_ps = 2 * US},
              .accesses = {{memory_of(r, 3), 0, 2 * M, GRAPH_FREE, 0}});
    graph_note_fault(s->rank[r], k.index, 0, r == 2, "it waits for \"nobody\"");
}

void allkinds_record(struct synthetic *s)
{
    for (uint32_t r = 0; r < ALLKINDS_RANKS; r++) {
        notes(s, r);
        compute_and_copy(s, r);
        ring(s, r);
        meet(s, r);
        finish(s, r);
    }
}
