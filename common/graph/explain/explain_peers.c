#include <stdlib.h> /* calloc */
#include <string.h> /* strcmp */

#include "graph/explain/explain_case.h"

/* ---- balance ------------------------------------------------------------- */

static int is_work(const struct graph_node *n)
{
    return n->queue && (n->kind == GRAPH_KERNEL || n->kind == GRAPH_MEMSET ||
                        n->kind == GRAPH_HOSTFN);
}

/* True for kernels that were called at the same place, on any ranks. */
static int same_site(const struct graph_view *a, const struct graph_view *b)
{
    return strcmp(a->site, b->site) == 0 && strcmp(a->name, b->name) == 0;
}

/*
 * Mark the kernels of the rank with the most work. Their weight is the time by
 * which their call site exceeds the mean of the ranks.
 */
static void mark_excess(struct study *s, uint32_t rank)
{
    const struct graph *const g = s->g;
    for (uint32_t at = g->first[rank]; at < g->first[rank + 1]; at++) {
        const struct graph_view *const v = &g->nodes[at];
        if (!s->in[at] || !is_work(&v->node))
            continue;
        uint32_t first = g->first[rank];
        while (!is_work(&g->nodes[first].node) || !s->in[first] ||
               !same_site(&g->nodes[first], v))
            first++;
        if (s->hit[first] == 0) { // the first of its site: sum up the others
            uint64_t all_ps = 0;
            for (uint32_t k = 0; k < g->nnodes; k++)
                if (s->in[k] && is_work(&g->nodes[k].node) &&
                    same_site(&g->nodes[k], v))
                    all_ps += study_took(s, k);
            uint64_t own_ps = 0;
            for (uint32_t k = at; k < g->first[rank + 1]; k++)
                if (s->in[k] && is_work(&g->nodes[k].node) &&
                    same_site(&g->nodes[k], v))
                    own_ps += study_took(s, k);
            const uint64_t mean_ps = all_ps / g->nranks;
            s->hit[first] = own_ps > mean_ps ? own_ps - mean_ps + 1 : 1;
        }
        if (first != at)
            s->hit[at] = 1;
    }
}

/* Give every rank the mean of the work. */
int explain_imbalance(struct study *s, struct explain_finding *f)
{
    const struct graph *const g = s->g;
    uint64_t *const work_ps = calloc((size_t)g->nranks + 1, sizeof *work_ps);
    if (!work_ps)
        return -1;
    double mean = 0;
    uint32_t most = 0;
    for (uint32_t at = 0; at < g->nnodes; at++)
        if (s->in[at] && is_work(&g->nodes[at].node))
            work_ps[g->nodes[at].node.rank] += study_took(s, at);
    for (uint32_t r = 0; r < g->nranks; r++) {
        mean += (double)work_ps[r] / g->nranks;
        if (work_ps[r] > work_ps[most])
            most = r;
    }
    f->ratio = mean > 0 ? (double)work_ps[most] / mean : 0;
    const int applies = f->ratio > 1.05;
    for (uint32_t at = 0; at < g->nnodes && applies; at++) {
        const struct graph_node *const n = &g->nodes[at].node;
        if (!s->in[at] || !is_work(n))
            continue;
        const double part = mean / (double)work_ps[n->rank];
        s->w.cost[at].work = part;
        s->w.graph.nodes[at].node.latency_ps =
            (uint64_t)((double)n->latency_ps * part);
    }
    if (applies)
        mark_excess(s, most);
    free(work_ps);
    return applies;
}

/* ---- waiting for each other ---------------------------------------------- */

static int is_collective(const struct graph_node *n)
{
    return n->kind == GRAPH_COLL ||
           (n->kind == GRAPH_MPI && n->op != TOPO_OP_SENDRECV);
}

static int is_meeting(const struct graph_node *n)
{
    return n->kind == GRAPH_MPI && is_collective(n) && n->bytes == 0;
}

/* A rank's last meeting with the others, in MPI_Finalize or barriers before it.
 * Waiting there delays nothing. */
static uint32_t last_meeting(const struct graph *g, uint32_t rank)
{
    uint32_t at = g->first[rank + 1];
    while (at > g->first[rank] && is_meeting(&g->nodes[at - 1].node))
        at--;
    return at;
}

/* Mark the operations in which a rank waits for others. Returns how
 * long it waits. */
static uint64_t mark_waits(struct study *s, uint32_t rank)
{
    const uint32_t end = last_meeting(s->g, rank);
    uint64_t waited_ps = 0;
    for (uint32_t at = s->g->first[rank]; at < end; at++) {
        const struct graph_node *const n = &s->g->nodes[at].node;
        const struct replay_time *const t = &s->time[at];
        if (!s->in[at] || !n->match)
            continue;
        // A collective waits for the chain, while messages are the chain.
        const uint64_t met_ps = n->queue ? t->start_ps : t->end_ps;
        const uint64_t part = is_collective(n) ? 4 : 1;
        s->hit[at] = (met_ps - t->ready_ps) / part + 1;
        waited_ps += met_ps - t->ready_ps;
    }
    return waited_ps;
}

/* Let ranks run alone. They no longer compete for links, either, so the change
 * can't save more than ranks have waited. */
int explain_chain(struct study *s, struct explain_finding *f)
{
    (void)f;
    if (s->g->nranks < 2)
        return 0;
    s->most_ps = 0;
    for (uint32_t r = 0; r < s->g->nranks; r++) {
        const uint64_t waited_ps = mark_waits(s, r);
        if (waited_ps > s->most_ps)
            s->most_ps = waited_ps;
    }
    return whatif_alone(&s->w) == 0 ? 1 : -1;
}

/* ---- bytes between GPUs -------------------------------------------------- */

/* bytes[from * n + to] over messages and copies. NULL if memory runs out. */
static double *traffic(const struct study *s, int n)
{
    double *const bytes = calloc((size_t)n * (size_t)n + 1, sizeof *bytes);
    for (uint32_t at = 0; at < s->g->nnodes && bytes; at++) {
        const struct graph_view *const v = &s->g->nodes[at];
        if (!s->in[at] || v->node.kind == GRAPH_COLL)
            continue;
        if (v->node.kind == GRAPH_SEND && v->node.place >= 0 &&
            v->node.place < n && v->node.peer_place >= 0 &&
            v->node.peer_place < n)
            bytes[v->node.place * n + v->node.peer_place] +=
                (double)v->node.bytes;
        for (size_t i = 0; i < v->nmoves; i++) {
            const struct graph_move *const m = &v->moves[i];
            if (m->from >= 0 && m->from < n && m->to >= 0 && m->to < n &&
                m->from != m->to)
                bytes[m->from * n + m->to] += (double)m->nbytes;
        }
    }
    return bytes;
}

/* True if a message or copy leaves this GPU for another (out), or
 * arrives from one. */
static int touches(const struct graph_view *v, int gpu, int out)
{
    if (v->node.kind == GRAPH_SEND)
        return (out ? v->node.place : v->node.peer_place) == gpu;
    if (v->node.kind == GRAPH_RECV)
        return (out ? v->node.peer_place : v->node.place) == gpu;
    for (size_t i = 0; i < v->nmoves; i++)
        if (v->moves[i].from != v->moves[i].to &&
            (out ? v->moves[i].from : v->moves[i].to) == gpu)
            return 1;
    return 0;
}

/* Spread the bytes of the busiest GPU over all GPUs. */
int explain_root(struct study *s, struct explain_finding *f)
{
    const int n = topo_ngpus(s->topo);
    double *const bytes = traffic(s, n);
    double most = 0, all = 0;
    int root = 0, root_out = 0, nused = 0, any = 0;
    if (!bytes)
        return -1;
    for (int gpu = 0; gpu < n; gpu++) {
        double in = 0, out = 0;
        for (int k = 0; k < n; k++) {
            out += bytes[gpu * n + k];
            in += bytes[k * n + gpu];
        }
        all += out;
        nused += in > 0 || out > 0;
        for (int is_out = 0; is_out < 2; is_out++)
            if ((is_out ? out : in) > most) {
                most = is_out ? out : in;
                root = gpu;
                root_out = is_out;
            }
    }
    free(bytes);
    f->ratio = all > 0 ? most / (all / nused) : 0;
    if (nused < 3 || f->ratio < 2)
        return 0;
    for (uint32_t at = 0; at < s->g->nnodes; at++) {
        const struct graph_view *const v = &s->g->nodes[at];
        if (!s->in[at] || !study_is_p2p(v) || !touches(v, root, root_out))
            continue;
        s->w.cost[at].work = 1 / f->ratio;
        s->hit[at] = study_took(s, at) + 1;
        any = 1;
    }
    return any;
}

/* ---- placement ----------------------------------------------------------- */

/* Seconds per byte between two GPUs. */
static double pace(const struct topo *topo, int from, int to)
{
    struct topo_path p;
    double pace = 0;
    if (from == to)
        return 0;
    if (topo_path(topo, from, to,
                  topo_p2p(topo, from, to) ? TOPO_DIRECT : TOPO_STAGED,
                  &p) != 0)
        return 1;
    for (int i = 0; i < p.nresources; i++) {
        const double each = 1 / topo_resource(topo, p.resource[i])->rate;
        pace = each > pace ? each : pace;
    }
    return p.rate_cap > 0 && 1 / p.rate_cap > pace ? 1 / p.rate_cap : pace;
}

struct placing {
    int n;
    const double *bytes, *pace; /* [from * n + to] */
    int32_t *place;             /* GPU of each place */
};

/* The time that a GPU's bytes take, to and from other GPUs. */
static double time_of(const struct placing *p, int gpu)
{
    double sec = 0;
    for (int k = 0; k < p->n; k++)
        sec += p->bytes[gpu * p->n + k] *
                   p->pace[p->place[gpu] * p->n + p->place[k]] +
               p->bytes[k * p->n + gpu] *
                   p->pace[p->place[k] * p->n + p->place[gpu]];
    return sec;
}

static double time_of_two(const struct placing *p, int a, int b)
{
    return time_of(p, a) + time_of(p, b);
}

/* Swap the places of two GPUs if that is faster. */
static int improve(struct placing *p, int a, int b)
{
    const double before = time_of_two(p, a, b);
    const int32_t at = p->place[a];
    p->place[a] = p->place[b];
    p->place[b] = at;
    if (time_of_two(p, a, b) < before * (1 - 1e-9))
        return 1;
    p->place[b] = p->place[a];
    p->place[a] = at;
    return 0;
}

/* Swap used GPUs as long as that reduces the time of all bytes. */
static int search(struct placing *p, const char *used)
{
    int nmoved = 0, better = 1;
    for (int round = 0; round < 100 && better; round++) {
        better = 0;
        for (int a = 0; a < p->n; a++)
            for (int b = a + 1; b < p->n; b++)
                if (used[a] && used[b])
                    better += improve(p, a, b);
        nmoved += better;
    }
    return nmoved;
}

static void mark_p2p(struct study *s)
{
    for (uint32_t at = 0; at < s->g->nnodes; at++)
        if (s->in[at] && study_is_p2p(&s->g->nodes[at]))
            s->hit[at] = study_took(s, at) + 1;
}

/* Place each rank on the GPU from which its messages are fastest. */
int explain_placement(struct study *s, struct explain_finding *f)
{
    const int n = topo_ngpus(s->topo);
    double *const bytes = traffic(s, n);
    double *const paces = calloc((size_t)n * (size_t)n + 1, sizeof *paces);
    int32_t *const place = calloc((size_t)n + 1, sizeof *place);
    char *const used = calloc((size_t)n + 1, 1);
    int status = -1;
    (void)f;
    if (!bytes || !paces || !place || !used)
        goto out;
    for (uint32_t at = 0; at < s->g->nnodes; at++) {
        const int32_t p = s->g->nodes[at].node.place;
        if (s->g->nodes[at].node.queue && p >= 0 && p < n)
            used[p] = 1;
    }
    for (int a = 0; a < n; a++) {
        place[a] = a;
        for (int b = 0; b < n; b++)
            paces[a * n + b] = pace(s->topo, a, b);
    }
    struct placing p = {n, bytes, paces, place};
    status = search(&p, used) > 0;
    if (status > 0) {
        mark_p2p(s);
        if (whatif_move(&s->w, place, n) != 0)
            status = -1;
    }
out:
    free(bytes);
    free(paces);
    free(place);
    free(used);
    return status;
}

/* ---- messages one after another ------------------------------------------ */

static int is_message(const struct graph_node *n)
{
    return n->kind == GRAPH_SEND || n->kind == GRAPH_RECV;
}

int study_conflict(const struct graph_view *a, const struct graph_view *b)
{
    for (size_t i = 0; i < a->naccesses; i++)
        for (size_t k = 0; k < b->naccesses; k++) {
            const struct graph_access *const x = &a->accesses[i];
            const struct graph_access *const y = &b->accesses[k];
            const int writes = (x->write & GRAPH_TOUCH) != GRAPH_READ ||
                               (y->write & GRAPH_TOUCH) != GRAPH_READ;
            if (writes && x->alloc == y->alloc && x->begin < y->end &&
                y->begin < x->end)
                return 1;
        }
    return 0;
}

/* Let adjacent messages of a queue start together unless they touch
 * the same bytes. */
int explain_ungrouped(struct study *s, struct explain_finding *f)
{
    enum { MOST = 32 }; // messages in a group
    int any = 0;
    (void)f;
    for (uint32_t at = 0; at < s->g->nnodes; at++) {
        const struct graph_view *const v = &s->g->nodes[at];
        const uint32_t prev = graph_queue_prev(s->g, at);
        if (!s->in[at] || !is_message(&v->node) || prev == GRAPH_NOWHERE ||
            !s->in[prev] || !is_message(&s->g->nodes[prev].node))
            continue;
        struct graph_view *const now = s->w.graph.nodes;
        uint32_t first = prev;
        int size = 1, clash = study_conflict(&s->g->nodes[prev], v);
        while (!clash && size < MOST) {
            const uint32_t q = graph_queue_prev(s->g, first);
            if (q == GRAPH_NOWHERE || now[prev].node.group == 0 ||
                now[q].node.group != now[prev].node.group)
                break;
            clash = study_conflict(&s->g->nodes[q], v);
            first = q;
            size++;
        }
        const uint32_t own = v->node.group;
        if (clash || size >= MOST || v->node.ndeps)
            continue;
        if (own && own == s->g->nodes[prev].node.group &&
            now[prev].node.group == own)
            continue;
        if (now[prev].node.group == 0)
            now[prev].node.group = UINT32_MAX - prev;
        now[at].node.group = now[prev].node.group;
        s->hit[at] = study_took(s, at) + 1;
        any = 1;
    }
    return any;
}
