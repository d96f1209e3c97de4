/*
 * judge.c: the judges of lab 5's cases of parts 1 to 3
 *
 * Inputs are small integers, so sums are exact and results are compared bit for
 * bit. A signal that does not order anything shows up in the graph: a race is a
 * failure like any other (judge.h).
 */
#include <math.h>   /* fmod */
#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* malloc */
#include <string.h> /* strcmp */

#include "drawn.h"
#include "graph/record/read.h"
#include "judge/graph/calls.h"
#include "judge/graph/counts.h"
#include "judge/needs.h"
#include "judge5.h"
#include "nn/draws.h"

enum { SYMM_NOT, SYMM_PEER, SYMM_SHARED }; /* enum symm_reach of lab5.h */

double judge5_metric(const struct judge_task *t, int rank, int iteration,
                     const char *name)
{
    return evidence_metric(t->evidence, rank, t->case_no, (unsigned)iteration,
                           name);
}

uint64_t *judge5_seeds(const struct judge_task *t, int iteration)
{
    uint64_t *const seed = malloc((size_t)t->nranks * sizeof *seed);
    for (int r = 0; r < t->nranks; r++)
        seed[r] = judge_input_seed(t, r, iteration);
    return seed;
}

void judge5_compare(const struct judge_task *t, const char *name, size_t count,
                    judge5_want *want, judge5_from *from,
                    struct judge_verdict *v)
{
    float *const expected = malloc((count + 1) * sizeof *expected);
    for (int it = 0; it < t->iterations && v->pass; it++) {
        uint64_t *const seed = judge5_seeds(t, it);
        for (int r = 0; r < t->nranks; r++) {
            const float *const got =
                judge_output(t, r, it, name, count * sizeof *got, v);
            for (size_t i = 0; i < count; i++)
                expected[i] = (float)want(t, seed, r, i);
            if (got)
                data_compare(got, expected, count, DATA_FLOAT, r, v);
            if (from)
                judge5_descend(t, r, it, name, count, from, seed, v);
        }
        free(seed);
    }
    free(expected);
}

void judge5_no_nccl(const struct judge_task *t, struct judge_verdict *v)
{
    for (int r = 0; r < t->nranks; r++)
        if (!(judge_count(t, r, 0, "collectives", v) <= 0) ||
            !(judge_count(t, r, 0, "messages", v) <= 0))
            judge_fail_method(
                v,
                "the result is right, but rank %d calls NCCL: use "
                "puts, gets and signals here",
                r);
    judge_no_waits(t, "signals order the ranks' streams without it", v);
}

/* ---- part 1 -------------------------------------------------------------- */

static int reach_between(const struct topo *topo, int a, int b)
{
    const int x = judge5_gpu(topo, a), y = judge5_gpu(topo, b);
    if (x == y)
        return SYMM_SHARED;
    return topo_gpu(topo, x)->node == topo_gpu(topo, y)->node &&
                   topo_p2p(topo, x, y)
               ? SYMM_PEER
               : SYMM_NOT;
}

static void judge_reach(const struct judge_task *t, int rank,
                        struct judge_verdict *v)
{
    static const char *const text[] = {"not at all", "by peer access",
                                       "on the same device"};
    char name[EVIDENCE_NAME];
    for (int k = 0; k < t->nranks; k++) {
        const int want = reach_between(spans_topo(t->spans), rank, k);
        snprintf(name, sizeof name, "reach.%d", k);
        const double got = judge5_metric(t, rank, 0, name);
        if (got != want)
            judge_fail(v,
                       "rank %d reports %g for rank %d (enum symm_reach), but "
                       "reaches it %s: %d",
                       rank, got, k, text[want], want);
    }
}

/* On GPUs the topology is not known: judge only what must hold on any
 * machine. */
static void judge_probe(const struct judge_task *t, struct judge_verdict *v)
{
    for (int r = 0; r < t->nranks; r++) {
        char name[EVIDENCE_NAME];
        int sharing = 0;
        for (int k = 0; k < t->nranks; k++) {
            snprintf(name, sizeof name, "reach.%d", k);
            sharing += judge5_metric(t, r, 0, name) == SYMM_SHARED;
        }
        if (judge5_metric(t, r, 0, "sharing") != sharing || sharing < 1)
            judge_fail(v,
                       "rank %d reports %g ranks on its device, but reaches "
                       "%d on it",
                       r, judge5_metric(t, r, 0, "sharing"), sharing);
        if (t->spans)
            judge_reach(t, r, v);
    }
}

enum { /* values of ncclResult_t */
       SUCCESS = 0,
       SYSTEM_ERROR = 2,
       INVALID_ARGUMENT = 4,
       INVALID_USAGE = 5
};

static void judge_open(const struct judge_task *t, struct judge_verdict *v)
{
    int want = SUCCESS;
    for (int a = 0; t->spans && a < t->nranks; a++)
        for (int b = 0; b < t->nranks; b++)
            if (reach_between(spans_topo(t->spans), a, b) == SYMM_NOT)
                want = INVALID_USAGE;
    for (int i = 0; i < t->iterations; i++)
        for (int r = 0; r < t->nranks; r++) {
            const double got = judge5_metric(t, r, i, "error");
            if (got != want)
                judge_fail(v,
                           "symm_open() returns %g on rank %d, should "
                           "return %d (ncclResult_t) on this machine",
                           got, r, want);
        }
}

static double want_zero(const struct judge_task *t, const uint64_t *seed, int r,
                        size_t i)
{
    (void)t, (void)seed, (void)r, (void)i;
    return 0;
}

static double want_inputs(const struct judge_task *t, const uint64_t *seed,
                          int r, size_t i)
{
    (void)r;
    return judge5_input(seed[(int)(i / judge5_count(t))], i % judge5_count(t));
}

/* A heap that is not freed leaves 1 MiB of each rank; drivers may keep less for
 * themselves. */
static void judge_kept(const struct judge_task *t, struct judge_verdict *v)
{
    enum { MOST = 1 << 19 };
    for (int i = 0; i < t->iterations; i++)
        for (int r = 0; r < t->nranks && v->pass; r++) {
            const double kept = judge5_metric(t, r, i, "kept");
            if (!(kept < MOST))
                judge_fail(v,
                           "symm_close() leaves memory allocated: rank %d's "
                           "device has %.0f bytes less than before "
                           "symm_open()",
                           r, kept);
        }
}

static void judge_heap(const struct judge_task *t, struct judge_verdict *v)
{
    const size_t count = (size_t)t->nranks * judge5_count(t);
    judge5_compare(t, "fresh", count, want_zero, NULL, v);
    judge5_compare(t, "inputs", count, want_inputs, NULL,
                   v); // uploaded by the case
    judge_kept(t, v);
}

enum { ALIGN = 256 }; /* lab5.h's SYMM_ALIGN */

/*
 * The offsets of allocations of 1001 bytes, 1 byte and the rest of the heap
 * have to be aligned and must not overlap, and failed requests must not use
 * memory. With one rank, the request whose size differs between ranks succeeds,
 * and is between these.
 */
static void judge_offsets(const struct judge_task *t, int r,
                          struct judge_verdict *v)
{
    static const char *const name[] = {"at0", "at2", "at3"};
    static const double nbytes[] = {1001, 1};
    double end = judge5_metric(t, r, 0, "before");
    for (int i = 0; i < 3; i++) {
        const double at = judge5_metric(t, r, 0, name[i]);
        const double slack =
            ALIGN + (i == 1 && t->nranks == 1 ? 4 * ALIGN + 2048 : 0);
        if (!(at >= end && at < end + slack) || fmod(at, ALIGN) != 0)
            judge_fail(v,
                       "rank %d's allocation %d is at offset %g, should be a "
                       "multiple of %d, the first from %g on",
                       r, i + 1, at, ALIGN, end);
        if (at != judge5_metric(t, 0, 0, name[i]))
            judge_fail(v,
                       "allocation %d is at offset %g on rank %d, at %g on "
                       "rank 0",
                       i + 1, at, r, judge5_metric(t, 0, 0, name[i]));
        end = i < 2 ? at + nbytes[i] : end;
    }
}

static void judge_alloc(const struct judge_task *t, struct judge_verdict *v)
{
    const int differ = t->nranks > 1 ? INVALID_ARGUMENT : SUCCESS;
    const struct {
        const char *metric, *what;
        double want;
    } facts[] = {
        {"odd", "an allocation of 1001 bytes returns", SUCCESS},
        {"different", "sizes of 512 and 1024 bytes return", differ},
        {"almost", "sizes of 1001 and 1002 bytes return", differ},
        {"large", "a request for more than is left returns", INVALID_ARGUMENT},
        {"second", "an allocation of 1 byte returns", SUCCESS},
        {"rest", "a request for all that is left returns", SUCCESS},
    };
    for (int r = 0; r < t->nranks; r++) {
        for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
            const double got = judge5_metric(t, r, 0, facts[i].metric);
            if (got != facts[i].want)
                judge_fail(v, "%s %g on rank %d, should be %g", facts[i].what,
                           got, r, facts[i].want);
        }
        judge_offsets(t, r, v);
    }
}

/* ---- part 2 -------------------------------------------------------------- */

static double want_put(const struct judge_task *t, const uint64_t *seed, int r,
                       size_t i)
{
    const size_t count = judge5_count(t);
    return judge5_input(seed[(int)(i / count)], (size_t)r * count + i % count);
}

static struct rank_set from_put(const struct judge_task *t,
                                const uint64_t *seed, int r, size_t i)
{
    (void)seed, (void)r;
    return rank_set_of((int)(i / judge5_count(t)));
}

static void judge_put(const struct judge_task *t, struct judge_verdict *v)
{
    judge5_compare(t, "box", (size_t)t->nranks * judge5_count(t), want_put,
                   from_put, v);
    judge5_guards(t, v);
    judge5_no_nccl(t, v);
}

/* The rank that this one gets element i from. */
static int got_from(const struct judge_task *t, int r, size_t i)
{
    const size_t round = i / judge5_count(t);
    return (int)((size_t)r + 1 + round) % t->nranks;
}

static double want_get(const struct judge_task *t, const uint64_t *seed, int r,
                       size_t i)
{
    return judge5_input(seed[got_from(t, r, i)], i);
}

static struct rank_set from_get(const struct judge_task *t,
                                const uint64_t *seed, int r, size_t i)
{
    (void)seed;
    return rank_set_of(got_from(t, r, i));
}

static void judge_get(const struct judge_task *t, struct judge_verdict *v)
{
    const size_t rounds = (size_t)plan_int(t->c, "rounds", 3);
    judge5_compare(t, "out", rounds * judge5_count(t), want_get, from_get, v);
    judge5_guards(t, v);
    judge5_no_nccl(t, v);
}

/* Rank r's box has the sum of the inputs of ranks 0 to r, rank 0's that of
 * all. */
static double want_chain(const struct judge_task *t, const uint64_t *seed,
                         int r, size_t i)
{
    double sum = 0;
    for (int k = 0; k <= (r == 0 ? t->nranks - 1 : r); k++)
        sum += judge5_input(seed[k], i);
    return sum;
}

static struct rank_set from_chain(const struct judge_task *t,
                                  const uint64_t *seed, int r, size_t i)
{
    return judge5_from_first(t, seed, r == 0 ? t->nranks - 1 : r, i);
}

static void judge_chain(const struct judge_task *t, struct judge_verdict *v)
{
    judge5_compare(t, "box", judge5_count(t), want_chain, from_chain, v);
    judge5_guards(t, v);
    judge5_no_nccl(t, v);
}

static double want_rounds(const struct judge_task *t, const uint64_t *seed,
                          int r, size_t i)
{
    return (r ^ 1) < t->nranks ? judge5_input(seed[r & ~1], i) : 0;
}

static struct rank_set from_rounds(const struct judge_task *t,
                                   const uint64_t *seed, int r, size_t i)
{
    (void)seed, (void)i;
    return (r ^ 1) < t->nranks ? rank_set_of(r & ~1) : (struct rank_set){{0}};
}

static void judge_rounds(const struct judge_task *t, struct judge_verdict *v)
{
    if (plan_int(t->c, "kernel", 0))
        judge5_play(t, v);
    else
        judge5_compare(t, "out", (size_t)plan_int(t->c, "rounds", 100),
                       want_rounds, from_rounds, v);
    judge5_guards(t, v);
    judge5_no_nccl(t, v);
}

static const struct judge_kind kinds[] = {
    {.name = "probe", .judge = judge_probe},
    {.name = "open", .judge = judge_open},
    {.name = "heap", .judge = judge_heap},
    {.name = "alloc", .judge = judge_alloc},
    {.name = "put", .judge = judge_put},
    {.name = "get", .judge = judge_get},
    {.name = "chain", .judge = judge_chain},
    {.name = "rounds", .judge = judge_rounds},
    {.name = "reduce", .judge = judge5_reduce},
    {.name = "tune", .judge = judge5_tune},
    {.name = "gradsync", .judge = judge5_gradsync},
    {.name = "pipeline", .judge = judge5_pipeline},
    {.name = "late", .judge = judge5_gradsync},
    {.name = "gemm", .judge = judge5_gemm},
    {.name = "gemm-sum", .judge = judge5_gemm_sum},
    {.name = "ring", .judge = judge5_ring, .several_streams = 1},
    {.name = "dtensor", .judge = judge5_dtensor},
    {.name = "pcache", .judge = judge5_pcache},
    {.name = "hashmap", .judge = judge5_hashmap},
    {.name = "window", .judge = judge5_window},
    {.name = "window-race", .judge = judge5_window_race},
    {.name = "fused", .judge = judge5_fused},
    {.name = NULL},
};

/* Where a student should look when a case fails. */
static const struct judge_student students[] = {
    {"probe", "symm_probe() in heap.c", NULL, NULL},
    {"open", "symm_open() in heap.c", NULL, NULL},
    {"heap", "symm_open(), symm_alloc(), symm_at() and symm_close() in heap.c",
     NULL, NULL},
    {"alloc", "symm_alloc() in heap.c", NULL, NULL},
    {"put", "symm_put() in onesided.c", NULL, NULL},
    {"get", "symm_get() and symm_barrier() in onesided.c", NULL, NULL},
    {"chain", "symm_signal() and symm_wait() in onesided.c", NULL, NULL},
    {"rounds",
     "symm_put_signal() and symm_wait_for() in device.cuh, and "
     "symm_ping_pong() in device.cu",
     "kernel", "1"},
    {"rounds", "symm_put(), symm_signal() and symm_wait() in onesided.c", NULL,
     NULL},
    {"reduce", "symm_one_shot() in allreduce.cu", "algo", "one_shot"},
    {"reduce", "symm_two_shot() in allreduce.cu", "algo", "two_shot"},
    {"reduce", "symm_all_reduce() in choose.c", NULL, NULL},
    {"tune", "symm_reduce_tune() in choose.c", NULL, NULL},
    {"gradsync", "gradsync_step() in gradsync.c", NULL, NULL},
    {"pipeline",
     "handoff_send(), handoff_recv() and handoff_done() in pipeline.c", NULL,
     NULL},
    {"late", "late_step() in late.c", NULL, NULL},
    {"gemm", "tpgemm_run() in gemm.c", NULL, NULL},
    {"gemm-sum", "tpgemm_sum() in gemm.c", NULL, NULL},
    {"ring", "ring_produce() and ring_consume() in ring.cu", NULL, NULL},
    {"dtensor", "dtensor_get() and dtensor_put() in dtensor.c", NULL, NULL},
    {"pcache", "pcache_fetch(), pcache_begin() and pcache_end() in pcache.c",
     NULL, NULL},
    {"hashmap", "hashmap_add() and hashmap_find() in hashmap.cu", NULL, NULL},
    {"window", "window_multimem() in window.cu", "multimem", "1"},
    {"window", "window_open() and window_two_shot() in window.cu", NULL, NULL},
    {"window-race", "window_multimem() in window.cu", NULL, NULL},
    {"fused", "fused_norm() in fused.cu", NULL, NULL},
    {NULL, NULL, NULL, NULL},
};

_Static_assert((int)DRAWN_ROUGH == (int)NN_DRAWS,
               "rows of nn/draws.h come first");
static const struct draw_row draws[] = {
    [NN_DRAW_FLOATS] = {nn_draw_floats, 0},
    [NN_DRAW_BYTES] = {nn_draw_bytes, 0},
    [DRAWN_ROUGH] = {judge5_draw_rough, 0},
    [DRAWN_BEGIN] = {judge5_draw_begin, 0},
    [DRAWN_ADAPTERS] = {judge5_draw_adapters, 0},
    [DRAWN_PAIRS] = {judge5_draw_pairs, 0},
    {0}};

enum { MOST_RANKS = 16 }; /* SYMM_MAX_RANKS of lab5.h */

/* IPC handles open on their own node only. */
static int needs(const struct plan_case *c, const struct judge_place *p,
                 char *text, size_t nbytes)
{
    const int rows = (int)plan_int(c, "rows", 12);
    if (p->nnodes > 1)
        snprintf(text, nbytes, "ranks of one node");
    else if (p->nranks > MOST_RANKS)
        snprintf(text, nbytes, "at most %d ranks (SYMM_MAX_RANKS)", MOST_RANKS);
    else if (strcmp(c->kind, "gemm-sum") == 0 && rows % p->nranks != 0)
        snprintf(text, nbytes, "a number of ranks that divides its %d rows",
                 rows);
    return text[0] != 0;
}

extern const struct judge_lab judge_lab5;
const struct judge_lab judge_lab5 = {
    .lab = "lab5-symmetric-memory",
    .shares_gpus = 1,
    .reaches_peers = 1,
    .kinds = kinds,
    .students = students,
    .draws = draws,
    .needs = needs,
};
