#include "judge/graph/calls.h"

#include <math.h>   /* fabs */
#include <stdlib.h> /* qsort */
#include <string.h> /* strncmp */

#include "judge/graph/spans.h"

/* ---- waits of the host --------------------------------------------------- */

static int is_work(const struct graph_node *n)
{
    return n->queue != 0 && n->kind != GRAPH_MARK && n->kind != GRAPH_HOST;
}

static int is_wait(const struct graph_node *n)
{
    return (n->kind == GRAPH_HOST && n->ndeps > 0) || n->flags & GRAPH_JOIN;
}

int calls_waits(const struct judge_task *t, int rank, int iteration,
                const char **site)
{
    struct spans_window w;
    int waits = 0, since = 0, begun = 0;
    const char *first = "";
    *site = "";
    if (spans_window(t, rank, iteration, &w) != 0)
        return 0;
    for (uint32_t at = w.first; at <= w.last; at++) {
        const struct graph_view *const v = &t->graph->nodes[at];
        if (v->part != 0)
            continue;
        if (begun && is_work(&v->node)) {
            *site = waits || !since ? *site : first;
            waits += since;
            since = 0;
        }
        begun |= is_work(&v->node);
        if (begun && is_wait(&v->node))
            first = since++ ? first : v->site;
    }
    return waits;
}

void judge_no_waits(const struct judge_task *t, const char *instead,
                    struct judge_verdict *v)
{
    for (int r = 0; r < t->nranks && v->pass; r++) {
        const char *site;
        const int waits = calls_waits(t, r, 0, &site);
        if (waits)
            judge_fail_method(
                v,
                "the result is right, but rank %d's host waits %d times "
                "for the device before it enqueues more%s%s: %s",
                r, waits, *site ? ", first at " : "", site, instead);
    }
}

void judge_enqueues_ahead(const struct judge_task *t, const char *instead,
                          struct judge_verdict *v)
{
    for (int n = 0; n < t->iterations * t->nranks; n++) {
        const char *site;
        const int i = n / t->nranks, r = n % t->nranks;
        if (spans_host_waits(t, r, i, &site) > 0)
            judge_fail_method(
                v,
                "the result is right, but rank %d's host waits for its "
                "device (%s); %s",
                r, site, instead);
    }
}

/* ---- events -------------------------------------------------------------- */

int calls_events(const struct judge_task *t, int rank, int iteration,
                 calls_link *links, const void *arg)
{
    struct spans_window w;
    int n = 0;
    if (spans_window(t, rank, iteration, &w) != 0)
        return 0;
    for (uint32_t at = w.first; at <= w.last; at++) {
        const struct graph_view *const v = &t->graph->nodes[at];
        for (uint16_t i = 0; v->part == 0 && i < v->node.ndeps; i++) {
            const struct graph_view *const on =
                graph_node_at(t->graph, v->deps[i]);
            if (on && v->node.queue && on->node.queue &&
                v->deps[i].rank == (uint32_t)rank &&
                v->node.queue != on->node.queue &&
                links(&v->node, &on->node, arg)) {
                n++;
                break;
            }
        }
    }
    return n;
}

/* ---- MPI ----------------------------------------------------------------- */

/* An int, by which ranks agree on whether something has failed. A vector that
 * travels int by int takes more of them. */
enum { AGREED_NBYTES = 4, AGREED_MOST = 2 };

static int moves_by_mpi(const struct graph_view *n)
{
    return n->node.kind == GRAPH_MPI && n->node.bytes > 0 &&
           strncmp(n->name, "MPI_Comm_", 9) != 0;
}

/* Fail at the first call of more bytes than most, and at an int too many. */
static void limit_mpi(const struct judge_task *t, uint64_t most,
                      const char *instead, struct judge_verdict *v)
{
    struct spans_window w;
    for (int r = 0; r < t->nranks && v->pass; r++) {
        int nagreed = 0;
        if (spans_window(t, r, 0, &w) != 0)
            continue;
        for (uint32_t at = w.first; at <= w.last && v->pass; at++) {
            const struct graph_view *const n = &t->graph->nodes[at];
            if (!moves_by_mpi(n))
                continue;
            nagreed += n->node.bytes <= AGREED_NBYTES;
            if (n->node.bytes > most || nagreed > AGREED_MOST)
                judge_fail_method(
                    v,
                    "the result is right, but rank %d moves data by "
                    "%s%s%s: %s",
                    r, n->name, *n->site ? ", at " : "", n->site, instead);
        }
    }
}

void judge_no_mpi(const struct judge_task *t, const char *instead,
                  struct judge_verdict *v)
{
    limit_mpi(t, AGREED_NBYTES, instead, v);
}

void judge_no_mpi_at_all(const struct judge_task *t, const char *instead,
                         struct judge_verdict *v)
{
    limit_mpi(t, 0, instead, v);
}

/* ---- precision ----------------------------------------------------------- */

void judge_full_precision(const struct judge_task *t, struct judge_verdict *v)
{
    struct spans_window w;
    for (int n = 0; n < t->iterations * t->nranks && v->pass; n++) {
        const int i = n / t->nranks, r = n % t->nranks;
        if (spans_window(t, r, i, &w) != 0)
            continue;
        for (uint32_t at = w.first; at <= w.last && v->pass; at++) {
            const struct graph_view *const k = &t->graph->nodes[at];
            if (k->node.flops > 0 && k->node.math != TOPO_FP32 &&
                k->node.math != TOPO_FP64)
                judge_fail_method(v,
                                  "%s on rank %d%s%s multiplies in less than "
                                  "fp32, which takes less time: leave the math "
                                  "mode as it is",
                                  k->name, r, *k->site ? ", at " : "", k->site);
        }
    }
}

/* ---- collectives --------------------------------------------------------- */

static const char *const op_name[TOPO_OPS] = {
    [TOPO_OP_NONE] = "a collective",
    [TOPO_OP_ALLREDUCE] = "an all-reduce",
    [TOPO_OP_BROADCAST] = "a broadcast",
    [TOPO_OP_REDUCE] = "a reduce",
    [TOPO_OP_ALLGATHER] = "an all-gather",
    [TOPO_OP_REDUCESCATTER] = "a reduce-scatter",
    [TOPO_OP_ALLTOALL] = "an all-to-all",
    [TOPO_OP_GATHER] = "a gather",
    [TOPO_OP_SCATTER] = "a scatter",
    [TOPO_OP_BARRIER] = "a barrier",
    [TOPO_OP_SENDRECV] = "a message",
};

static int by_size(const void *a, const void *b)
{
    const struct calls_coll *const x = a, *const y = b;
    if (x->op != y->op)
        return x->op < y->op ? -1 : 1;
    return (x->nbytes > y->nbytes) - (x->nbytes < y->nbytes);
}

/* A rank's collectives in the first iteration, sorted; *n: how many. NULL
 * without a graph. The caller frees them. */
static struct calls_coll *collectives_of(const struct judge_task *t, int rank,
                                         size_t *n)
{
    struct spans_window w;
    *n = 0;
    if (spans_window(t, rank, 0, &w) != 0)
        return NULL;
    struct calls_coll *const all = malloc((w.last - w.first + 1) * sizeof *all);
    for (uint32_t at = w.first; all && at <= w.last; at++) {
        const struct graph_view *const v = &t->graph->nodes[at];
        if (v->node.kind == GRAPH_COLL && v->part == 0)
            all[(*n)++] =
                (struct calls_coll){(enum topo_op)v->node.op, v->node.bytes};
    }
    if (all)
        qsort(all, *n, sizeof *all, by_size);
    return all;
}

void judge_collectives(const struct judge_task *t, struct calls_coll *want,
                       size_t n, struct judge_verdict *v)
{
    qsort(want, n, sizeof *want, by_size);
    for (int r = 0; r < t->nranks && v->pass; r++) {
        size_t have, at = 0;
        struct calls_coll *const got = collectives_of(t, r, &have);
        if (!got)
            continue;
        while (at < n && at < have && by_size(&got[at], &want[at]) == 0)
            at++;
        if (at < n && (at == have || by_size(&got[at], &want[at]) > 0))
            judge_fail_method(
                v,
                "the result is right, but of %zu collectives that rank "
                "%d should call, one is missing: %s of %llu bytes. It "
                "calls %zu",
                n, r, op_name[want[at].op], (unsigned long long)want[at].nbytes,
                have);
        else if (at < have)
            judge_fail_method(
                v,
                "the result is right, but rank %d calls a collective "
                "that it should not: %s of %llu bytes",
                r, op_name[got[at].op], (unsigned long long)got[at].nbytes);
        free(got);
    }
}

void judge_has_collective(const struct judge_task *t, struct calls_coll want,
                          struct judge_verdict *v)
{
    for (int r = 0; r < t->nranks && v->pass; r++) {
        size_t have, at = 0;
        struct calls_coll *const got = collectives_of(t, r, &have);
        if (!got)
            continue;
        while (at < have && by_size(&got[at], &want) != 0)
            at++;
        if (at == have)
            judge_fail_method(
                v,
                "the result is right, but rank %d does not call %s of "
                "%llu bytes, of which it is to be the result",
                r, op_name[want.op], (unsigned long long)want.nbytes);
        free(got);
    }
}

/* ---- bytes --------------------------------------------------------------- */

double judge_collective_bytes(const struct judge_task *t, int rank,
                              int iteration)
{
    struct spans_window w;
    double nbytes = 0;
    if (spans_window(t, rank, iteration, &w) != 0)
        return 0;
    for (uint32_t at = w.first; at <= w.last; at++) {
        const struct graph_view *const v = &t->graph->nodes[at];
        if (v->node.kind == GRAPH_COLL && v->part == 0)
            nbytes += (double)v->node.bytes;
    }
    return nbytes;
}

/* ---- measured times ------------------------------------------------------ */

int calls_measured(const struct judge_task *t, int iteration, double us,
                   calls_fit *fits, const void *arg)
{
    const struct replay_time *const time =
        t->spans ? spans_times(t->spans) : NULL;
    const double error = 1e-3 + 1e-6 * us;
    struct spans_window w;
    for (int r = 0; time && r < t->nranks; r++) {
        if (spans_window(t, r, iteration, &w) != 0)
            continue;
        for (uint32_t a = w.first; a <= w.last; a++)
            for (uint32_t b = a + 1; b <= w.last; b++)
                if (t->graph->nodes[a].node.kind == GRAPH_MARK &&
                    t->graph->nodes[b].node.kind == GRAPH_MARK &&
                    fabs(((double)time[b].end_ps - (double)time[a].end_ps) *
                             1e-6 -
                         us) <= error &&
                    fits(t, a, b, arg))
                    return 1;
    }
    return !time;
}
