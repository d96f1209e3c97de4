/*
 * Runs drawn by lot, of every kind of operation, and what explain says of them:
 * all that it computes, of causes and limits that no run by hand has together.
 * golden.txt has what it said when its answers to planted causes were right
 * (tests/explain).
 */
#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "golden.h"
#include "graph/explain/explain.h"
#include "lots.h"
#include "replayed.h"
#include "suite.h"

enum { US = 1000000, RANKS = 4, STEPS = 60 }; /* ps */

/* ---- a run --------------------------------------------------------------- */

static struct {
    struct replayed r;
    struct lots lots;
    uint64_t nmatches;
    int shift;                    /* all sizes are divided by 2 to the shift */
    const int *place;             /* by rank */
    const char *span;             /* or NULL */
    struct graph_ref last[RANKS]; /* the last device operation */
} run;

static uint64_t draw(uint64_t n)
{
    return lots_draw(&run.lots, n);
}

/* The range is the thread's, its number the segment's. */
#define ADD(rank, ...)                                                         \
    (synthetic_range(&run.r.s, rank, run.span),                                \
     SYNTHETIC(&run.r.s, rank, __VA_ARGS__))

static const char *name(const char *of[4])
{
    return of[draw(4)];
}

static uint64_t size(uint64_t most)
{
    return 1 + draw(draw(2) ? 100000 : most >> run.shift);
}

/* Numbers are drawn one by one, before they go into a node: the order within
 * its initializer is the compiler's. */
static void kernel(uint32_t rank)
{
    const int p = run.place[rank];
    struct graph_node n = {.place = p, .host_ps = 4 * US, .math = TOPO_FP32};
    n.kind = draw(8) ? GRAPH_KERNEL : GRAPH_MEMSET;
    n.queue = 1 + (uint32_t)draw(2);
    n.flags = draw(5) ? 0 : GRAPH_JOIN;
    n.latency_ps = draw(9) * US;
    n.flops = (double)(draw(1 + rank) << 32 >> run.shift);
    const uint64_t nbytes = size(80000000);
    run.last[rank] =
        ADD(rank, .node = n, .moves = {{p, p, nbytes}},
            .accesses = {{7, 64 * rank, 64 * rank + 64, GRAPH_WRITE, 0}},
            .name = name((const char *[4]){"axpy", "gemm", "sum", "gemm"}));
}

static void copy(uint32_t rank)
{
    const int from = run.place[rank], to = run.place[draw(RANKS)];
    struct graph_node n = {
        .kind = GRAPH_COPY, .place = from, .host_ps = 3 * US, .latency_ps = US};
    n.queue = 1 + (uint32_t)draw(2);
    n.flags = draw(2) ? GRAPH_STAGED : 0;
    const uint64_t nbytes = size(50000000);
    run.last[rank] =
        ADD(rank, .node = n, .moves = {{from, to, nbytes}},
            .name = name((const char *[4]){"up", "down", "up", "on"}));
}

/* An event's record or wait, or a host function. */
static void mark(uint32_t rank)
{
    struct graph_node n = {.place = run.place[rank]};
    n.kind = draw(4) ? GRAPH_MARK : GRAPH_HOSTFN;
    n.queue = 1 + (uint32_t)draw(2);
    n.host_ps = (1 + draw(20)) * US;
    n.latency_ps = draw(2) * US;
    ADD(rank, .node = n, .deps = {run.last[rank]}, .name = "event");
}

static void wait(uint32_t rank)
{
    ADD(rank,
        .node = {.kind = GRAPH_HOST,
                 .thread = draw(6) == 0,
                 .host_ps = 2 * US,
                 .latency_ps = 5 * US},
        .deps = {run.last[rank]}, .name = "wait");
}

/* A call, which may make memory, or free it with a wait. */
static void call(uint32_t rank)
{
    static const uint32_t how[] = {GRAPH_READ, GRAPH_ALLOC, GRAPH_FREE};
    const uint32_t life = how[draw(3)];
    ADD(rank,
        .node = {.kind = GRAPH_HOST,
                 .host_ps = US,
                 .latency_ps = draw(60) * US},
        .accesses = {{9, 0, 64, life, 0}}, .name = "call");
    if (life == GRAPH_FREE)
        ADD(rank, .node = {.kind = GRAPH_HOST, .latency_ps = US},
            .deps = {run.last[rank]}, .name = "call");
}

/* As long as what is set-up, or nearly. */
static void setup_call(uint32_t rank)
{
    static const char *const names[] = {"init", "init", "plan", "load"};
    const uint64_t us = 998 + draw(4);
    ADD(rank, .node = {.kind = GRAPH_HOST, .latency_ps = us * US},
        .name = names[draw(4)]);
}

/* Both ends of some messages to a rank, which a group may make one. */
static void messages(uint32_t rank)
{
    const uint32_t to = (rank + 1 + (uint32_t)draw(RANKS - 1)) % RANKS;
    const uint32_t group = draw(2) ? 100 + (uint32_t)run.lots.ndrawn : 0;
    for (uint64_t n = 1 + draw(4); n > 0; n--) {
        const uint64_t nbytes = size(30000000);
        const uint64_t at = 64 * draw(4);
        struct graph_node v = {.kind = GRAPH_SEND,
                               .queue = 1,
                               .place = run.place[rank],
                               .peer_place = run.place[to],
                               .bytes = nbytes,
                               .host_ps = US,
                               .latency_ps = 3 * US,
                               .group = group,
                               .match = ++run.nmatches,
                               .match_kind = GRAPH_MATCH_PAIR,
                               .match_size = 2};
        run.last[rank] = ADD(rank, .node = v, .name = "send",
                             .accesses = {{5, at, at + 64, GRAPH_READ, 0}});
        v.kind = GRAPH_RECV;
        v.place = run.place[to];
        v.peer_place = run.place[rank];
        v.match_rank = 1;
        run.last[to] = ADD(to, .node = v, .name = "receive",
                           .accesses = {{6, at, at + 64, GRAPH_WRITE, 0}});
    }
}

/* A collective of all ranks, in a queue or of MPI. */
static void collective(int kind, uint64_t nbytes)
{
    run.nmatches++;
    for (uint32_t r = 0; r < RANKS; r++) {
        const struct graph_node v = {
            .kind = (uint8_t)kind,
            .queue = kind == GRAPH_COLL,
            .op = kind == GRAPH_COLL || nbytes ? TOPO_OP_ALLREDUCE
                                               : TOPO_OP_BARRIER,
            .place = run.place[r],
            .bytes = nbytes,
            .elem_size = 4,
            .host_ps = US,
            .latency_ps = kind == GRAPH_COLL ? 3 * US : 0,
            .match = run.nmatches,
            .match_kind = GRAPH_MATCH_ALL,
            .match_size = RANKS,
            .match_rank = r};
        const struct graph_ref made = ADD(r, .node = v, .name = "all");
        if (kind == GRAPH_COLL)
            run.last[r] = made;
    }
}

static void step(void)
{
    const uint32_t rank = (uint32_t)draw(draw(2) ? RANKS : 1 + draw(RANKS));
    switch (draw(16)) {
    case 0:
    case 1:
    case 2: kernel(rank); break;
    case 3:
    case 6: mark(rank); break;
    case 4:
    case 5: copy(rank); break;
    case 7:
    case 8: wait(rank); break;
    case 9: call(rank); break;
    case 10: setup_call(rank); break;
    case 11:
    case 12: messages(rank); break;
    case 13: collective(GRAPH_COLL, 4 * (1 + draw(3000000))); break;
    case 14: collective(GRAPH_MPI, 32768 * draw(4)); break;
    default: messages(0); break;
    }
}

static void draw_run(uint64_t seed, const char *machine, const int *place)
{
    run.lots = (struct lots){.seed = seed};
    run.nmatches = 0;
    run.place = place;
    run.shift = 5 * (int)(seed / 4 % 3);
    replayed_init(&run.r, machine, RANKS);
    for (uint32_t r = 0; r < RANKS; r++) {
        if (r % 2 == 0)
            setup_call(r);
        kernel(r);
    }
    for (int i = 0; i < STEPS; i++) {
        run.span = i < STEPS / 2 ? "first" : "second";
        step();
    }
    run.span = NULL;
    collective(GRAPH_MPI, 0);
}

/* ---- what is said of it -------------------------------------------------- */

static const char *const kinds[] = {
    [EXPLAIN_LAUNCHES] = "launches",
    [EXPLAIN_BATCH] = "batch",
    [EXPLAIN_EVENTS] = "events",
    [EXPLAIN_ALLOCATION] = "allocation",
    [EXPLAIN_CALLS] = "calls",
    [EXPLAIN_SYNC] = "sync",
    [EXPLAIN_INPUT] = "input",
    [EXPLAIN_DEFAULT_STREAM] = "default stream",
    [EXPLAIN_SMALL] = "small",
    [EXPLAIN_IMBALANCE] = "imbalance",
    [EXPLAIN_CHAIN] = "chain",
    [EXPLAIN_ROOT] = "root",
    [EXPLAIN_STAGED] = "staged",
    [EXPLAIN_PLACEMENT] = "placement",
    [EXPLAIN_SLOW_LINK] = "slow link",
    [EXPLAIN_UNGROUPED] = "ungrouped",
    [EXPLAIN_MPI] = "mpi",
    [EXPLAIN_BANDWIDTH] = "bandwidth",
    [EXPLAIN_OVERLAP] = "overlap",
    [EXPLAIN_COMPUTE] = "compute",
    [EXPLAIN_MEMORY] = "memory",
    [EXPLAIN_NVLINK] = "nvlink",
    [EXPLAIN_PCIE] = "pcie",
    [EXPLAIN_NETWORK] = "network",
    [EXPLAIN_LATENCY] = "latency",
    [EXPLAIN_HOST] = "host calls",
};
_Static_assert(sizeof kinds / sizeof *kinds == EXPLAIN_KINDS,
               "a name for each");

static void print(FILE *out, const struct explain_finding *f, int n)
{
    for (int i = 0; i < n; i++)
        fprintf(out, "  %s: %" PRIu64 " ps, %u like %d, ratio %.6g, %d\n",
                kinds[f[i].kind], f[i].saves_ps, f[i].count, (int)f[i].node,
                f[i].ratio, f[i].resource);
}

static void explain(FILE *out, const char *span)
{
    char err[256];
    struct explain e;
    struct graph *const g = synthetic_load(&run.r.s);
    fprintf(out, "seed %" PRIu64 ", span %s\n", run.lots.seed,
            span ? span : "none");
    ck_assert_msg(explain_run(g, run.r.topo, NULL, span, &e, err, sizeof err) ==
                      0,
                  "%s", err);
    fprintf(out, "  %" PRIu64 " ps, and %" PRIu64 " of set-up, at %d\n",
            e.length_ps, e.setup_ps, (int)e.setup);
    print(out, e.cause, e.ncauses);
    print(out, e.limit, e.nlimits);
    graph_free(g);
}

START_TEST(what_is_said_of_runs_drawn_by_lot)
{
    static const struct {
        const char *machine;
        int place[RANKS];
    } machines[] = {{"dgx-h100", {0, 3, 5, 7}},
                    {"pcie-4090", {0, 1, 2, 3}},
                    {"2x-dgx-h100", {0, 9, 1, 8}},
                    {"sick:1:dgx-1v", {0, 1, 2, 3}}};
    FILE *const out = golden_begin();
    for (uint64_t seed = 0; seed < 32; seed++) {
        const size_t m = seed % 4;
        draw_run(seed, machines[m].machine, machines[m].place);
        explain(out, NULL);
        explain(out, seed % 3 ? "first" : "second");
        replayed_release(&run.r);
    }
    golden_end(out, "tests/graph/golden.txt#drawn");
}
END_TEST

int main(void)
{
    Suite *const suite = suite_create("drawn");
    TCase *const t = tcase_create("drawn");
    tcase_set_timeout(t, 60);
    tcase_add_test(t, what_is_said_of_runs_drawn_by_lot);
    suite_add_tcase(suite, t);
    return suite_run(suite);
}
