#include "graph/replay/flows.h"

#include <stdlib.h> /* calloc */

struct flow {
    struct maxmin_flow share; /* must be first: maxmin_share() takes it */
    struct maxmin_use *use;   /* its uses */
    uint64_t *bound_ps;       /* by use: how long it was the bound */
    int room;                 /* capacity of both arrays */
    int busiest;              /* the use that bounds it on an idle machine */
    double left;              /* remaining work at since_ps */
    uint64_t since_ps;        /* time of the last change of its rate */
    uint64_t bound_since;     /* time of the last change of its bound */
    double old_rate;          /* during settling */
    int old_bound;
    uint32_t node;
    uint32_t visit;    /* the last settling that reached it */
    struct flow *next; /* in the list of unused ones */
};

struct users { /* the flows of a resource, in no particular order */
    struct flow **flow;
    int n, room;
    uint32_t visit;
    int dirty;
};

struct flows {
    struct agenda *agenda;
    const struct topo *topo;
    struct maxmin_resource *resource;
    struct users *users; /* by resource */
    struct flow **of; /* by node: its flow, from flows_prepare() to its end */
    struct flow *unused;
    int nresources;
    uint32_t visit; /* number of the current settling */
    int *dirty;     /* resources whose flows or rate have changed */
    int ndirty;
    int *touched;       /* resources of the component being settled */
    struct flow **part; /* its flows */
    int room;           /* capacity of part */
    int nactive;
};

struct flows *flows_new(const struct topo *topo, struct agenda *agenda)
{
    struct flows *const f = calloc(1, sizeof *f);
    if (!f)
        return NULL;
    const size_t n = (size_t)topo_nresources(topo);
    f->agenda = agenda;
    f->topo = topo;
    f->nresources = (int)n;
    f->resource = calloc(n + 1, sizeof *f->resource);
    f->users = calloc(n + 1, sizeof *f->users);
    f->dirty = calloc(n + 1, sizeof *f->dirty);
    f->touched = calloc(n + 1, sizeof *f->touched);
    f->of = calloc((size_t)agenda->graph->nnodes + 1, sizeof *f->of);
    if (!f->resource || !f->users || !f->dirty || !f->touched || !f->of) {
        flows_free(f);
        return NULL;
    }
    for (int r = 0; r < f->nresources; r++)
        f->resource[r].rate = topo_resource(topo, r)->rate;
    return f;
}

static void flow_free(struct flow *flow)
{
    free(flow->use);
    free(flow->bound_ps);
    free(flow);
}

void flows_free(struct flows *f)
{
    if (!f)
        return;
    for (uint32_t i = 0; f->of && i < f->agenda->graph->nnodes; i++)
        if (f->of[i])
            flow_free(f->of[i]);
    while (f->unused) {
        struct flow *const next = f->unused->next;
        flow_free(f->unused);
        f->unused = next;
    }
    for (int r = 0; f->users && r < f->nresources; r++)
        free(f->users[r].flow);
    free(f->resource);
    free(f->users);
    free(f->of);
    free(f->dirty);
    free(f->touched);
    free(f->part);
    free(f);
}

static void mark_dirty(struct flows *f, int resource)
{
    if (f->users[resource].dirty)
        return;
    f->users[resource].dirty = 1;
    f->dirty[f->ndirty++] = resource;
}

void flows_scale(struct flows *f, int resource, double part)
{
    f->resource[resource].rate = topo_resource(f->topo, resource)->rate * part;
    mark_dirty(f, resource);
}

/* ---- starting and stopping ----------------------------------------------- */

static int users_add(struct users *u, struct flow *flow)
{
    if (u->n == u->room) {
        const int room = u->room ? 2 * u->room : 4;
        void *const larger = realloc(u->flow, room * sizeof *u->flow);
        if (!larger)
            return -1;
        u->flow = larger;
        u->room = room;
    }
    u->flow[u->n++] = flow;
    return 0;
}

static void users_remove(struct users *u, const struct flow *flow)
{
    int i = 0;
    while (i < u->n && u->flow[i] != flow)
        i++;
    if (i < u->n)
        u->flow[i] = u->flow[--u->n];
}

/* Make space for n uses of a flow. Returns -1 if memory runs out. */
static int make_room(struct flow *flow, int n)
{
    if (n <= flow->room)
        return 0;
    void *const use = realloc(flow->use, (size_t)n * sizeof *flow->use);
    if (use)
        flow->use = use;
    void *const bound_ps =
        realloc(flow->bound_ps, (size_t)n * sizeof *flow->bound_ps);
    if (bound_ps)
        flow->bound_ps = bound_ps;
    if (!use || !bound_ps)
        return -1;
    flow->room = n;
    return 0;
}

/* An unused or new flow with space for n uses. */
static struct flow *flow_new(struct flows *f, int n)
{
    struct flow *const flow = f->unused ? f->unused : calloc(1, sizeof *flow);
    if (!flow)
        return NULL;
    if (f->unused)
        f->unused = flow->next;
    if (make_room(flow, n) != 0) {
        flow_free(flow);
        return NULL;
    }
    *flow = (struct flow){
        .use = flow->use, .bound_ps = flow->bound_ps, .room = flow->room};
    return flow;
}

int flows_prepare(struct flows *f, uint32_t node, const struct cost *cost)
{
    struct flow *const flow = flow_new(f, cost->nuses);
    if (!flow)
        return -1;
    for (int i = 0; i < cost->nuses; i++) {
        flow->use[i] = cost->use[i];
        flow->bound_ps[i] = 0;
    }
    flow->share = (struct maxmin_flow){.use = flow->use,
                                       .nuses = cost->nuses,
                                       .cap = cost->cap,
                                       .bound = MAXMIN_CAP};
    flow->busiest = cost->busiest;
    flow->left = cost->work;
    flow->node = node;
    f->of[node] = flow;
    return 0;
}

static void flow_done(struct flows *f, struct flow *flow)
{
    f->of[flow->node] = NULL;
    flow->next = f->unused;
    f->unused = flow;
}

int flows_start(struct flows *f, uint32_t node, uint64_t now_ps)
{
    struct flow *const flow = f->of[node];
    if (!(flow->left > 0) || flow->share.nuses == 0) {
        flow_done(f, flow);
        return 1;
    }
    flow->since_ps = flow->bound_since = now_ps;
    f->nactive++;
    for (int i = 0; i < flow->share.nuses; i++) {
        if (users_add(&f->users[flow->use[i].resource], flow) != 0)
            return -1;
        mark_dirty(f, flow->use[i].resource);
    }
    return 0;
}

/* Account for the time that the flow had this bound. */
static void count_bound(struct flow *flow, int bound, uint64_t now_ps)
{
    // A flow with the rate it would have alone is bound by its slowest part.
    const int use = bound == MAXMIN_CAP ? flow->busiest : bound;
    flow->bound_ps[use] += now_ps - flow->bound_since;
    flow->bound_since = now_ps;
}

int flows_stop(struct flows *f, uint32_t node, uint64_t now_ps)
{
    struct flow *const flow = f->of[node];
    count_bound(flow, flow->share.bound, now_ps);
    int longest = flow->busiest;
    for (int i = 0; i < flow->share.nuses; i++) {
        const int r = flow->use[i].resource;
        if (flow->bound_ps[i] > flow->bound_ps[longest])
            longest = i;
        users_remove(&f->users[r], flow);
        mark_dirty(f, r);
    }
    const int resource = flow->use[longest].resource;
    flow_done(f, flow);
    f->nactive--;
    return resource;
}

/* ---- settling ------------------------------------------------------------ */

/*
 * Find all flows that share resources, directly or through others, with those
 * of resource `first`. Returns their number; *m gets the number of resources.
 */
static int find_component(struct flows *f, int first, int *m)
{
    int n = 0, done = 0;
    *m = 0;
    f->users[first].visit = f->visit;
    f->touched[(*m)++] = first;
    while (done < *m) {
        const struct users *const u = &f->users[f->touched[done++]];
        for (int i = 0; i < u->n; i++) {
            struct flow *const flow = u->flow[i];
            if (flow->visit == f->visit)
                continue;
            flow->visit = f->visit;
            f->part[n++] = flow;
            for (int k = 0; k < flow->share.nuses; k++) {
                const int r = flow->use[k].resource;
                if (f->users[r].visit == f->visit)
                    continue;
                f->users[r].visit = f->visit;
                f->touched[(*m)++] = r;
            }
        }
    }
    return n;
}

static int by_node(const void *a, const void *b)
{
    const struct flow *const x = *(struct flow *const *)a;
    const struct flow *const y = *(struct flow *const *)b;
    return (x->node > y->node) - (x->node < y->node);
}

/* The end of a flow at its current rate, rounded to the nearest picosecond. */
static uint64_t end_of(const struct flow *flow)
{
    const double ps = flow->left / flow->share.rate * 1e12;
    if (!(ps < (double)AGENDA_NEVER) || flow->since_ps >= AGENDA_NEVER)
        return flow->since_ps > AGENDA_NEVER ? flow->since_ps : AGENDA_NEVER;
    return flow->since_ps + (uint64_t)(ps + 0.5);
}

/* Set a flow's new rate, after accounting for its work at the old one. */
static int change_rate(struct flows *f, struct flow *flow, double old_rate,
                       uint64_t now_ps)
{
    flow->left -= old_rate * (double)(now_ps - flow->since_ps) * 1e-12;
    if (flow->left < 0)
        flow->left = 0;
    flow->since_ps = now_ps;
    return agenda_set(f->agenda, flow->node, end_of(flow));
}

/* Find new rates for the flows in part[0..n). */
static int settle_component(struct flows *f, int n, int m, uint64_t now_ps)
{
    // Sum in the order of the nodes, not in that of their starts.
    qsort(f->part, (size_t)n, sizeof *f->part, by_node);
    for (int i = 0; i < n; i++) {
        f->part[i]->old_rate = f->part[i]->share.rate;
        f->part[i]->old_bound = f->part[i]->share.bound;
    }
    maxmin_share((struct maxmin_flow *const *)f->part, n, f->resource,
                 f->touched, m);
    for (int i = 0; i < n; i++) {
        struct flow *const flow = f->part[i];
        if (flow->share.bound != flow->old_bound)
            count_bound(flow, flow->old_bound, now_ps);
        if (flow->share.rate != flow->old_rate &&
            change_rate(f, flow, flow->old_rate, now_ps) != 0)
            return -1;
    }
    return 0;
}

int flows_settle(struct flows *f, uint64_t now_ps)
{
    if (f->room < f->nactive) {
        void *const larger =
            realloc(f->part, 2 * (size_t)f->nactive * sizeof *f->part);
        if (!larger)
            return -1;
        f->part = larger;
        f->room = 2 * f->nactive;
    }
    f->visit++;
    for (int i = 0; i < f->ndirty; i++) {
        const int r = f->dirty[i];
        f->users[r].dirty = 0;
        if (f->users[r].visit == f->visit)
            continue;
        int m;
        const int n = find_component(f, r, &m);
        if (n && settle_component(f, n, m, now_ps) != 0)
            return -1;
    }
    f->ndirty = 0;
    return 0;
}
