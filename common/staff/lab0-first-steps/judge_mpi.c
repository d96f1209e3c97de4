/* judge_mpi.c: messages and collectives of MPI */
#include <stdlib.h> /* malloc */
#include <string.h> /* strncmp */

#include "judge/data.h"
#include "judge/graph/spans.h"
#include "judge0.h"
#include "terms.h"

struct mpi_use { /* a rank's calls in an iteration */
    int sent, received, collectives;
};

static struct mpi_use mpi_use_of(const struct judge_task *t, int rank)
{
    struct mpi_use u = {0};
    struct spans_window w;
    if (spans_window(t, rank, 0, &w) != 0)
        return u;
    for (uint32_t at = w.first; at <= w.last; at++) {
        const struct graph_node *const n = &t->graph->nodes[at].node;
        if (n->kind != GRAPH_MPI ||
            strncmp(t->graph->nodes[at].name, "MPI_Comm_", 9) == 0)
            continue; // a program may make communicators of its own
        if (n->match_kind != GRAPH_MATCH_PAIR &&
            n->match_kind != GRAPH_MATCH_MESSAGE)
            u.collectives++;
        else if (n->match_rank == n->match_root)
            u.sent++;
        else
            u.received++;
    }
    return u;
}

/* Fail if a rank calls MPI more often than it needs to. */
static void judge_mpi(const struct judge_task *t, int rank,
                      struct mpi_use enough, struct judge_verdict *v)
{
    const struct mpi_use u = mpi_use_of(t, rank);
    const struct {
        const char *what;
        int used, enough;
    } rows[] = {{"sends messages", u.sent, enough.sent},
                {"receives messages", u.received, enough.received},
                {"calls collectives", u.collectives, enough.collectives}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].used > rows[i].enough)
            judge_fail_method(
                v,
                "rank %d %s of MPI: %d, where the contract in lab0.h "
                "asks for %d",
                rank, rows[i].what, rows[i].used, rows[i].enough);
}

/* Fail unless a rank's one collective is a call with this root: it moves no
 * more than the root's ints. */
static void judge_root(const struct judge_task *t, int rank, int root,
                       struct judge_verdict *v)
{
    struct spans_window w;
    if (spans_window(t, rank, 0, &w) != 0)
        return;
    for (uint32_t at = w.first; at <= w.last; at++) {
        const struct graph_view *const m = &t->graph->nodes[at];
        uint32_t size;
        const uint32_t *const member = graph_matched(t->graph, at, &size);
        if (m->node.kind != GRAPH_MPI || m->node.bytes == 0)
            continue;
        const uint32_t by = m->node.match_kind == GRAPH_MATCH_FROM_ROOT &&
                                    m->node.match_root < size
                                ? member[m->node.match_root]
                                : GRAPH_NOWHERE;
        if (by == GRAPH_NOWHERE || (int)t->graph->nodes[by].node.rank != root)
            judge_fail_method(
                v,
                "the result is right, but rank %d calls %s, with which "
                "every rank sends: only rank %d has anything to say",
                rank, m->name, root);
    }
}

/* Fail unless a rank's messages go to one neighbour and come from the other. */
static void judge_neighbours(const struct judge_task *t, int rank,
                             struct judge_verdict *v)
{
    struct spans_window w;
    const int n = t->nranks, right = (rank + 1) % n, left = (rank + n - 1) % n;
    if (spans_window(t, rank, 0, &w) != 0)
        return;
    for (uint32_t at = w.first; at <= w.last && v->pass; at++) {
        uint32_t size;
        const struct graph_node *const m = &t->graph->nodes[at].node;
        const uint32_t *const pair = graph_matched(t->graph, at, &size);
        if (m->kind != GRAPH_MPI || size != 2 ||
            m->match_kind < GRAPH_MATCH_PAIR)
            continue;
        const int sends = m->match_rank == m->match_root;
        const uint32_t other = pair[sends ? 1 : 0];
        if (other == GRAPH_NOWHERE)
            continue;
        const int peer = (int)t->graph->nodes[other].node.rank;
        if (peer != (sends ? right : left))
            judge_fail_method(
                v,
                "the result is right, but rank %d %s rank %d: in a ring "
                "it sends to rank %d and receives from rank %d alone",
                rank, sends ? "sends to" : "receives from", peer, right, left);
    }
}

/* True if a rank's first message is sent by a call that may wait for its
 * receiver, and the same thread receives only afterwards. */
static int sends_first(const struct judge_task *t, int rank)
{
    const struct graph_view *sent = NULL;
    struct spans_window w;
    if (spans_window(t, rank, 0, &w) != 0)
        return 0;
    for (uint32_t at = w.first; at <= w.last; at++) {
        const struct graph_view *const m = &t->graph->nodes[at];
        if (m->node.kind != GRAPH_MPI ||
            m->node.match_kind < GRAPH_MATCH_PAIR || m->node.match_size != 2)
            continue;
        if (sent && strcmp(m->name, "MPI_Send") != 0)
            return strcmp(m->name, "MPI_Recv") == 0 &&
                   m->node.thread == sent->node.thread;
        if (!sent && strcmp(m->name, "MPI_Send") != 0)
            return 0;
        sent = m;
    }
    return 0;
}

/* Fail if the ring works only because MPI has copied its messages away. */
static void judge_order(const struct judge_task *t, struct judge_verdict *v)
{
    for (int r = 0; r < t->nranks; r++)
        if (!sends_first(t, r))
            return;
    judge_fail_method(
        v, "the result is right, but every rank calls MPI_Send before "
           "MPI_Recv: messages that MPI does not copy away would hang");
}

/* The ints that nranks ranks, from rank r on, have in an iteration, n of each,
 * followed by guards. If nranks is 0: n ints that stay unwritten. The caller
 * frees them. */
static int *expected(const struct judge_task *t, int iteration, int r,
                     int nranks, size_t n)
{
    const size_t each = nranks ? n / (size_t)nranks : 0;
    int *const want = malloc((n + TERMS_GUARDS) * sizeof *want);
    for (size_t i = 0; i < n + TERMS_GUARDS; i++)
        want[i] = TERMS_GUARD;
    for (int k = 0; k < nranks; k++)
        data_fill(want + (size_t)k * each, each, DATA_INT32,
                  judge_input_seed(t, r + k, iteration));
    return want;
}

/* Compare n ints in ordinary memory, and their guards. Frees want. */
static void compare(const struct judge_task *t, int iteration, int rank,
                    const char *name, int *want, size_t n,
                    struct judge_verdict *v)
{
    const size_t whole = n + TERMS_GUARDS;
    const int *const got = (const int *)judge_output(t, rank, iteration, name,
                                                     whole * sizeof *want, v);
    if (got && data_differ(got + n, want + n, TERMS_GUARDS, DATA_INT32))
        judge_fail(v, "rank %d writes past the end of \"%s\", of %zu elements",
                   rank, name, n);
    else if (got)
        data_compare(got, want, n, DATA_INT32, rank, v);
    free(want);
}

void judge0_message(const struct judge_task *t, struct judge_verdict *v)
{
    const int from = judge0_rank(t, "from", 0);
    const int to = judge0_rank(t, "to", 1);
    const size_t n = judge0_count(t);
    if (from == to) {
        judge_fail(v, "a message needs two ranks: mpirun -n 2");
        v->skipped = 1;
        return;
    }
    for (int r = 0; r < t->nranks; r++) {
        const struct mpi_use enough = {.sent = r == from, .received = r == to};
        for (int i = 0; i < t->iterations; i++)
            compare(t, i, r, "in", expected(t, i, from, r == to, n), n, v);
        judge_mpi(t, r, enough, v);
    }
}

void judge0_share(const struct judge_task *t, struct judge_verdict *v)
{
    const int root = judge0_rank(t, "root", 0);
    const size_t n = judge0_count(t);
    for (int r = 0; r < t->nranks; r++) {
        for (int i = 0; i < t->iterations; i++)
            compare(t, i, r, "values", expected(t, i, root, 1, n), n, v);
        judge_mpi(t, r, (struct mpi_use){.collectives = 1}, v);
        if (v->pass)
            judge_root(t, r, root, v);
    }
}

void judge0_ring(const struct judge_task *t, struct judge_verdict *v)
{
    const int own = terms_ring_count((int)judge0_count(t), t->nranks);
    const size_t n = (size_t)own * (size_t)t->nranks;
    const int steps = t->nranks - 1;
    for (int r = 0; r < t->nranks; r++) {
        for (int i = 0; i < t->iterations; i++)
            compare(t, i, r, "all", expected(t, i, 0, t->nranks, n), n, v);
        judge_mpi(t, r, (struct mpi_use){.sent = steps, .received = steps}, v);
        judge_neighbours(t, r, v);
    }
    if (v->pass)
        judge_order(t, v);
}
