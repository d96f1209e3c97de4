#include "graph/replay/replay.h"

#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* calloc */

#include "graph/replay/overlap.h"
#include "graph/replay/replay_run.h"

struct replay {
    const struct graph *graph;
    struct replay_time *time; /* by position */
    uint64_t base_ps, end_ps;
};

/* ---- host threads -------------------------------------------------------- */

static int begin_host(struct replay_run *r, uint32_t at, uint64_t now_ps)
{
    const uint64_t host_ps = r->fast_host ? 0 : run_node(r, at)->host_ps;
    return run_schedule(r, at, PHASE_HOST,
                        r->g->nharms
                            ? harms_host_ps(&r->harms, at, now_ps, host_ps)
                            : run_after(now_ps, host_ps));
}

/* The host part of a node has ended, so its thread continues. */
static int leave_host(struct replay_run *r, uint32_t at, uint64_t now_ps)
{
    const struct order_node *const node = r->order.node;
    for (uint32_t c = node[at].child; c != GRAPH_NOWHERE; c = node[c].sibling)
        if (begin_host(r, c, now_ps) != 0)
            return -1;
    return 0;
}

/* ---- device operations --------------------------------------------------- */

/* The share of a device's compute that NCCL takes: that of the operation with
 * the largest, of those that run. */
static double taken(const struct replay_run *r, int gpu)
{
    const int *const n = r->nbusy + (size_t)gpu * RUN_CTAS;
    double most = 0;
    for (int ctas = 0; ctas < RUN_CTAS; ctas++) {
        const double share =
            n[ctas] ? topo_ctas_compute(r->topo, gpu, ctas) : 0;
        most = share > most ? share : most;
    }
    return most;
}

/* Give a collective, send or receive its share of its devices' compute,
 * or take it back. */
static void occupy(struct replay_run *r, uint32_t at, int change)
{
    const int gpu = run_node(r, at)->place;
    if (gpu < 0 || gpu >= topo_ngpus(r->topo))
        return;
    const double before = taken(r, gpu);
    r->nbusy[gpu * RUN_CTAS + graph_ctas(run_node(r, at))] += change;
    const double share = taken(r, gpu);
    if (!(share < before || share > before))
        return;
    for (int math = 0; math < TOPO_MATHS; math++) {
        const int compute = topo_compute(r->topo, gpu, math);
        if (compute >= 0)
            flows_scale(r->flows, compute, 1 - share);
    }
}

/* True if the operation has a fixed cost in this replay. */
static int is_fixed(const struct replay_run *r, uint32_t at)
{
    return r->fixed >> run_node(r, at)->kind & 1 &&
           overlap_is_comm(&r->g->nodes[at]);
}

static int takes_share(const struct replay_run *r, uint32_t at)
{
    const int kind = run_node(r, at)->kind;
    return (kind == GRAPH_COLL || kind == GRAPH_SEND || kind == GRAPH_RECV) &&
           !is_fixed(r, at);
}

static int is_on_network(const struct replay_run *r, uint32_t at)
{
    return (run_node(r, at)->flags & GRAPH_NETWORK) != 0;
}

/*
 * A queue of the network has several messages under way: only their bytes
 * follow one another. The latency of each counts from the time at which the
 * kernel began it, while earlier messages may still be travelling.
 */
static uint64_t end_of_latency(const struct replay_run *r, uint32_t at,
                               uint64_t now_ps, uint64_t latency_ps)
{
    if (!is_on_network(r, at))
        return run_after(now_ps, latency_ps);
    const uint64_t end_ps = run_after(r->state[at].begun_ps, latency_ps);
    return end_ps > now_ps ? end_ps : now_ps;
}

/*
 * Everything before a device operation has ended: start it. Node `at` stands
 * for all members of its match.
 */
static int start_device(struct replay_run *r, uint32_t at, uint64_t now_ps)
{
    char why[200];
    uint32_t n;
    const uint32_t *const member = graph_matched(r->g, at, &n);
    struct cost cost = {.latency_ps = r->fixed_ps};
    if (!is_fixed(r, at) &&
        cost_of(r->costs, r->costs_of, at, &cost, why, sizeof why) != 0) {
        const struct graph_view *const v = &r->g->nodes[at];
        snprintf(r->err, r->err_nbytes, "rank %u: operation %u (%s %s): %s",
                 v->node.rank, v->node.index, v->name, v->site, why);
        return -1;
    }
    harms_cost(&r->harms, at, now_ps, &cost);
    if (r->change)
        r->change(r->change_arg, at, &cost);
    if (flows_prepare(r->flows, at, &cost) != 0)
        return run_no_memory(r);
    const int joint = graph_time_match(run_node(r, at)) == GRAPH_MATCH_ALL;
    for (uint32_t i = 0; i < (joint ? n : 1); i++) {
        const uint32_t m = joint ? member[i] : at;
        r->time[m].start_ps = now_ps;
        if (takes_share(r, m))
            occupy(r, m, +1);
    }
    return run_schedule(r, at, PHASE_LATENCY,
                        end_of_latency(r, at, now_ps, cost.latency_ps));
}

static int end_all(struct replay_run *r, uint32_t at, int bound,
                   uint64_t now_ps);

static int start_work(struct replay_run *r, uint32_t at, uint64_t now_ps)
{
    r->state[at].phase = PHASE_WORK;
    const int status = flows_start(r->flows, at, now_ps);
    if (status < 0)
        return run_no_memory(r);
    return status ? end_all(r, at, -1, now_ps) : 0;
}

/* A device operation whose sender doesn't wait for its receiver is ready. */
static int ready_message(struct replay_run *r, uint32_t at,
                         const uint32_t *member, uint32_t n, uint64_t now_ps)
{
    const struct graph_node *const root = run_node(r, at);
    if (root->match_rank == root->match_root)
        return start_device(r, at, now_ps);
    r->time[at].start_ps = now_ps;
    for (uint32_t i = 0; i < n; i++)
        if (member[i] != at && r->state[member[i]].phase == PHASE_ENDED)
            return run_schedule(r, at, PHASE_END, now_ps);
    return 0; // it ends with the sender
}

/* ---- ready and ended ----------------------------------------------------- */

/* Everything before the node has ended. Other members of its match may
 * not be ready yet. */
static int make_ready(struct replay_run *r, uint32_t at, uint64_t now_ps)
{
    uint32_t n;
    const uint32_t *const member = graph_matched(r->g, at, &n);
    const struct graph_node *const node = run_node(r, at);
    r->time[at].ready_ps = now_ps;
    r->state[at].ready = 1;
    if (n && r->unfinished && !order_is_whole(r->g, member, n))
        return 0; // some of its members never arrived
    if (n)
        r->state[member[0]].nready++;
    if (node->queue && n == 0)
        return start_device(r, at, now_ps);
    if (node->queue && graph_time_match(node) == GRAPH_MATCH_MESSAGE)
        return ready_message(r, at, member, n, now_ps);
    if (node->queue)
        return r->state[member[0]].nready == n
                   ? start_device(r, member[0], now_ps)
                   : 0;
    if (n)
        return run_meet(r, at, now_ps);
    r->time[at].start_ps = now_ps;
    return run_schedule(r, at, PHASE_END, run_after(now_ps, node->latency_ps));
}

/* One of the events that the node waits for has happened, on the network or
 * elsewhere. */
static int satisfy(struct replay_run *r, uint32_t at, int on_network,
                   uint64_t now_ps)
{
    if (!on_network)
        r->state[at].begun_ps = now_ps;
    return --r->order.node[at].nbefore == 0 ? make_ready(r, at, now_ps) : 0;
}

static int end_node(struct replay_run *r, uint32_t at, int bound,
                    uint64_t now_ps)
{
    const struct order *const o = &r->order;
    const struct graph_node *const n = run_node(r, at);
    const int on_network = is_on_network(r, at);
    r->state[at].phase = PHASE_ENDED;
    r->time[at].end_ps = now_ps;
    r->time[at].bound = bound;
    r->nended++;
    if ((n->queue == 0 || (n->flags & GRAPH_JOIN)) &&
        leave_host(r, at, now_ps) != 0)
        return -1;
    for (uint32_t d = o->node[at].dep_begin; d < o->node[at + 1].dep_begin; d++)
        if (satisfy(r, o->dep[d], on_network, now_ps) != 0)
            return -1;
    struct order_node *const batch = &o->node[o->node[at].batch];
    if (--batch->nbatch > 0)
        return 0;
    const uint32_t next = batch->next_batch;
    for (uint32_t q = next; q != GRAPH_NOWHERE && o->node[q].batch == next;
         q = o->node[q].queue_next)
        if (satisfy(r, q, on_network, now_ps) != 0)
            return -1;
    return 0;
}

/* End a device operation, for all members of its match. */
static int end_all(struct replay_run *r, uint32_t at, int bound,
                   uint64_t now_ps)
{
    uint32_t n;
    const uint32_t *const member = graph_matched(r->g, at, &n);
    if (n == 0)
        return end_node(r, at, bound, now_ps);
    const int joint = graph_time_match(run_node(r, at)) == GRAPH_MATCH_ALL;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t m = member[i];
        if ((joint || m == at) && takes_share(r, m))
            occupy(r, m, -1);
    }
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t m = member[i];
        int failed = 0;
        if (joint || m == at)
            failed = end_node(r, m, bound, now_ps);
        else if (r->state[m].ready)
            failed = run_schedule(r, m, PHASE_END, now_ps);
        if (failed)
            return -1;
    }
    return 0;
}

/* ---- events -------------------------------------------------------------- */

static int happen(struct replay_run *r, struct agenda_event e)
{
    const uint32_t at = e.node;
    const struct graph_node *const n = run_node(r, at);
    switch (r->state[at].phase) {
    case PHASE_HOST:
        r->state[at].phase = PHASE_NONE;
        r->time[at].issue_ps = e.ps;
        if (n->queue && !(n->flags & GRAPH_JOIN) && leave_host(r, at, e.ps))
            return -1;
        return satisfy(r, at, 0, e.ps);
    case PHASE_LATENCY: return start_work(r, at, e.ps);
    case PHASE_WORK:
        return end_all(r, at, flows_stop(r->flows, at, e.ps), e.ps);
    case PHASE_END: return end_node(r, at, -1, e.ps);
    default: return 0;
    }
}

/* Report one of the nodes that never ended. */
static int stuck(struct replay_run *r)
{
    uint32_t at = 0;
    while (r->state[at].phase == PHASE_ENDED)
        at++;
    const struct graph_view *const v = &r->g->nodes[at];
    snprintf(r->err, r->err_nbytes,
             "rank %u: operation %u (%s %s) waits for something that waits for "
             "it: %u of %u operations can't end",
             v->node.rank, v->node.index, v->name, v->site,
             r->g->nnodes - r->nended, r->g->nnodes);
    return -1;
}

/*
 * Give the operations that never ended times for a picture of a job that ended
 * early: those that were ready last to the picture's end, the others appear at
 * its end.
 */
static void leave_open(struct replay_run *r)
{
    uint64_t end_ps = 0;
    for (uint32_t at = 0; at < r->g->nnodes; at++)
        if (r->state[at].phase == PHASE_ENDED && r->time[at].end_ps > end_ps)
            end_ps = r->time[at].end_ps;
    end_ps = run_after(end_ps, REPLAY_OPEN_PS);
    for (uint32_t at = 0; at < r->g->nnodes; at++) {
        struct replay_time *const t = &r->time[at];
        if (r->state[at].phase == PHASE_ENDED)
            continue;
        if (!r->state[at].ready)
            t->ready_ps = end_ps;
        if (t->start_ps <= t->ready_ps) // it has not started, so it waits
            t->start_ps = end_ps;
        if (t->issue_ps == 0)
            t->issue_ps = t->ready_ps;
        t->end_ps = end_ps;
        t->bound = -1;
    }
}

static int run_all(struct replay_run *r, uint64_t base_ps)
{
    for (uint32_t at = 0; at < r->g->nnodes; at++)
        if (graph_thread_prev(r->g, at) == GRAPH_NOWHERE &&
            begin_host(r, at, base_ps) != 0)
            return -1;
    while (r->agenda.count) {
        const uint64_t event_ps = r->agenda.event[0].ps;
        const uint64_t change_ps = harms_next_ps(&r->harms);
        const uint64_t now_ps = change_ps < event_ps ? change_ps : event_ps;
        if (change_ps <= now_ps)
            harms_change(&r->harms, r->flows, now_ps);
        while (r->agenda.count && r->agenda.event[0].ps == now_ps)
            if (happen(r, agenda_pop(&r->agenda)) != 0)
                return -1;
        if (flows_settle(r->flows, now_ps) != 0)
            return run_no_memory(r);
    }
    if (r->nended == r->g->nnodes)
        return 0;
    if (!r->unfinished)
        return stuck(r);
    leave_open(r);
    return 0;
}

/* ---- running ------------------------------------------------------------- */

static int run_init(struct replay_run *r, const struct replay_options *options)
{
    const size_t n = (size_t)r->g->nnodes + 1;
    r->state = malloc(n * sizeof *r->state);
    r->nbusy =
        calloc(((size_t)topo_ngpus(r->topo) + 1) * RUN_CTAS, sizeof *r->nbusy);
    r->costs = options && options->costs ? options->costs
                                         : cost_table_new(r->topo, options);
    if (!r->state || !r->nbusy || !r->costs ||
        agenda_init(&r->agenda, r->g) != 0)
        return run_no_memory(r);
    r->flows = flows_new(r->topo, &r->agenda);
    if (!r->flows)
        return run_no_memory(r);
    for (size_t i = 0; i < n; i++)
        r->state[i] = (struct node_state){.arrival_ps = UINT64_MAX};
    if (harms_init(&r->harms, r->g, r->topo, r->err, r->err_nbytes) != 0)
        return -1;
    return order_init(&r->order, r->g, r->err, r->err_nbytes);
}

static void run_release(struct replay_run *r,
                        const struct replay_options *options)
{
    harms_release(&r->harms);
    flows_free(r->flows);
    if (!options || r->costs != options->costs)
        cost_table_free(r->costs);
    agenda_release(&r->agenda);
    order_release(&r->order);
    free(r->state);
    free(r->nbusy);
}

struct replay *replay_run(const struct graph *graph, const struct topo *topo,
                          const struct replay_options *options, char *err,
                          size_t err_nbytes)
{
    struct replay *const result = calloc(1, sizeof *result);
    struct replay_run r = {
        .g = graph, .topo = topo, .err = err, .err_nbytes = err_nbytes};
    r.fixed = options ? options->fixed : 0;
    r.fixed_ps = options ? options->fixed_ps : 0;
    r.fast_host = options && options->fast_host;
    r.unfinished = (options && options->unfinished) || harms_end(graph);
    r.costs_of = options && options->costs_of ? options->costs_of : graph;
    r.change = options ? options->change : NULL;
    r.change_arg = options ? options->change_arg : NULL;
    r.time = calloc((size_t)graph->nnodes + 1, sizeof *r.time);
    const uint64_t base_ps = options ? options->base_ps : 0;
    if (!result || !r.time) {
        run_no_memory(&r);
        goto fail;
    }
    if ((!r.unfinished && order_check_matches(graph, err, err_nbytes) != 0) ||
        run_init(&r, options) != 0 || run_all(&r, base_ps) != 0)
        goto fail;
    *result = (struct replay){graph, r.time, base_ps, base_ps};
    for (uint32_t at = 0; at < graph->nnodes; at++)
        if (r.time[at].end_ps > result->end_ps)
            result->end_ps = r.time[at].end_ps;
    run_release(&r, options);
    return result;
fail:
    run_release(&r, options);
    free(r.time);
    free(result);
    return NULL;
}

void replay_free(struct replay *r)
{
    if (!r)
        return;
    free(r->time);
    free(r);
}

/* ---- results ------------------------------------------------------------- */

const struct replay_time *replay_times(const struct replay *r)
{
    return r->time;
}

const struct replay_time *replay_node(const struct replay *r,
                                      struct graph_ref ref)
{
    const uint32_t at = graph_find(r->graph, ref);
    return at == GRAPH_NOWHERE ? NULL : &r->time[at];
}

uint64_t replay_host_ps(const struct replay *r, uint32_t rank, uint32_t thread)
{
    const struct graph *const g = r->graph;
    if (rank >= g->nranks)
        return r->base_ps;
    for (uint32_t at = g->first[rank + 1]; at-- > g->first[rank];) {
        const struct graph_node *const n = &g->nodes[at].node;
        if (n->thread == thread)
            return n->queue == 0 || (n->flags & GRAPH_JOIN)
                       ? r->time[at].end_ps
                       : r->time[at].issue_ps;
    }
    return r->base_ps;
}

uint64_t replay_end_ps(const struct replay *r)
{
    return r->end_ps;
}
