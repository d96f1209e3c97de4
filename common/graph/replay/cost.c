#include "graph/replay/cost.h"

#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* calloc */
#include <string.h> /* memcpy */

#include "graph/record/intern.h"
#include "graph/replay/bill.h"

enum { KEY_PLACES = 4 }; /* index of the first place in cost_table.key */

struct path_cost { /* the cost of one path */
    struct topo_path path;
    struct maxmin_use use[TOPO_MAX_PATH]; /* each byte uses each of them once */
    int busiest, known;                   /* known: 1, or -1 for "no path" */
};

struct coll_cost { /* the cost of one collective; the table owns its uses */
    struct cost cost;
    char *wrong; /* why the machine can't do it; NULL if it can */
};

struct cost_table {
    const struct topo *topo;
    struct replay_options options;
    struct intern paths, colls; /* keys: numbers of the entries below, from 1 */
    struct path_cost **path;
    struct coll_cost *coll;
    uint32_t npaths, ncolls;
    int32_t *key; /* key of a collective or message: op, bytes,
                     CTAs, places */
    size_t key_room;
    struct bill bill; /* for the last kernel, memset or copy of pieces */
};

struct cost_table *cost_table_new(const struct topo *topo,
                                  const struct replay_options *options)
{
    struct cost_table *const t = calloc(1, sizeof *t);
    if (!t)
        return NULL;
    t->topo = topo;
    if (options)
        t->options = *options;
    return t;
}

void cost_table_free(struct cost_table *t)
{
    if (!t)
        return;
    for (uint32_t i = 0; i < t->npaths; i++)
        free(t->path[i]);
    for (uint32_t i = 0; i < t->ncolls; i++) {
        free((void *)t->coll[i].cost.use);
        free(t->coll[i].wrong);
    }
    intern_release(&t->paths);
    intern_release(&t->colls);
    free(t->path);
    free(t->coll);
    free(t->key);
    bill_release(&t->bill);
    free(t);
}

static int no_memory(char *err, size_t err_nbytes)
{
    snprintf(err, err_nbytes, "no memory");
    return -1;
}

/* The use that takes the longest on an idle machine. */
static int find_busiest(const struct topo *topo, const struct maxmin_use *use,
                        int n)
{
    int busiest = 0;
    double longest = -1;
    for (int i = 0; i < n; i++) {
        const double sec =
            use[i].weight / topo_resource(topo, use[i].resource)->rate;
        if (sec > longest) {
            longest = sec;
            busiest = i;
        }
    }
    return busiest;
}

/* ---- paths between places ------------------------------------------------ */

static int is_gpu(const struct topo *topo, int32_t place)
{
    return place >= 0 && place < topo_ngpus(topo);
}

/* Make space for entry number `id`, from 1, of an array that doubles. */
static int make_room(void *array, uint32_t id, size_t nbytes)
{
    void **const a = array;
    if (*a && ((id - 1) & (id - 2)) != 0)
        return 0;
    void *const larger = realloc(*a, 2 * (size_t)id * nbytes);
    if (!larger)
        return -1;
    *a = larger;
    return 0;
}

/* Find a path, looking it up on first use. NULL, with a line in err, if
 * there is none. */
static const struct path_cost *find_path(struct cost_table *t, int32_t from,
                                         int32_t to, int way, char *err,
                                         size_t err_nbytes)
{
    const int32_t key[3] = {from, to, way};
    int is_new;
    const uint32_t id = intern_id(&t->paths, key, sizeof key, &is_new);
    if (id == 0 || (is_new && make_room(&t->path, id, sizeof *t->path) != 0)) {
        no_memory(err, err_nbytes);
        return NULL;
    }
    if (is_new) {
        struct path_cost *const p = t->path[id - 1] = calloc(1, sizeof *p);
        if (!p) {
            no_memory(err, err_nbytes);
            return NULL;
        }
        t->npaths = id;
        p->known = topo_path(t->topo, from, to, way, &p->path) == 0 ? 1 : -1;
        for (int i = 0; p->known > 0 && i < p->path.nresources; i++)
            p->use[i] = (struct maxmin_use){p->path.resource[i], 1};
        if (p->known > 0)
            p->busiest = find_busiest(t->topo, p->use, p->path.nresources);
    }
    if (t->path[id - 1]->known > 0)
        return t->path[id - 1];
    snprintf(err, err_nbytes,
             "machine %s has no path from place %d to place %d",
             topo_name(t->topo), from, to);
    return NULL;
}

/* The cost of one transfer along a path. */
static struct cost transfer(const struct path_cost *p, uint64_t nbytes)
{
    return (struct cost){.latency_ps = p->path.latency_ps,
                         .work = (double)nbytes,
                         .cap = p->path.rate_cap,
                         .use = p->use,
                         .nuses = p->path.nresources,
                         .busiest = p->busiest};
}

/* ---- kernels, memsets, copies of several pieces -------------------------- */

/* Tally one move, and raise *latency_ps to the latency of its path if
 * that is larger. */
static int charge_move(struct cost_table *t, const struct graph_move *m,
                       enum topo_way way, uint64_t *latency_ps, char *err,
                       size_t err_nbytes)
{
    if (m->nbytes == 0)
        return 0;
    if (m->from == m->to) {
        const int memory = topo_memory(t->topo, m->from);
        if (memory < 0) {
            snprintf(err, err_nbytes, "machine %s has no place %d",
                     topo_name(t->topo), m->from);
            return -1;
        }
        return bill_charge(&t->bill, memory, (double)m->nbytes)
                   ? no_memory(err, err_nbytes)
                   : 0;
    }
    const struct path_cost *const p =
        find_path(t, m->from, m->to, (int)way, err, err_nbytes);
    if (!p)
        return -1;
    if (p->path.latency_ps > *latency_ps)
        *latency_ps = p->path.latency_ps;
    for (int i = 0; i < p->path.nresources; i++)
        if (bill_charge(&t->bill, p->path.resource[i],
                        (double)m->nbytes / p->path.share) != 0)
            return no_memory(err, err_nbytes);
    return 0;
}

/*
 * The tally as one flow. Its unit is a byte of the memory of `place`, so that a
 * flow alone has the rate of that memory.
 */
static struct cost settle_bill(struct cost_table *t, int32_t place)
{
    const struct bill *const b = &t->bill;
    const int busiest = find_busiest(t->topo, b->use, b->n);
    const double sec =
        b->n ? b->use[busiest].weight /
                   topo_resource(t->topo, b->use[busiest].resource)->rate
             : 0;
    const int memory = topo_memory(t->topo, place);
    const double rate = memory < 0 ? 1 : topo_resource(t->topo, memory)->rate;
    const double work = sec * rate;
    for (int i = 0; i < b->n; i++)
        b->use[i].weight /= work;
    return (struct cost){
        .work = work, .use = b->use, .nuses = b->n, .busiest = busiest};
}

/* True if a kernel at `place` waits for these bytes. It doesn't wait for what
 * the switch reads from other GPUs or replicates to them. */
static int is_requested(const struct graph_move *m, int32_t place)
{
    return m->from == TOPO_SWITCH_PLACE
               ? m->to == place
               : m->from != m->to && m->to != TOPO_SWITCH_PLACE;
}

/*
 * A kernel has at most IN_FLIGHT bytes of loads and stores under way for each
 * resident thread, so a larger amount takes one latency for each round of that
 * size.
 */
static void limit_in_flight(const struct cost_table *t,
                            const struct graph_view *v, uint64_t latency_ps,
                            struct cost *c)
{
    enum { IN_FLIGHT = 128, THREADS_OF_SM = 2048 };
    const struct topo_gpu *const g = topo_gpu(t->topo, v->node.place);
    double remote = 0, threads = v->node.elem_size;
    for (size_t i = 0; i < v->nmoves; i++)
        if (is_requested(&v->moves[i], v->node.place))
            remote += (double)v->moves[i].nbytes;
    if (!g || v->node.kind != GRAPH_KERNEL || threads == 0)
        return;
    if (threads > (double)g->nsm * THREADS_OF_SM)
        threads = (double)g->nsm * THREADS_OF_SM;
    const double again = remote / (threads * IN_FLIGHT) - 1;
    if (again > 0 && c->work > 0)
        c->cap = c->work / (again * (double)latency_ps * 1e-12);
}

static int charge_flops(struct cost_table *t, const struct graph_node *n,
                        char *err, size_t err_nbytes)
{
    const int compute = topo_compute(t->topo, n->place, n->math);
    if (!is_gpu(t->topo, n->place))
        snprintf(err, err_nbytes, "machine %s has no device %d",
                 topo_name(t->topo), n->place);
    else if (compute < 0)
        snprintf(err, err_nbytes, "the GPUs of machine %s have no fp8 units",
                 topo_name(t->topo));
    else
        return bill_charge(&t->bill, compute, n->flops) == 0
                   ? 0
                   : no_memory(err, err_nbytes);
    return -1;
}

static int cost_of_pieces(struct cost_table *t, const struct graph_view *v,
                          enum topo_way way, struct cost *out, char *err,
                          size_t err_nbytes)
{
    const struct graph_node *const n = &v->node;
    uint64_t latency_ps = 0;
    bill_clear(&t->bill);
    for (size_t i = 0; i < v->nmoves; i++)
        if (charge_move(t, &v->moves[i], way, &latency_ps, err, err_nbytes) !=
            0)
            return -1;
    if (n->flops > 0 && charge_flops(t, n, err, err_nbytes) != 0)
        return -1;
    *out = settle_bill(t, n->place);
    out->latency_ps = latency_ps;
    limit_in_flight(t, v, latency_ps, out);
    return 0;
}

static int cost_of_copy(struct cost_table *t, const struct graph_view *v,
                        struct cost *out, char *err, size_t err_nbytes)
{
    const struct graph_move *const m = v->moves;
    const enum topo_way way =
        v->node.flags & GRAPH_STAGED ? TOPO_STAGED : TOPO_DIRECT;
    if (v->node.flags & GRAPH_NETWORK)
        return cost_of_pieces(t, v, TOPO_NETWORK, out, err, err_nbytes);
    if (v->nmoves != 1)
        return cost_of_pieces(t, v, way, out, err, err_nbytes);
    const struct path_cost *const p = find_path(
        t, m->from, m->to,
        way == TOPO_DIRECT && is_gpu(t->topo, m->from) &&
                is_gpu(t->topo, m->to) && topo_p2p(t->topo, m->from, m->to)
            ? TOPO_DIRECT
            : TOPO_STAGED,
        err, err_nbytes);
    if (!p)
        return -1;
    *out = transfer(p, m->nbytes);
    return 0;
}

/* ---- collectives, messages ----------------------------------------------- */

/* The machine's loads as a flow whose unit is a byte of the largest load. */
static int from_loads(const struct cost_table *t, const struct topo_coll *c,
                      struct cost *out)
{
    struct maxmin_use *const use =
        malloc((c->nloads ? c->nloads : 1) * sizeof *use);
    double most = 0;
    int n = 0;
    if (!use)
        return -1;
    for (int i = 0; i < c->nloads; i++)
        if (c->loads[i].work > most)
            most = c->loads[i].work;
    for (int i = 0; i < c->nloads; i++)
        if (c->loads[i].work > 0)
            use[n++] = (struct maxmin_use){c->loads[i].resource,
                                           c->loads[i].work / most};
    const double sec = (double)(c->time_ps - c->latency_ps) * 1e-12;
    *out = (struct cost){.latency_ps = c->latency_ps,
                         .work = most,
                         .cap = sec > 0 ? most / sec : 0,
                         .use = use,
                         .nuses = n,
                         .busiest = find_busiest(t->topo, use, n)};
    if (n == 0) // no shared resources: all of the time is latency
        out->latency_ps = c->time_ps;
    return 0;
}

static int ask_topo(const struct cost_table *t, const struct graph_node *n,
                    const int32_t *place, int nplaces, struct topo_coll *out,
                    char *err, size_t err_nbytes)
{
    if (n->kind != GRAPH_COLL)
        return topo_message(t->topo, place[0], place[1], n->bytes, out, err,
                            err_nbytes);
    const int algos = t->options.algos.of[n->op];
    const int protos = t->options.protos.of[n->op];
    return topo_collective(t->topo, n->op, place, nplaces, n->bytes,
                           algos ? algos : TOPO_ANY, protos ? protos : TOPO_ANY,
                           out, err, err_nbytes);
}

/*
 * The machine's cost of an operation whose places are in t->key, cached under
 * everything it depends on. NULL if memory runs out.
 */
static const struct coll_cost *
find_coll(struct cost_table *t, const struct graph_node *n, int nplaces)
{
    t->key[0] = n->kind == GRAPH_COLL ? n->op : -1;
    memcpy(t->key + 1, &n->bytes, sizeof n->bytes);
    t->key[3] = graph_ctas(n);
    int is_new;
    const uint32_t id =
        intern_id(&t->colls, t->key,
                  ((size_t)nplaces + KEY_PLACES) * sizeof *t->key, &is_new);
    if (id == 0 || (is_new && make_room(&t->coll, id, sizeof *t->coll) != 0))
        return NULL;
    struct coll_cost *const cc = &t->coll[id - 1];
    if (!is_new)
        return cc;

    char err[200] = "no memory";
    struct topo_coll c;
    *cc = (struct coll_cost){0};
    t->ncolls = id;
    int failed =
        ask_topo(t, n, t->key + KEY_PLACES, nplaces, &c, err, sizeof err);
    if (!failed) {
        topo_fix_ctas(t->topo, n->kind == GRAPH_COLL ? n->op : TOPO_OP_SENDRECV,
                      t->key + KEY_PLACES, nplaces, n->bytes, t->key[3], &c);
        failed = from_loads(t, &c, &cc->cost);
        topo_coll_release(&c);
    }
    if (failed)
        cc->wrong = strdup(err);
    return cc;
}

/* Make space for the key of an operation with nplaces. */
static int make_key(struct cost_table *t, size_t nplaces)
{
    if (nplaces + KEY_PLACES <= t->key_room)
        return 0;
    void *const larger =
        realloc(t->key, (nplaces + KEY_PLACES) * sizeof *t->key);
    if (!larger)
        return -1;
    t->key = larger;
    t->key_room = nplaces + KEY_PLACES;
    return 0;
}

static int cost_of_match(struct cost_table *t, const struct graph *g,
                         uint32_t at, struct cost *out, char *err,
                         size_t err_nbytes)
{
    uint32_t n;
    const uint32_t *member = graph_matched(g, at, &n);
    if (!member) {
        member = &at;
        n = 1;
    }
    // The first member has the lowest rank: in a message, the sender.
    const struct graph_node *const first = &g->nodes[member[0]].node;
    const size_t nplaces = first->kind == GRAPH_COLL ? n : 2;
    if (make_key(t, nplaces) != 0)
        return no_memory(err, err_nbytes);
    int32_t *const place = t->key + KEY_PLACES;
    uint64_t latency_ps = 0;
    for (uint32_t i = 0; i < n; i++) {
        const struct graph_node *const m = &g->nodes[member[i]].node;
        if (i < nplaces)
            place[i] = m->place;
        if (m->latency_ps > latency_ps)
            latency_ps = m->latency_ps;
    }
    if (first->kind != GRAPH_COLL)
        place[first->kind == GRAPH_SEND] = first->peer_place;
    if (first->kind == GRAPH_RECV)
        place[1] = first->place;
    const struct coll_cost *const cc = find_coll(t, first, (int)nplaces);
    if (!cc)
        return no_memory(err, err_nbytes);
    if (cc->wrong) {
        snprintf(err, err_nbytes, "%s", cc->wrong);
        return -1;
    }
    *out = cc->cost;
    out->latency_ps += latency_ps;
    return 0;
}

/* ---- any operation ------------------------------------------------------- */

int cost_of(struct cost_table *t, const struct graph *g, uint32_t at,
            struct cost *out, char *err, size_t err_nbytes)
{
    const struct graph_view *const v = &g->nodes[at];
    int failed = 0;
    *out = (struct cost){0};
    switch (v->node.kind) {
    case GRAPH_KERNEL:
    case GRAPH_MEMSET:
        failed = cost_of_pieces(t, v, TOPO_LOADS, out, err, err_nbytes);
        break;
    case GRAPH_COPY: failed = cost_of_copy(t, v, out, err, err_nbytes); break;
    case GRAPH_COLL:
    case GRAPH_SEND:
    case GRAPH_RECV: return cost_of_match(t, g, at, out, err, err_nbytes);
    default: break; // only latency
    }
    out->latency_ps += v->node.latency_ps;
    return failed;
}

/* ---- MPI ----------------------------------------------------------------- */

static int node_of(const struct topo *topo, int32_t place)
{
    if (place < 0)
        return TOPO_HOST_NODE(place);
    return is_gpu(topo, place) ? topo_gpu(topo, place)->node : 0;
}

static uint64_t log2_up(uint32_t n)
{
    uint64_t steps = 0;
    while (steps < 32 && (UINT64_C(1) << steps) < n)
        steps++;
    return steps;
}

uint64_t cost_mpi_ps(const struct cost_table *t, const struct graph_node *at,
                     const struct graph_node *with)
{
    const struct topo_costs *const c = topo_costs(t->topo);
    const uint64_t step_ps =
        node_of(t->topo, at->place) == node_of(t->topo, with->place)
            ? c->mpi_ps
            : c->mpi_net_ps;
    const double sec = at->bytes ? (double)at->bytes / c->mpi_rate : 0;
    const uint64_t bytes_ps = sec < 1e6 ? (uint64_t)(sec * 1e12 + 0.5)
                                        : UINT64_C(1000000000000000000);
    const uint64_t steps = log2_up(at->match_size);
    switch (at->op) {
    case TOPO_OP_BARRIER: return steps * step_ps;
    case TOPO_OP_ALLREDUCE:
    case TOPO_OP_BROADCAST:
    case TOPO_OP_REDUCE: return steps * (step_ps + bytes_ps);
    case TOPO_OP_SENDRECV: return step_ps + bytes_ps;
    default: return steps * step_ps + bytes_ps;
    }
}
