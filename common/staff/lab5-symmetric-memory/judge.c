/*
 * judge.c: the judges of lab 5's cases of parts 1 to 3
 *
 * Inputs are small integers, so sums are exact and results are compared bit for
 * bit. A signal that does not order anything shows up in the graph: a race is a
 * failure like any other (judge.h).
 */
#include <math.h>   /* isinf */
#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* malloc */
#include <string.h> /* strcmp */

#include "drawn.h"
#include "graph/read.h"
#include "judge/counts.h"
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

/* by_devices: nothing of it came through the host's memory. */
static void compare(const struct judge_task *t, const char *name, size_t count,
                    judge5_want *want, int by_devices, struct judge_verdict *v)
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
            if (by_devices)
                judge_origin(t, r, it, name, 0, count * sizeof *got, 0, v);
        }
        free(seed);
    }
    free(expected);
}

void judge5_compare(const struct judge_task *t, const char *name, size_t count,
                    judge5_want *want, struct judge_verdict *v)
{
    compare(t, name, count, want, 1, v);
}

void judge5_no_nccl(const struct judge_task *t, struct judge_verdict *v)
{
    for (int r = 0; r < t->nranks; r++)
        if (!(judge_count(t, r, 0, "collectives", v) <= 0) ||
            !(judge_count(t, r, 0, "messages", v) <= 0))
            judge_fail(v,
                       "the result is right, but rank %d calls NCCL: use "
                       "puts, gets and signals here",
                       r);
}

static size_t count_of(const struct judge_task *t)
{
    return (size_t)plan_int(t->c, "count", 1000);
}

/* ---- part 1 -------------------------------------------------------------- */

/* Ranks are on the machine's GPUs in order, starting over if there are
 * fewer. */
static int gpu_of(const struct topo *topo, int rank)
{
    return rank % topo_ngpus(topo);
}

static int reach_between(const struct topo *topo, int a, int b)
{
    const int x = gpu_of(topo, a), y = gpu_of(topo, b);
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

/* On GPUs the topology is not known: only what must hold on any machine. */
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

enum { /* of ncclResult_t */
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
    return judge5_input(seed[(int)(i / count_of(t))], i % count_of(t));
}

static void judge_heap(const struct judge_task *t, struct judge_verdict *v)
{
    const size_t count = (size_t)t->nranks * count_of(t);
    compare(t, "fresh", count, want_zero, 0, v);
    compare(t, "inputs", count, want_inputs, 0, v); // uploaded by the case
}

enum { ALIGN = 256 }; /* lab5.h's SYMM_ALIGN */

/*
 * Offsets of 1001 bytes, 1 byte and all the rest: aligned, apart, and nothing
 * lost to requests that failed. Where there is one rank, the sizes that differ
 * between ranks don't, and lie in between.
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
    const size_t count = count_of(t);
    return judge5_input(seed[(int)(i / count)], (size_t)r * count + i % count);
}

static void judge_put(const struct judge_task *t, struct judge_verdict *v)
{
    judge5_compare(t, "box", (size_t)t->nranks * count_of(t), want_put, v);
    judge5_guards(t, v);
    judge5_no_nccl(t, v);
}

static double want_get(const struct judge_task *t, const uint64_t *seed, int r,
                       size_t i)
{
    const size_t round = i / count_of(t);
    return judge5_input(seed[(int)((size_t)r + 1 + round) % t->nranks], i);
}

static void judge_get(const struct judge_task *t, struct judge_verdict *v)
{
    const size_t rounds = (size_t)plan_int(t->c, "rounds", 3);
    judge5_compare(t, "out", rounds * count_of(t), want_get, v);
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

static void judge_chain(const struct judge_task *t, struct judge_verdict *v)
{
    judge5_compare(t, "box", count_of(t), want_chain, v);
    judge5_guards(t, v);
    judge5_no_nccl(t, v);
}

static double want_rounds(const struct judge_task *t, const uint64_t *seed,
                          int r, size_t i)
{
    const int even = r & ~1;
    if ((r ^ 1) >= t->nranks)
        return 0;
    if (!plan_int(t->c, "kernel", 0))
        return judge5_input(seed[even], i);
    return judge5_input(seed[even], 0) + (double)i + (r == even);
}

static void judge_rounds(const struct judge_task *t, struct judge_verdict *v)
{
    judge5_compare(t, "out", (size_t)plan_int(t->c, "rounds", 100), want_rounds,
                   v);
    judge5_guards(t, v);
    judge5_no_nccl(t, v);
}

/* ---- part 3 -------------------------------------------------------------- */

static double want_sum(const struct judge_task *t, const uint64_t *seed, int r,
                       size_t i)
{
    const size_t count = count_of(t);
    double sum = 0;
    (void)r;
    for (int k = 0; k < t->nranks; k++)
        sum += judge5_input(seed[k], i % count);
    return sum * (double)(i / count + 1);
}

/* The time of NCCL's all-reduce on this machine; NaN if unknown. */
static double nccl_us(const struct judge_task *t, size_t nbytes)
{
    struct topo_coll c;
    char err[128];
    int place[64];
    if (!t->spans || t->nranks > 64)
        return NAN;
    const struct topo *const topo = spans_topo(t->spans);
    for (int r = 0; r < t->nranks; r++)
        place[r] = gpu_of(topo, r);
    if (topo_collective(topo, TOPO_OP_ALLREDUCE, place, t->nranks, nbytes,
                        TOPO_ANY, TOPO_ANY, &c, err, sizeof err) != 0)
        return NAN;
    const double us = (double)c.time_ps * 1e-6;
    topo_coll_release(&c);
    return us;
}

/* `nccl: N`: expected calls of NCCL, if there is one. */
static void judge_calls(const struct judge_task *t, struct judge_verdict *v)
{
    const double calls = (double)plan_int(t->c, "calls", 3);
    const double nccl = judge5_metric(t, 0, 0, "has_nccl") == 1
                            ? (double)plan_int(t->c, "nccl", 0)
                            : 0;
    for (int r = 0; r < t->nranks; r++) {
        const double made = judge_count(t, r, 0, "collectives", v);
        if (made != nccl || !(judge_count(t, r, 0, "messages", v) <= 0))
            judge_fail(v,
                       "the result is right, but rank %d calls %g NCCL "
                       "collectives for %g all-reduces, should call %g",
                       r, made, calls, nccl);
    }
}

static void judge_reduce(const struct judge_task *t, struct judge_verdict *v)
{
    const size_t calls = (size_t)plan_int(t->c, "calls", 3);
    const double most = (double)plan_int(t->c, "percent_of_nccl", 0) / 100 *
                        nccl_us(t, count_of(t) * sizeof(float));
    if (plan_int(t->c, "rough", 0))
        judge5_compare_rough(t, calls, v);
    else
        judge5_compare(t, "out", calls * count_of(t), want_sum, v);
    judge5_guards(t, v);
    if (t->nranks > 1)
        judge_calls(t, v);
    if (v->pass && most > 0 && spans_time_us(t, 0) > most)
        judge_fail(v,
                   "it takes %.1f us; NCCL's takes %.1f us, and %lld %% of "
                   "that is required",
                   spans_time_us(t, 0), nccl_us(t, count_of(t) * sizeof(float)),
                   (long long)plan_int(t->c, "percent_of_nccl", 0));
}

enum { ALGOS = 3, CALLS = 2, SIZES = 32 }; /* of cases.c's measure_all() */

/* The mean time of a call in a range of measure_all(), on the slowest rank:
 * from the graph or, on GPUs, as recorded. */
static double range_us(const struct judge_task *t, const char *name)
{
    double slowest = NAN;
    for (int r = 0; r < t->nranks; r++) {
        double us = judge5_metric(t, r, 0, name);
        uint64_t begin_ps = UINT64_MAX, end_ps = 0;
        for (uint32_t at = t->graph ? t->graph->first[r] : 0;
             t->graph && at < t->graph->first[r + 1]; at++) {
            const struct graph_node *const n = &t->graph->nodes[at].node;
            const struct replay_time *const time = &spans_times(t->spans)[at];
            if (strcmp(t->graph->nodes[at].span, name) != 0 ||
                (n->kind != GRAPH_KERNEL && n->kind != GRAPH_COLL))
                continue;
            begin_ps = time->start_ps < begin_ps ? time->start_ps : begin_ps;
            end_ps = time->end_ps > end_ps ? time->end_ps : end_ps;
        }
        if (end_ps > begin_ps)
            us = (double)(end_ps - begin_ps) * 1e-6 / CALLS;
        slowest = us <= slowest ? slowest : us;
    }
    return slowest;
}

/* The largest size up to which an algorithm below `end` is the fastest; 0:
 * none. */
static double true_limit(double us[SIZES][ALGOS], int nsizes, int end)
{
    double limit = 0;
    for (int s = 0; s < nsizes; s++) {
        double ours = INFINITY, theirs = INFINITY;
        for (int k = 0; k < ALGOS; k++) {
            double *const of = k < end ? &ours : &theirs;
            *of = us[s][k] < *of ? us[s][k] : *of;
        }
        if (!(ours <= theirs) || isinf(ours))
            break;
        limit = 1024.0 * (double)(UINT64_C(1) << s);
    }
    return limit;
}

static void judge_limit(const struct judge_task *t, const char *name,
                        double truth, double most, struct judge_verdict *v)
{
    for (int r = 0; r < t->nranks; r++) {
        double got = judge5_metric(t, r, 0, name);
        if (got != judge5_metric(t, 0, 0, name))
            judge_fail(v,
                       "%s is %.0f on rank %d and %.0f on rank 0: ranks "
                       "would call different algorithms",
                       name, got, r, judge5_metric(t, 0, 0, name));
        got = got > most ? most : got;
        const double low = truth > 0 ? truth / 2 : 0;
        const double high = truth > 0 ? 2 * truth : 1024;
        if (!(got >= low && got <= high))
            judge_fail(v,
                       "%s is %.0f, but the crossover is at %.0f bytes: "
                       "that is off by more than a factor of 2",
                       name, got, truth);
    }
}

static void judge_tune(const struct judge_task *t, struct judge_verdict *v)
{
    double us[SIZES][ALGOS];
    char name[EVIDENCE_NAME];
    const size_t most = (size_t)plan_int(t->c, "most", 1 << 20);
    int nsizes = 0;
    for (size_t nbytes = 1024; nbytes <= most && nsizes < SIZES; nbytes *= 2) {
        for (int k = 0; k < ALGOS; k++) {
            snprintf(name, sizeof name, "algo%d.%zu", k, nbytes);
            us[nsizes][k] = range_us(t, name);
        }
        nsizes++;
    }
    judge_limit(t, "one_shot_most", true_limit(us, nsizes, 1), (double)most, v);
    judge_limit(t, "two_shot_most", true_limit(us, nsizes, 2), (double)most, v);
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
    {.name = "reduce", .judge = judge_reduce},
    {.name = "tune", .judge = judge_tune},
    {.name = "gradsync", .judge = judge5_gradsync},
    {.name = "pipeline", .judge = judge5_pipeline},
    {.name = "late", .judge = judge5_gradsync},
    {.name = "gemm", .judge = judge5_gemm},
    {.name = "gemm-sum", .judge = judge5_gemm_sum},
    {.name = "ring", .judge = judge5_ring},
    {.name = "dtensor", .judge = judge5_dtensor},
    {.name = "pcache", .judge = judge5_pcache},
    {.name = "hashmap", .judge = judge5_hashmap},
    {.name = NULL},
};

/* What a student looks at when a case fails. */
static const struct judge_student students[] = {
    {"probe", "symm_probe() in heap.c", NULL, NULL},
    {"open", "symm_open() in heap.c", NULL, NULL},
    {"heap", "symm_open(), symm_alloc() and symm_at() in heap.c", NULL, NULL},
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

extern const struct judge_lab judge_lab5;
const struct judge_lab judge_lab5 = {
    .lab = "lab5-symmetric-memory",
    .shares_gpus = 1,
    .kinds = kinds,
    .students = students,
    .draws = draws,
};
