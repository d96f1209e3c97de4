/*
 * judge_uses.c: the judges of lab 5's cases of part 5
 */
#include <stdlib.h> /* calloc */
#include <string.h> /* strcmp, memset */

#include "drawn.h"
#include "graph/record/read.h"
#include "judge/graph/calls.h"
#include "judge5.h"
#include "nn/task.h"

static size_t param(const struct judge_task *t, const char *key, int64_t value)
{
    return (size_t)plan_int(t->c, key, value);
}

/* ---- gradients ----------------------------------------------------------- */

void judge5_gradsync(const struct judge_task *t, struct judge_verdict *v)
{
    struct nn_task k = nn_task_of(t->c);
    k.on_devices = 1;
    nn_task_judge(t, &k, 1e-5, k.optimizer == NN_ADAMW ? 1e-5 : 1e-8, v);
    judge5_no_nccl(t, v);
}

/* ---- pipeline ------------------------------------------------------------ */

static double want_work(const struct judge_task *t, const uint64_t *seed, int r,
                        size_t i)
{
    double sum = 0;
    (void)t;
    for (int k = 0; k <= r; k++)
        sum += judge5_input(seed[k], i);
    return sum;
}

/* The time from the start of the put on rank 0 until rank 1 may continue; NaN
 * without a graph. */
static double handoff_us(const struct judge_task *t)
{
    struct spans_window from, to;
    if (spans_window(t, 0, 0, &from) != 0 || spans_window(t, 1, 0, &to) != 0)
        return NAN;
    const struct replay_time *const time = spans_times(t->spans);
    uint64_t put_ps = 0, here_ps = 0;
    for (uint32_t at = from.first; at <= from.last; at++)
        if (t->graph->nodes[at].node.kind == GRAPH_COPY)
            put_ps = time[at].start_ps;
    for (uint32_t at = to.first; at <= to.last; at++)
        if (strcmp(t->graph->nodes[at].name, "cuStreamWaitValue32") == 0)
            here_ps = time[at].end_ps;
    return here_ps > put_ps ? (double)(here_ps - put_ps) * 1e-6 : NAN;
}

/* `most_ns`: the most for one message between two ranks, from its put until the
 * receiver may continue. */
void judge5_pipeline(const struct judge_task *t, struct judge_verdict *v)
{
    const double most = (double)plan_int(t->c, "most_ns", 0) / 1000;
    judge5_compare(t, "work", param(t, "messages", 7) * param(t, "count", 1000),
                   want_work, judge5_from_first, v);
    judge5_no_nccl(t, v);
    if (v->pass && most > 0 && t->spans && !(handoff_us(t) < most))
        judge_fail_method(
            v,
            "a hand-off takes %.1f us from its put until the next stage "
            "may continue, should take less than %g",
            handoff_us(t), most);
}

/* ---- product ------------------------------------------------------------- */

/* One element of a rank's product: x doubles with every call. */
static double want_product(const struct judge_task *t, uint64_t seed,
                           size_t row, size_t col, size_t call)
{
    const size_t in = param(t, "in", 8), cols = param(t, "cols", 5);
    double sum = 0;
    for (size_t k = 0; k < in; k++)
        sum += judge5_input(seed, row * in + k) *
               judge5_input(seed, k * cols + col);
    return sum * (double)(UINT64_C(1) << call);
}

/* Element i of y over all calls: call, rank's block, row, column. */
static double want_y(const struct judge_task *t, const uint64_t *seed, int r,
                     size_t i)
{
    const size_t cols = param(t, "cols", 5);
    const size_t block = param(t, "rows", 12) * cols;
    const size_t whole = (size_t)t->nranks * block;
    (void)r;
    return want_product(t, seed[i % whole / block], i % block / cols, i % cols,
                        i / whole);
}

static struct rank_set from_y(const struct judge_task *t, const uint64_t *seed,
                              int r, size_t i)
{
    const size_t block = param(t, "rows", 12) * param(t, "cols", 5);
    (void)seed, (void)r;
    return rank_set_of((int)(i / block % (size_t)t->nranks));
}

/* Element i of y over all calls: call, row and column of a sum over ranks. */
static double want_y_sum(const struct judge_task *t, const uint64_t *seed,
                         int r, size_t i)
{
    const size_t cols = param(t, "cols", 5);
    const size_t whole = param(t, "rows", 12) * cols;
    double sum = 0;
    (void)r;
    for (int k = 0; k < t->nranks; k++)
        sum += want_product(t, seed[k], i % whole / cols, i % cols, i / whole);
    return sum;
}

/* `every: N`: of large products only every Nth element is compared. */
static void judge_y(const struct judge_task *t, size_t n, judge5_want *want,
                    judge5_from *from, struct judge_verdict *v)
{
    for (int it = 0; it < t->iterations && v->pass; it++) {
        uint64_t *const seed = judge5_seeds(t, it);
        for (int r = 0; r < t->nranks; r++) {
            const float *const got =
                judge_output(t, r, it, "y", n * sizeof *got, v);
            for (size_t i = 0; got && i < n && v->pass;
                 i += param(t, "every", 1))
                if (got[i] != want(t, seed, r, i))
                    judge_fail(v,
                               "element %zu of rank %d's y is %g, should be "
                               "%g",
                               i, r, got[i], want(t, seed, r, i));
            judge5_descend(t, r, it, "y", n, from, seed, v);
        }
        free(seed);
    }
    judge5_guards(t, v);
    judge5_no_nccl(t, v);
    judge_full_precision(t, v);
}

/* The number of elements in all calls' y; in the columns form, of each rank. */
static size_t count_of_y(const struct judge_task *t)
{
    return param(t, "rows", 12) * param(t, "cols", 5) * param(t, "calls", 2);
}

void judge5_gemm(const struct judge_task *t, struct judge_verdict *v)
{
    judge_y(t, (size_t)t->nranks * count_of_y(t), want_y, from_y, v);
}

void judge5_gemm_sum(const struct judge_task *t, struct judge_verdict *v)
{
    judge_y(t, count_of_y(t), want_y_sum, judge5_from_all, v);
}

/* ---- ring buffer --------------------------------------------------------- */

static double want_before(const struct judge_task *t, const uint64_t *seed,
                          int r, size_t i)
{
    return judge5_input(seed[(r + t->nranks - 1) % t->nranks], i);
}

static struct rank_set from_before(const struct judge_task *t,
                                   const uint64_t *seed, int r, size_t i)
{
    (void)seed, (void)i;
    return rank_set_of((r + t->nranks - 1) % t->nranks);
}

void judge5_ring(const struct judge_task *t, struct judge_verdict *v)
{
    judge5_compare(t, "out",
                   param(t, "items", 30) * (param(t, "count", 64) / 4 * 4),
                   want_before, from_before, v);
    for (int n = 0; n < t->iterations * t->nranks; n++) {
        judge5_no_copies(t, n % t->nranks, n / t->nranks, v);
        judge5_launches(t, n % t->nranks, n / t->nranks, 2, v);
    }
    judge5_no_nccl(t, v);
}

/* ---- distributed tensor -------------------------------------------------- */

/* The rank that writes element `at` of the tensor: it is in its share. */
static int writer_of(const struct judge_task *t, size_t at)
{
    int by = 0;
    while (drawn_share(param(t, "count", 1000), t->nranks, by + 1) <= at)
        by++;
    return by;
}

/* Element i of the half that a rank reads. */
static double want_half(const struct judge_task *t, const uint64_t *seed, int r,
                        size_t i)
{
    const size_t count = param(t, "count", 1000);
    const size_t at = drawn_begin(seed[r], count) + i;
    const int by = writer_of(t, at);
    return judge5_input(seed[by], at - drawn_share(count, t->nranks, by));
}

static struct rank_set from_half(const struct judge_task *t,
                                 const uint64_t *seed, int r, size_t i)
{
    const size_t count = param(t, "count", 1000);
    return rank_set_of(writer_of(t, drawn_begin(seed[r], count) + i));
}

/* The number of ranks that have some of a range. */
static size_t pieces_of(size_t begin, size_t count, size_t per)
{
    return count == 0 ? 0 : (begin + count - 1) / per - begin / per + 1;
}

static void judge_copies(const struct judge_task *t, int rank, size_t per,
                         struct judge_verdict *v)
{
    const size_t count = param(t, "count", 1000);
    const size_t first = drawn_share(count, t->nranks, rank);
    const size_t mine = drawn_share(count, t->nranks, rank + 1) - first;
    const size_t begin = drawn_begin(judge_input_seed(t, rank, 0), count);
    const size_t want =
        pieces_of(first, mine, per) + pieces_of(begin, count / 2, per);
    const size_t got = spans_count(t, rank, 0, GRAPH_COPY, TOPO_OP_NONE);
    if (got != want)
        judge_fail_method(
            v,
            "rank %d writes a range and reads one with %zu copies; %zu "
            "ranks have some of them",
            rank, got, want);
}

void judge5_dtensor(const struct judge_task *t, struct judge_verdict *v)
{
    enum { INVALID_ARGUMENT = 4 };
    const size_t count = param(t, "count", 1000), n = (size_t)t->nranks;
    const size_t per = (count + n - 1) / n;
    judge5_compare(t, "out", count / 2, want_half, from_half, v);
    for (int r = 0; r < t->nranks; r++) {
        if (judge5_metric(t, r, 0, "per") != (double)per)
            judge_fail(v,
                       "rank %d has %g elements of %zu on %zu ranks, should "
                       "have %zu",
                       r, judge5_metric(t, r, 0, "per"), count, n, per);
        if (judge5_metric(t, r, 0, "beyond") != INVALID_ARGUMENT ||
            judge5_metric(t, r, 0, "far") != INVALID_ARGUMENT)
            judge_fail(
                v, "rank %d accepts a range that the tensor doesn't have", r);
        if (t->spans && v->pass)
            judge_copies(t, r, per, v);
    }
    judge5_no_nccl(t, v);
}

/* ---- parameter cache ----------------------------------------------------- */

/* The adapter that serves a rank's element i. */
static int served_by(const struct judge_task *t, const uint64_t *seed, int r,
                     size_t i)
{
    const int nadapters = (int)param(t, "per", 3) * t->nranks;
    return drawn_adapter(seed[r], (int)(i / param(t, "count", 400)), nadapters);
}

static double want_served(const struct judge_task *t, const uint64_t *seed,
                          int r, size_t i)
{
    const size_t count = param(t, "count", 400);
    const int n = t->nranks, id = served_by(t, seed, r, i);
    return judge5_input(seed[id % n], (size_t)(id / n) * count + i % count);
}

static struct rank_set from_served(const struct judge_task *t,
                                   const uint64_t *seed, int r, size_t i)
{
    return rank_set_of(served_by(t, seed, r, i) % t->nranks);
}

/* The fetches of a cache that replaces the least recently used adapter. */
static int fetches_of(const struct judge_task *t, uint64_t seed)
{
    enum { SLOTS = 4 }; // PCACHE_SLOTS
    int id[SLOTS] = {-1, -1, -1, -1}, used[SLOTS] = {0}, fetches = 0;
    const int nadapters = (int)param(t, "per", 3) * t->nranks;
    for (int i = 0; i < (int)param(t, "requests", 12); i++) {
        const int want = drawn_adapter(seed, i, nadapters);
        int slot = -1, old = 0;
        for (int k = 0; k < SLOTS; k++) {
            slot = id[k] == want ? k : slot;
            old = used[k] < used[old] ? k : old;
        }
        fetches += slot < 0;
        slot = slot < 0 ? old : slot;
        id[slot] = want;
        used[slot] = i + 1;
    }
    return fetches;
}

void judge5_pcache(const struct judge_task *t, struct judge_verdict *v)
{
    judge5_compare(t, "out", param(t, "requests", 12) * param(t, "count", 400),
                   want_served, from_served, v);
    for (int it = 0; it < t->iterations; it++)
        for (int r = 0; r < t->nranks; r++) {
            const double got = judge5_metric(t, r, it, "fetches");
            const int want = fetches_of(t, judge_input_seed(t, r, it));
            if (got != want)
                judge_fail_method(
                    v,
                    "rank %d fetches %g adapters for its requests, "
                    "should fetch %d",
                    r, got, want);
        }
    judge5_no_nccl(t, v);
}

/* ---- hash map ------------------------------------------------------------ */

/* For each key, the sum of all values that ranks add to it, and the ranks that
 * add any. */
static void tally(const struct judge_task *t, const uint64_t *seed,
                  unsigned *sum, struct rank_set *from)
{
    const int keys = (int)param(t, "keys", 300);
    const size_t range = param(t, "range", 200);
    memset(sum, 0, range * sizeof *sum);
    memset(from, 0, range * sizeof *from);
    for (int r = 0; r < t->nranks; r++)
        for (int i = 0; i < keys; i++) {
            const size_t key = drawn_key(seed[r], i, (int)range) - 1;
            sum[key] += drawn_value(seed[r], i);
            rank_set_add(&from[key], r);
        }
}

void judge5_hashmap(const struct judge_task *t, struct judge_verdict *v)
{
    const size_t range = param(t, "range", 200);
    unsigned *const want = malloc(range * sizeof *want);
    struct rank_set *const from = malloc(range * sizeof *from);
    for (int it = 0; it < t->iterations; it++) {
        uint64_t *const seed = judge5_seeds(t, it);
        tally(t, seed, want, from);
        for (int r = 0; r < t->nranks; r++) {
            const void *const got =
                judge_output(t, r, it, "out", range * sizeof *want, v);
            if (got)
                data_compare(got, want, range, DATA_UINT32, r, v);
            for (size_t i = 0; i < range; i++)
                judge_origin(t, r, it, "out", i * sizeof *want,
                             (i + 1) * sizeof *want, from[i], v);
            judge5_no_copies(t, r, it, v);
        }
        free(seed);
    }
    free(from);
    free(want);
    judge5_no_nccl(t, v);
}

/* ---- draws --------------------------------------------------------------- */

int judge5_draw_rough(const struct draw_from *from, const int64_t *arg,
                      void *out, size_t nbytes)
{
    float *const values = out;
    (void)arg;
    for (size_t i = 0; i < nbytes / sizeof *values; i++)
        values[i] = drawn_rough(from->seed, i);
    return nbytes % sizeof *values ? -1 : 0;
}

int judge5_draw_begin(const struct draw_from *from, const int64_t *arg,
                      void *out, size_t nbytes)
{
    uint64_t *const begin = out;
    if (nbytes != sizeof *begin || arg[0] < 0)
        return -1;
    *begin = drawn_begin(from->seed, (size_t)arg[0]);
    return 0;
}

int judge5_draw_adapters(const struct draw_from *from, const int64_t *arg,
                         void *out, size_t nbytes)
{
    int *const id = out;
    if (nbytes % sizeof *id || arg[0] < 1 || arg[0] > 1 << 20)
        return -1;
    for (size_t i = 0; i < nbytes / sizeof *id; i++)
        id[i] = drawn_adapter(from->seed, (int)i, (int)arg[0]);
    return 0;
}

int judge5_draw_pairs(const struct draw_from *from, const int64_t *arg,
                      void *out, size_t nbytes)
{
    unsigned *const key = out;
    const size_t n = nbytes / sizeof *key / 2;
    if (nbytes % (2 * sizeof *key) || arg[0] < 1 || arg[0] > 1 << 20)
        return -1;
    for (size_t i = 0; i < n; i++) {
        key[i] = drawn_key(from->seed, (int)i, (int)arg[0]);
        key[n + i] = drawn_value(from->seed, (int)i);
    }
    return 0;
}
