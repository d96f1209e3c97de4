#include "anyrun.h"

#include <string.h> /* memset */

#include "lots.h"

/* US: picoseconds in a microsecond. */
enum { US = 1000000, STEPS = 70, QUEUES = 3, ALLOCS = 4 };

static const struct machine {
    const char *name;
    uint32_t nranks;
    int32_t place[ANYRUN_RANKS];
    int32_t node_gpus, has_switch; /* GPUs in a node */
} machines[] = {{"dgx-h100", 4, {0, 3, 5, 7}, 8, 1},
                {"2x-dgx-h100", 4, {0, 9, 1, 8}, 8, 1},
                {"pcie-4090", 3, {0, 1, 2}, 8, 0},
                {"sick:1:dgx-1v", 2, {0, 1}, 8, 0},
                {"dgx-h100", 1, {2}, 8, 1}};
enum { NMACHINES = sizeof machines / sizeof *machines };

static struct {
    struct synthetic *s;
    const struct machine *m;
    struct lots lots;
    uint64_t nmatches;
    uint32_t nallocs[ANYRUN_RANKS];
    struct graph_ref last[ANYRUN_RANKS]; /* last device operation of each
                                            rank */
    struct graph_ref call[ANYRUN_RANKS]; /* last call of each rank's thread 0 */
    struct graph_ref latest;             /* latest of all operations; index 0 if
                                            the host made it */
} run;

const char *anyrun_machine(uint64_t seed)
{
    return machines[seed % NMACHINES].name;
}

uint32_t anyrun_nranks(uint64_t seed)
{
    return machines[seed % NMACHINES].nranks;
}

/* ---- lots ---------------------------------------------------------------- */

static uint64_t draw(uint64_t n)
{
    return lots_draw(&run.lots, n);
}

static uint64_t draw_bytes(void)
{
    static const uint64_t size[] = {8,       4096,    65536,   1 << 20,
                                    1 << 20, 3 << 20, 1 << 24, 1 << 26};
    return size[draw(sizeof size / sizeof *size)];
}

static uint64_t draw_ps(void)
{
    static const uint64_t us[] = {0, 1, 1, 2, 2, 5, 30};
    return us[draw(sizeof us / sizeof *us)] * US;
}

static uint32_t draw_site(uint32_t rank)
{
    const uint64_t at = draw(6); // in no module, so it prints as a number
    return at ? graph_site(run.s->rank[rank], (const char *)NULL + 4096 * at)
              : 0;
}

static int32_t host_of(uint32_t rank)
{
    return TOPO_HOST_PLACE(run.m->place[rank] / run.m->node_gpus);
}

/* Any of the run's GPUs, or its host. */
static int32_t draw_place(uint32_t rank)
{
    const uint64_t r = draw(run.m->nranks + 1);
    return r < run.m->nranks ? run.m->place[r] : host_of(rank);
}

static uint64_t draw_memory(uint32_t rank)
{
    const uint64_t number = draw(run.nallocs[rank] + 1);
    return (uint64_t)rank << 32 | number;
}

static struct graph_access draw_access(uint32_t rank)
{
    static const uint32_t flags[] = {0,           0,           0,
                                     GRAPH_ROUGH, GRAPH_FIRST, GRAPH_FENCED};
    static const uint32_t atomic[] = {0, GRAPH_KNOWN, GRAPH_BLIND, GRAPH_FENCED,
                                      GRAPH_FENCED | GRAPH_KNOWN};
    struct graph_access a = {.alloc = draw_memory(rank)};
    a.begin = 64 * draw(6);
    a.end = a.begin + 64 * (1 + draw(4));
    a.write = (uint32_t)draw(GRAPH_ATOMIC + 1);
    a.write |= flags[draw(sizeof flags / sizeof *flags)];
    if (a.write == GRAPH_ATOMIC)
        a.write |= atomic[draw(sizeof atomic / sizeof *atomic)];
    a.site = draw_site(rank);
    return a;
}

static void draw_accesses(uint32_t rank, struct synthetic_op *op)
{
    const uint64_t n = draw(4);
    for (uint64_t i = 0; i < n; i++)
        op->accesses[i] = draw_access(rank);
}

/* An operation with a host part, a site, and sometimes a
 * dependence on any rank. */
static struct synthetic_op draw_op(uint32_t rank, enum graph_kind kind,
                                   const char *name)
{
    struct synthetic_op op = {.name = name};
    op.node.kind = (uint8_t)kind;
    op.node.place = run.m->place[rank];
    op.node.host_ps = draw_ps() / 2;
    op.node.latency_ps = draw_ps();
    op.node.site = draw_site(rank);
    op.node.queue = 1 + (uint32_t)draw(QUEUES);
    if (draw(5) == 0)
        op.deps[0] = run.last[draw(run.m->nranks)];
    return op;
}

static void add(uint32_t rank, const struct synthetic_op *op)
{
    static const char *const spans[] = {"step #0", "step #1", "<a> & \"b\"",
                                        NULL};
    synthetic_range(run.s, rank, spans[run.lots.ndrawn / 97 % 4]);
    const struct graph_ref ref = synthetic_add(run.s, rank, op);
    run.latest = op->node.queue ? ref : (struct graph_ref){0, 0};
    if (op->node.queue)
        run.last[rank] = ref;
    if (op->node.thread == 0)
        run.call[rank] = ref;
}

/* ---- operations of one rank ---------------------------------------------- */

static void kernel(uint32_t rank)
{
    static const char *const names[] = {"gemm<float>", "axpy", "cublas_gemm",
                                        "sum"};
    struct synthetic_op op = draw_op(rank, GRAPH_KERNEL, names[draw(4)]);
    op.node.flops = (double)(draw(3) * draw_bytes()) * 1000;
    op.node.math = (uint8_t)draw(TOPO_FP8); // some GPUs lack fp8
    op.node.elem_size = (uint32_t)(draw(3) * 4096);
    op.node.flags = draw(8) ? 0 : GRAPH_JOIN;
    const uint64_t nmoves = draw(4);
    for (uint64_t i = 0; i < nmoves; i++) {
        op.moves[i].from = i ? draw_place(rank) : op.node.place;
        op.moves[i].to = op.node.place;
        op.moves[i].nbytes = draw_bytes();
    }
    draw_accesses(rank, &op);
    add(rank, &op);
}

/* A kernel that adds one range to another, in the memory where
 * messages arrive. */
static void combine(uint32_t rank)
{
    struct synthetic_op op = draw_op(rank, GRAPH_KERNEL, "add");
    const uint64_t alloc = (uint64_t)rank << 32 | 1;
    const uint64_t from = 128 * draw(3), to = 128 * draw(3);
    op.node.queue = 1;
    op.accesses[0] = (struct graph_access){alloc, from, from + 128, 0, 0};
    op.accesses[1] = (struct graph_access){alloc, to, to + 128, 0, 0};
    op.accesses[2] = op.accesses[1];
    op.accesses[2].write = GRAPH_WRITE;
    add(rank, &op);
}

/*
 * Give the latest operation, or a new kernel, further parts: each follows an
 * operation of any rank, and some have their own queue. Nothing waits for them
 * yet.
 */
static void parts(uint32_t rank)
{
    if (run.latest.index == 0 || draw(2))
        kernel(rank);
    const struct graph_ref at = run.latest;
    struct graph_segment *const to = run.s->rank[at.rank];
    const uint64_t n = 1 + draw(3);
    for (uint64_t i = 0; i < n; i++) {
        const struct graph_ref of = run.last[draw(run.m->nranks)];
        const struct graph_point after = {of.rank, of.index, 0};
        const size_t nafter = of.rank != at.rank && of.index && draw(2);
        const uint64_t latency_ps = draw_ps();
        if (draw(3))
            graph_part(to, at.index, &after, nafter, latency_ps);
        else
            graph_aside(to, at.index, 9, "put", &after, nafter, latency_ps);
        const struct graph_access a = draw_access(at.rank);
        struct graph_move m = {.from = run.m->place[at.rank]};
        m.to = draw_place(at.rank);
        m.nbytes = draw_bytes();
        const double flops = (double)draw_bytes();
        const size_t nmoves = draw(2), naccesses = draw(2);
        graph_amend(to, at.index, flops, &m, nmoves, &a, naccesses);
    }
}

static void copy(uint32_t rank)
{
    static const uint32_t flags[] = {0, 0, 0, GRAPH_STAGED, GRAPH_JOIN};
    struct synthetic_op op = draw_op(rank, GRAPH_COPY, "cudaMemcpyAsync");
    op.moves[0].from = draw(2) ? op.node.place : draw_place(rank);
    op.moves[0].to = draw_place(rank);
    op.moves[0].nbytes = draw_bytes();
    op.node.flags = flags[draw(sizeof flags / sizeof *flags)];
    draw_accesses(rank, &op);
    add(rank, &op);
}

/* An operation with little or no work of its own. */
static void small(uint32_t rank)
{
    static const struct {
        enum graph_kind kind;
        const char *name;
    } row[] = {{GRAPH_MEMSET, "cudaMemsetAsync"},
               {GRAPH_MARK, "cudaEventRecord"},
               {GRAPH_MARK, "cudaStreamWaitEvent"},
               {GRAPH_HOSTFN, "callback"}};
    const uint64_t i = draw(sizeof row / sizeof *row);
    struct synthetic_op op = draw_op(rank, row[i].kind, row[i].name);
    if (op.node.kind == GRAPH_MEMSET)
        op.moves[0] =
            (struct graph_move){op.node.place, op.node.place, draw_bytes()};
    if (op.node.kind == GRAPH_MARK)
        op.deps[0] = run.last[draw(run.m->nranks)];
    draw_accesses(rank, &op);
    add(rank, &op);
}

static void wait(uint32_t rank)
{
    struct synthetic_op op = draw_op(rank, GRAPH_HOST, "cudaStreamSynchronize");
    op.node.queue = 0;
    op.deps[0] = run.last[rank];
    if (draw(3) == 0)
        op.deps[1] = run.last[draw(run.m->nranks)];
    draw_accesses(rank, &op);
    add(rank, &op);
}

/* A call of the second thread, which may have been asleep since its last
 * call. */
static void other_thread(uint32_t rank)
{
    struct synthetic_op op = draw_op(rank, GRAPH_HOST, "helper");
    op.node.thread = 1;
    if (draw(3) == 0) {
        op.node.queue = 0;
        op.node.flags = GRAPH_AGAIN;
        op.deps[0] = run.call[rank];
    } else {
        op.node.kind = GRAPH_KERNEL;
        draw_accesses(rank, &op);
    }
    add(rank, &op);
}

/* An allocation, made by the call itself or in stream order. */
static void allocate(uint32_t rank)
{
    if (run.nallocs[rank] == ALLOCS)
        return;
    struct graph_segment *const to = run.s->rank[rank];
    struct synthetic_op op = draw_op(rank, GRAPH_HOST, "cudaMallocAsync");
    const uint64_t alloc = (uint64_t)rank << 32 | ++run.nallocs[rank];
    const uint64_t nbytes = 1024 * (1 + draw(3));
    const int32_t place = draw(4) ? op.node.place : host_of(rank);
    const uint32_t site = draw_site(rank);
    if (draw(2))
        op.node.kind = GRAPH_MARK;
    else
        op.node.queue = 0;
    if (op.node.kind == GRAPH_MARK || draw(2))
        op.accesses[0] =
            (struct graph_access){alloc, 0, nbytes, GRAPH_ALLOC, site};
    add(rank, &op);
    graph_note_alloc(to, alloc, place, nbytes, site);
}

static void release(uint32_t rank)
{
    struct synthetic_op op = draw_op(rank, GRAPH_HOST, "cudaFree");
    const uint64_t alloc = draw_memory(rank);
    op.node.kind = draw(2) ? GRAPH_MARK : GRAPH_HOST;
    op.node.queue = op.node.kind == GRAPH_MARK ? op.node.queue : 0;
    const uint32_t how = draw(3) ? GRAPH_FREE : GRAPH_HOLD;
    if (alloc & UINT32_MAX && draw(2))
        op.accesses[0] = (struct graph_access){alloc, 0, 1024, how, 0};
    add(rank, &op);
}

static void fault(uint32_t rank)
{
    const uint32_t index = draw(2) ? run.last[rank].index : 0;
    const int warning = draw(2) != 0;
    const uint32_t site = draw_site(rank);
    graph_note_fault(run.s->rank[rank], index, site, warning,
                     "it waits for \"nobody\"");
}

/* ---- operations of several ranks ----------------------------------------- */

/* Each rank sends to the next one, in a group of all ranks or of two. */
static void ring(uint32_t first)
{
    const uint32_t n = run.m->nranks, group = (uint32_t)++run.nmatches;
    const uint64_t match = run.nmatches, bytes = draw_bytes();
    const uint64_t from = 128 * draw(3), to = 128 * draw(3);
    const uint32_t size = draw(2) ? n : 1;
    for (uint32_t i = 0; i < size && n > 1; i++)
        for (uint32_t receives = 0; receives < 2; receives++) {
            const uint32_t r = (first + i) % n, next = (r + 1) % n;
            const uint32_t rank = receives ? next : r;
            const uint32_t peer = receives ? r : next;
            struct synthetic_op op =
                draw_op(rank, receives ? GRAPH_RECV : GRAPH_SEND,
                        receives ? "ncclRecv" : "ncclSend");
            op.node.queue = 1;
            op.node.op = TOPO_OP_SENDRECV;
            op.node.peer_place = run.m->place[peer];
            op.node.group = size > 1 ? group : 0;
            op.node.match = match << 8 | i;
            op.node.match_kind = GRAPH_MATCH_PAIR;
            op.node.match_size = 2;
            op.node.match_rank = receives;
            op.node.bytes = bytes;
            op.deps[0] = (struct graph_ref){0, 0};
            const uint64_t at = receives ? to : from;
            op.accesses[0] =
                (struct graph_access){(uint64_t)rank << 32 | 1, at, at + 128,
                                      receives ? GRAPH_WRITE : GRAPH_READ, 0};
            add(rank, &op);
        }
}

static const struct {
    const char *name;
    enum graph_kind kind;
    enum topo_op op;
    enum graph_match match;
} together[] = {
    {"ncclAllReduce", GRAPH_COLL, TOPO_OP_ALLREDUCE, GRAPH_MATCH_ALL},
    {"ncclBroadcast", GRAPH_COLL, TOPO_OP_BROADCAST, GRAPH_MATCH_FROM_ROOT},
    {"ncclReduce", GRAPH_COLL, TOPO_OP_REDUCE, GRAPH_MATCH_TO_ROOT},
    {"ncclAllGather", GRAPH_COLL, TOPO_OP_ALLGATHER, GRAPH_MATCH_ALL},
    {"ncclAlltoAll", GRAPH_COLL, TOPO_OP_ALLTOALL, GRAPH_MATCH_ALL},
    {"MPI_Barrier", GRAPH_MPI, TOPO_OP_BARRIER, GRAPH_MATCH_ALL},
    {"MPI_Barrier", GRAPH_MPI, TOPO_OP_BARRIER, GRAPH_MATCH_ALL},
    {"MPI_Bcast", GRAPH_MPI, TOPO_OP_BROADCAST, GRAPH_MATCH_FROM_ROOT},
    {"MPI_Reduce", GRAPH_MPI, TOPO_OP_REDUCE, GRAPH_MATCH_TO_ROOT},
    {"MPI_Allgather", GRAPH_MPI, TOPO_OP_ALLGATHER, GRAPH_MATCH_ALL},
    {"MPI_Ssend", GRAPH_MPI, TOPO_OP_SENDRECV, GRAPH_MATCH_PAIR},
    {"MPI_Send", GRAPH_MPI, TOPO_OP_SENDRECV, GRAPH_MATCH_MESSAGE},
};

/* A collective of all ranks, or of some neighbours. */
static void collective(uint32_t first)
{
    const uint64_t i = draw(sizeof together / sizeof *together);
    const int is_message = together[i].op == TOPO_OP_SENDRECV;
    const uint32_t n = is_message || draw(4) == 0 ? 2 : run.m->nranks;
    const uint64_t bytes = together[i].op == TOPO_OP_BARRIER ? 0 : draw_bytes();
    const uint32_t root = is_message ? 0 : (uint32_t)draw(n);
    run.nmatches++;
    for (uint32_t k = 0; k < n && n <= run.m->nranks; k++) {
        const uint32_t rank = (first + k) % run.m->nranks;
        struct synthetic_op op =
            draw_op(rank, together[i].kind, together[i].name);
        if (together[i].kind == GRAPH_MPI) {
            op.node.queue = 0;
            op.node.place = host_of(rank);
        }
        op.node.op = (uint8_t)together[i].op;
        op.node.match = run.nmatches << 8;
        op.node.match_kind = (uint8_t)together[i].match;
        op.node.match_size = n;
        op.node.match_rank = k;
        op.node.match_root = root;
        op.node.elem_size = 4;
        op.node.bytes = bytes;
        op.deps[0] = (struct graph_ref){0, 0};
        draw_accesses(rank, &op);
        add(rank, &op);
    }
}

/* ---- the run ------------------------------------------------------------- */

static void begin(uint32_t rank)
{
    struct graph_segment *const to = run.s->rank[rank];
    graph_note_machine(to, run.m->name);
    for (uint32_t queue = 1; queue <= QUEUES; queue++)
        graph_note_queue(to, queue, run.m->place[rank],
                         queue == 1 ? "default stream" : "stream");
    graph_note_alloc(to, (uint64_t)rank << 32 | ++run.nallocs[rank],
                     run.m->place[rank], 1024, 0);
    struct synthetic_op op = draw_op(rank, GRAPH_HOST, "ncclCommInitRank");
    op.node.queue = 0;
    op.node.latency_ps = (1000 + 300 * draw(3)) * US;
    add(rank, &op);
}

void anyrun_record(struct synthetic *s, uint64_t seed)
{
    static void (*const one[])(uint32_t rank) = {
        kernel,     kernel,   combine, parts,        copy, small,
        small,      wait,     wait,    ring,         ring, collective,
        collective, allocate, release, other_thread, fault};
    memset(&run, 0, sizeof run);
    run.s = s;
    run.m = &machines[seed % NMACHINES];
    run.lots.seed = seed;
    for (uint32_t r = 0; r < run.m->nranks; r++)
        begin(r);
    for (int i = 0; i < STEPS; i++) {
        const uint32_t rank = (uint32_t)draw(run.m->nranks);
        one[draw(sizeof one / sizeof *one)](rank);
    }
}

void anyrun_hang(struct synthetic *s)
{
    const struct graph_ref send =
        SYNTHETIC(s, 0, .name = "ncclSend",
                  .node = {.kind = GRAPH_SEND,
                           .queue = 1,
                           .place = run.m->place[0],
                           .peer_place = run.m->place[0],
                           .match = 1 << 30,
                           .match_kind = GRAPH_MATCH_PAIR,
                           .match_size = 2,
                           .bytes = 4096});
    SYNTHETIC(s, 0, .name = "cudaStreamSynchronize",
              .node = {.kind = GRAPH_HOST}, .deps = {send});
}
