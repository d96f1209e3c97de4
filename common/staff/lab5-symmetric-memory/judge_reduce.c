/*
 * judge_reduce.c: the judges of lab 5's cases of parts 3 and 4
 */
#include <math.h>   /* isinf */
#include <stdio.h>  /* snprintf */
#include <string.h> /* strcmp */

#include "graph/record/read.h"
#include "judge/graph/counts.h"
#include "judge5.h"

double judge5_want_sum(const struct judge_task *t, const uint64_t *seed, int r,
                       size_t i)
{
    const size_t count = judge5_count(t);
    double sum = 0;
    (void)r;
    for (int k = 0; k < t->nranks; k++)
        sum += judge5_input(seed[k], i % count);
    return sum * (double)(i / count + 1);
}

double judge5_nccl_us(const struct judge_task *t, size_t nbytes)
{
    struct topo_coll c;
    char err[128];
    int place[JUDGE5_GPUS];
    if (!t->spans || t->nranks > JUDGE5_GPUS)
        return NAN;
    const struct topo *const topo = spans_topo(t->spans);
    for (int r = 0; r < t->nranks; r++)
        place[r] = judge5_gpu(topo, r);
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
            judge_fail_method(v,
                              "the result is right, but rank %d calls %g NCCL "
                              "collectives for %g all-reduces, should call %g",
                              r, made, calls, nccl);
    }
}

static void add_moves(const struct graph_view *op, struct judge5_moved *moved)
{
    for (size_t i = 0; i < op->nmoves; i++) {
        const struct graph_move *const m = &op->moves[i];
        if (!judge5_leaves(m))
            continue;
        moved->all += (double)m->nbytes;
        if (m->from == TOPO_SWITCH_PLACE || m->to == TOPO_SWITCH_PLACE)
            moved->by_switch += (double)m->nbytes;
        if (m->to < JUDGE5_GPUS)
            moved->into[m->to] += (double)m->nbytes;
        if (m->from < JUDGE5_GPUS)
            moved->out_of[m->from] += (double)m->nbytes;
    }
}

struct judge5_moved judge5_moved(const struct judge_task *t, int iteration)
{
    struct judge5_moved moved = {.all = 0};
    struct spans_window w;
    for (int r = 0; r < t->nranks; r++) {
        if (spans_window(t, r, iteration, &w) != 0)
            return (struct judge5_moved){.all = NAN};
        for (uint32_t at = w.first; at <= w.last; at++)
            add_moves(&t->graph->nodes[at], &moved);
    }
    return moved;
}

void judge5_each_way(const struct judge5_moved *moved, double most,
                     const char *instead, struct judge_verdict *v)
{
    for (int g = 0; g < JUDGE5_GPUS && v->pass; g++)
        if (moved->into[g] > most || moved->out_of[g] > most)
            judge_fail_method(
                v,
                "the result is right, but %.0f bytes go to GPU %d and "
                "%.0f come from it; %.0f each way are enough: %s",
                moved->into[g], g, moved->out_of[g], most, instead);
}

/*
 * In two-shot the ranks share the work: each reads an n-th of all other ranks'
 * vectors, then the other n-ths of the sum. A program in which one rank adds
 * everything, or all of them do, gets the same sums by more bytes at a GPU.
 * Flags and shares that end at a multiple of four elements take the rest.
 */
void judge5_shared(const struct judge_task *t, const struct judge5_moved *moved,
                   struct judge_verdict *v)
{
    enum { REST = 4096 };
    const double calls = (double)plan_int(t->c, "calls", 3);
    const double most = calls * (2.0 * (t->nranks - 1) / t->nranks *
                                     (double)(judge5_count(t) * sizeof(float)) +
                                 REST);
    judge5_each_way(moved, most,
                    "let every rank sum its n-th and read the "
                    "others' sums",
                    v);
}

/*
 * Every rank but one has to send its data on the way to the sum. Any algorithm
 * moves more than that, so a few stores that aren't recorded
 * (judge/origin/origin.h) don't matter.
 */
static void judge_moved(const struct judge_task *t, struct judge_verdict *v)
{
    const double least = (double)(t->nranks - 1) * (double)judge5_count(t) *
                         sizeof(float) * (double)plan_int(t->c, "calls", 3);
    const int two_shot = strcmp(plan_text(t->c, "algo", ""), "two_shot") == 0;
    if (!t->spans || plan_int(t->c, "nccl", 0) > 0 ||
        t->nranks > topo_ngpus(spans_topo(t->spans)))
        return;
    for (int it = 0; it < t->iterations && v->pass; it++) {
        const struct judge5_moved moved = judge5_moved(t, it);
        if (!(moved.all >= least))
            judge_fail_method(
                v,
                "the result is right, but no more than %.0f bytes go "
                "from one GPU to another; sums of all ranks' inputs "
                "take at least %.0f",
                moved.all, least);
        if (two_shot)
            judge5_shared(t, &moved, v);
        for (int r = 0; r < t->nranks; r++)
            judge5_no_copies(t, r, it, v);
    }
}

void judge5_reduce(const struct judge_task *t, struct judge_verdict *v)
{
    const size_t calls = (size_t)plan_int(t->c, "calls", 3);
    const double most = (double)plan_int(t->c, "percent_of_nccl", 0) / 100 *
                        judge5_nccl_us(t, judge5_count(t) * sizeof(float));
    if (plan_int(t->c, "rough", 0))
        judge5_compare_rough(t, calls, v);
    else
        judge5_compare(t, "out", calls * judge5_count(t), judge5_want_sum,
                       judge5_from_all, v);
    judge5_guards(t, v);
    if (t->nranks > 1)
        judge_calls(t, v);
    judge_moved(t, v);
    if (v->pass && most > 0 && spans_time_us(t, 0) > most)
        judge_fail_method(
            v,
            "it takes %.1f us; NCCL's takes %.1f us, and %lld %% of "
            "that is required",
            spans_time_us(t, 0),
            judge5_nccl_us(t, judge5_count(t) * sizeof(float)),
            (long long)plan_int(t->c, "percent_of_nccl", 0));
}

enum { ALGOS = 3, CALLS = 2, SIZES = 32 }; /* as in cases_reduce.c */

double judge5_range_us(const struct judge_task *t, const char *name, int calls)
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
            us = (double)(end_ps - begin_ps) * 1e-6 / calls;
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
        if (!(got >= low && got <= high)) // sums are right with any limits
            judge_fail_method(v,
                              "%s is %.0f, but the crossover is at %.0f bytes: "
                              "that is off by more than a factor of 2",
                              name, got, truth);
    }
}

/*
 * The limits follow from measurements: before the case makes its own, a rank's
 * kernels move bytes between GPUs in several amounts, one for each size and
 * algorithm.
 */
static void judge_tried(const struct judge_task *t, struct judge_verdict *v)
{
    enum { LEAST = 4, MOST = 64 };
    double amount[MOST];
    struct spans_window w;
    for (int r = 0; r < t->nranks && v->pass; r++) {
        int n = 0;
        if (spans_window(t, r, 0, &w) != 0)
            continue;
        for (uint32_t at = w.first; at <= w.last && n < MOST; at++) {
            const struct graph_view *const k = &t->graph->nodes[at];
            double moved = 0;
            int known = 0;
            if (strncmp(k->span, "algo", 4) == 0)
                break;
            for (size_t i = 0; i < k->nmoves; i++)
                moved += judge5_leaves(&k->moves[i])
                             ? (double)k->moves[i].nbytes
                             : 0;
            for (int i = 0; i < n; i++)
                known |= amount[i] == moved;
            if (moved > 0 && !known)
                amount[n++] = moved;
        }
        if (n < LEAST)
            judge_fail_method(
                v,
                "the limits are right, but rank %d measures %d sizes "
                "before it names them: on another machine they are "
                "others. Call symm_reduce_time()",
                r, n);
    }
}

/* Ranks with different times choose different algorithms where two of them are
 * almost equal, and hang. */
static void judge_times(const struct judge_task *t, struct judge_verdict *v)
{
    char name[EVIDENCE_NAME];
    const int nalgos =
        judge5_metric(t, 0, 0, "has_nccl") == 1 ? ALGOS : ALGOS - 1;
    for (int k = 0; k < nalgos; k++) {
        snprintf(name, sizeof name, "time%d", k);
        const double first = judge5_metric(t, 0, 0, name);
        for (int r = 0; r < t->nranks && v->pass; r++) {
            const double us = judge5_metric(t, r, 0, name);
            if (!(us > 0 && us == first))
                judge_fail(v,
                           "symm_reduce_time() returns %g us on rank %d and "
                           "%g us on rank 0: ranks that compare their own "
                           "times may choose different algorithms",
                           us, r, first);
        }
    }
}

void judge5_tune(const struct judge_task *t, struct judge_verdict *v)
{
    double us[SIZES][ALGOS];
    char name[EVIDENCE_NAME];
    const size_t most = (size_t)plan_int(t->c, "most", 1 << 20);
    int nsizes = 0;
    for (size_t nbytes = 1024; nbytes <= most && nsizes < SIZES; nbytes *= 2) {
        for (int k = 0; k < ALGOS; k++) {
            snprintf(name, sizeof name, "algo%d.%zu", k, nbytes);
            us[nsizes][k] = judge5_range_us(t, name, CALLS);
        }
        nsizes++;
    }
    judge_limit(t, "one_shot_most", true_limit(us, nsizes, 1), (double)most, v);
    judge_limit(t, "two_shot_most", true_limit(us, nsizes, 2), (double)most, v);
    if (v->pass)
        judge_tried(t, v);
    if (v->pass)
        judge_times(t, v);
}
