#include <stdlib.h> /* calloc */
#include <string.h> /* strstr */

#include "graph/explain/explain_case.h"

/* True for a call that allocates or frees memory. */
static int is_life(const struct graph_view *v)
{
    for (size_t i = 0; i < v->naccesses; i++) {
        const uint32_t how = v->accesses[i].write & GRAPH_TOUCH;
        if (how == GRAPH_ALLOC || how == GRAPH_FREE)
            return 1;
    }
    return 0;
}

/* True if the rank's next node of the same thread and call frees memory. */
static int is_wait_of_free(const struct graph *g, uint32_t at)
{
    const struct graph_view *const v = &g->nodes[at];
    for (uint32_t k = at + 1; k < g->first[v->node.rank + 1]; k++)
        if (g->nodes[k].node.thread == v->node.thread)
            return g->nodes[k].node.site == v->node.site &&
                   is_life(&g->nodes[k]);
    return 0;
}

/* The size of an array by site number of a rank's nodes. */
static size_t nsites(const struct graph *g, uint32_t rank)
{
    uint32_t most = 0;
    for (uint32_t at = g->first[rank]; at < g->first[rank + 1]; at++)
        if (g->nodes[at].node.site > most)
            most = g->nodes[at].node.site;
    return (size_t)most + 1;
}

/* Mark the call sites of a rank's allocations. Returns an array by site number,
 * or NULL if memory runs out. */
static char *find_allocations(const struct graph *g, uint32_t rank)
{
    const size_t n = nsites(g, rank);
    char *const is_site = calloc(n, 1);
    for (size_t i = 0; i < g->nallocs && is_site; i++)
        if (g->allocs[i].alloc >> 32 == rank && g->allocs[i].site_id &&
            g->allocs[i].site_id < n)
            is_site[g->allocs[i].site_id] = 1;
    return is_site;
}

int explain_find_life(struct study *s)
{
    const struct graph *const g = s->g;
    for (uint32_t r = 0; r < g->nranks; r++) {
        char *const is_site = find_allocations(g, r);
        if (!is_site)
            return -1;
        for (uint32_t at = g->first[r]; at < g->first[r + 1]; at++) {
            const struct graph_node *const n = &g->nodes[at].node;
            if (n->kind == GRAPH_HOST)
                s->life[at] = is_life(&g->nodes[at]) || is_site[n->site] ||
                              is_wait_of_free(g, at);
            else
                s->life[at] = n->kind == GRAPH_MARK && is_life(&g->nodes[at]);
        }
        free(is_site);
    }
    return 0;
}

/* True for a host-only node that waits for a device. */
static int is_wait(const struct study *s, uint32_t at)
{
    const struct graph_node *const n = &s->g->nodes[at].node;
    return n->kind == GRAPH_HOST && n->queue == 0 && n->ndeps > 0 &&
           !s->life[at];
}

/* True for a call that is neither a wait nor an operation. */
static int is_call(const struct study *s, uint32_t at)
{
    const struct graph_node *const n = &s->g->nodes[at].node;
    return n->kind == GRAPH_HOST && n->queue == 0 && n->ndeps == 0 &&
           !s->life[at];
}

/* True for a sleep. It stands for work of the host: computing costs no modelled
 * time, so a program that models its input sleeps for as long as that takes. */
static int is_host_work(const struct study *s, uint32_t at)
{
    return is_call(s, at) && strstr(s->g->nodes[at].name, "sleep") != NULL;
}

/* ---- calls of the host --------------------------------------------------- */

/* Kernels cost only their work, as if they were parts of larger ones. */
int explain_launches(struct study *s, struct explain_finding *f)
{
    int any = 0;
    (void)f;
    for (uint32_t at = 0; at < s->g->nnodes; at++)
        if (s->in[at] && s->g->nodes[at].node.kind == GRAPH_KERNEL &&
            s->g->nodes[at].part == 0) {
            study_free_host(s, at);
            s->w.cost[at].latency = 0;
            any = 1;
        }
    return any;
}

int explain_events(struct study *s, struct explain_finding *f)
{
    int any = 0;
    (void)f;
    for (uint32_t at = 0; at < s->g->nnodes; at++)
        if (s->in[at] && s->g->nodes[at].node.kind == GRAPH_MARK &&
            !s->life[at]) {
            study_free_host(s, at);
            any = 1;
        }
    return any;
}

/* A call costs nothing, and waits for nothing. */
static void free_call(struct study *s, uint32_t at)
{
    struct graph_node *const n = &s->w.graph.nodes[at].node;
    study_free_host(s, at);
    s->hit[at] += s->time[at].end_ps - s->time[at].issue_ps;
    if (n->queue == 0) {
        n->latency_ps = 0;
        n->ndeps = 0;
    }
}

int explain_allocation(struct study *s, struct explain_finding *f)
{
    int any = 0;
    (void)f;
    for (uint32_t at = 0; at < s->g->nnodes; at++)
        if (s->in[at] && s->life[at]) {
            free_call(s, at);
            if (s->hit[at] == 1) // a part of a call that costs nothing
                s->hit[at] = 0;
            any = 1;
        }
    return any;
}

int explain_calls(struct study *s, struct explain_finding *f)
{
    int any = 0;
    (void)f;
    for (uint32_t at = 0; at < s->g->nnodes; at++)
        if (s->in[at] && is_call(s, at) && !is_host_work(s, at)) {
            free_call(s, at);
            any = 1;
        }
    return any;
}

/* ---- waiting on the host ------------------------------------------------- */

/* True if an MPI call follows this wait, which means that the host
 * needs the result. */
static int feeds_mpi(const struct study *s, uint32_t at)
{
    const struct graph_node *const n = &s->g->nodes[at].node;
    for (uint32_t k = at + 1; k < s->g->first[n->rank + 1]; k++) {
        const struct graph_node *const next = &s->g->nodes[k].node;
        if (next->thread == n->thread && !is_wait(s, k))
            return next->kind == GRAPH_MPI && next->bytes > 0;
    }
    return 0;
}

/* No call of the host waits for the device. */
int explain_sync(struct study *s, struct explain_finding *f)
{
    int any = 0;
    (void)f;
    for (uint32_t at = 0; at < s->g->nnodes; at++) {
        struct graph_node *const n = &s->w.graph.nodes[at].node;
        const int waits = is_wait(s, at) || n->flags & GRAPH_JOIN;
        if (!s->in[at] || !waits || feeds_mpi(s, at))
            continue;
        const uint64_t called_ps = s->time[at].issue_ps - n->host_ps;
        s->hit[at] = s->time[at].end_ps - called_ps + 1;
        n->flags &= ~(uint32_t)GRAPH_JOIN;
        if (is_wait(s, at)) {
            n->ndeps = 0;
            n->host_ps = n->latency_ps = 0;
        }
        any = 1;
    }
    return any;
}

int explain_mpi(struct study *s, struct explain_finding *f)
{
    int any = 0;
    (void)f;
    for (uint32_t at = 0; at < s->g->nnodes; at++) {
        struct graph_node *const n = &s->w.graph.nodes[at].node;
        if (!s->in[at] || n->kind != GRAPH_MPI || n->bytes < 1 << 16)
            continue;
        s->hit[at] = s->time[at].end_ps - s->time[at].ready_ps + 1;
        n->bytes = 0;
        any = 1;
    }
    return any;
}

/* ---- work on the host ---------------------------------------------------- */

/* The host's work takes place while devices work. The run remains as long as
 * that work takes on its own. */
int explain_input(struct study *s, struct explain_finding *f)
{
    uint64_t most_ps = 0;
    (void)f;
    for (uint32_t r = 0; r < s->g->nranks; r++) {
        uint64_t sum_ps = 0;
        for (uint32_t at = s->g->first[r]; at < s->g->first[r + 1]; at++)
            if (s->in[at] && is_host_work(s, at)) {
                sum_ps += s->g->nodes[at].node.latency_ps;
                free_call(s, at);
            }
        most_ps = sum_ps > most_ps ? sum_ps : most_ps;
    }
    s->most_ps = s->length_ps > most_ps ? s->length_ps - most_ps : 0;
    return most_ps > 0;
}

/* ---- small batches ------------------------------------------------------- */

enum { LARGER = 8 }; /* times as large is the batch that is tried */

static int is_work(const struct graph_node *n)
{
    return n->queue && n->kind != GRAPH_MARK;
}

/*
 * How often each call site of a rank occurs; for kernels, how often it comes
 * back after other work, as it does in a loop over steps. A kernel that is
 * launched again and again with nothing between could become one kernel, so it
 * counts once. Returns an array by site number, or NULL if memory runs out.
 */
static uint32_t *count_turns(const struct study *s, uint32_t rank)
{
    const struct graph *const g = s->g;
    const char *last = "";
    uint32_t *const turns = calloc(nsites(g, rank), sizeof *turns);
    for (uint32_t at = g->first[rank]; at < g->first[rank + 1] && turns; at++) {
        const struct graph_view *const v = &g->nodes[at];
        if (!s->in[at] || v->part > 0)
            continue;
        if (v->node.kind != GRAPH_KERNEL || strcmp(v->site, last) != 0)
            turns[v->node.site]++;
        if (is_work(&v->node))
            last = v->site;
    }
    return turns;
}

static int is_in_loop(const struct study *s, const uint32_t *turns, uint32_t at)
{
    const uint32_t site = s->g->nodes[at].node.site;
    return s->in[at] && site && turns[site] >= LARGER;
}

/* True if the kernels of a rank's steps cost more to start than to run. Marks
 * them. */
static int has_small_steps(struct study *s, const uint32_t *turns,
                           uint32_t rank)
{
    uint64_t start_ps = 0, work_ps = 0;
    for (uint32_t at = s->g->first[rank]; at < s->g->first[rank + 1]; at++) {
        const struct graph_node *const n = &s->g->nodes[at].node;
        if (n->kind != GRAPH_KERNEL || !is_in_loop(s, turns, at))
            continue;
        const uint64_t took_ps = study_took(s, at);
        start_ps += n->host_ps + n->latency_ps;
        work_ps += took_ps > n->latency_ps ? took_ps - n->latency_ps : 0;
        s->hit[at] = n->host_ps + n->latency_ps + 1;
    }
    return work_ps < start_ps;
}

/* One step in place of LARGER of them: all of their work, one of their starts.
 * How much of the communication remains is not known, so all of its bytes do.
 */
static void enlarge_steps(struct study *s, const uint32_t *turns, uint32_t rank)
{
    for (uint32_t at = s->g->first[rank]; at < s->g->first[rank + 1]; at++) {
        struct graph_node *const n = &s->w.graph.nodes[at].node;
        if (!is_in_loop(s, turns, at))
            continue;
        n->host_ps /= LARGER;
        if (n->queue == 0 && !is_host_work(s, at))
            n->latency_ps /= LARGER;
        if (n->queue)
            s->w.cost[at].latency = 1.0 / LARGER;
    }
}

int explain_batch(struct study *s, struct explain_finding *f)
{
    int any = 0;
    (void)f;
    for (uint32_t r = 0; r < s->g->nranks; r++) {
        uint32_t *const turns = count_turns(s, r);
        if (!turns)
            return -1;
        if (has_small_steps(s, turns, r)) {
            enlarge_steps(s, turns, r);
            any = 1;
        }
        free(turns);
    }
    return any;
}
