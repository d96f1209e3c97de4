#define _GNU_SOURCE
#include "core/watch/hang.h"

#include <stdarg.h> /* va_list */
#include <stdio.h>  /* vsnprintf */
#include <stdlib.h> /* calloc */
#include <unistd.h> /* close */

#include "core/peer.h"
#include "graph/record/read.h"

enum { MAX_STEPS = 64 };

struct chain { /* a chain of waits that is being followed */
    struct graph *g;
    struct {
        uint32_t rank, thread, at;
    } step[MAX_STEPS]; /* the waits so far */
    int nsteps;
    char *out;
    size_t nbytes, used;
};

static void say(struct chain *c, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void say(struct chain *c, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const int n =
        vsnprintf(c->out + c->used, c->nbytes - c->used, format, args);
    va_end(args);
    if (n > 0)
        c->used += (size_t)n;
    if (c->used >= c->nbytes)
        c->used = c->nbytes - 1;
}

/* ---- the job's graphs ---------------------------------------------------- */

static const struct control *control_of(uint32_t rank)
{
    const struct peer *const p = peer_find(rank);
    return rank == simgpu_proc()->rank ? control_own() : p ? p->control : NULL;
}

static int has_ended(uint32_t rank)
{
    const struct peer *const p = peer_find(rank);
    return rank != simgpu_proc()->rank && p && !peer_alive(p);
}

static struct graph *job_graph(void)
{
    char err[256];
    const uint32_t n = simgpu_proc()->nranks;
    int *const fd = calloc(n, sizeof *fd);
    for (uint32_t rank = 0; fd && rank < n; rank++) {
        const struct peer *const p = peer_find(rank);
        fd[rank] = rank == simgpu_proc()->rank
                       ? dup(graph_fd(simgpu_proc()->graph))
                   : p && peer_alive(p) ? peer_open_graph(p)
                                        : -1;
    }
    struct graph *const g = fd ? graph_map(fd, n, err, sizeof err) : NULL;
    for (uint32_t rank = 0; fd && rank < n; rank++)
        if (fd[rank] >= 0)
            close(fd[rank]);
    free(fd);
    return g;
}

static const char *site_of(const struct chain *c, const struct graph_view *v,
                           char out[256])
{
    return graph_site_text_of(c->g, v->node.rank, v->node.site, out, 256);
}

/* ---- waits --------------------------------------------------------------- */

/* The wait of a rank's main thread (queue 0), or of a stream's worker. */
static const struct control_wait *wait_of(const struct chain *c, uint32_t rank,
                                          uint32_t queue)
{
    const struct control *const p = control_of(rank);
    for (uint32_t i = 0; p && i < p->nwaits && i < CONTROL_WAITS; i++) {
        const struct control_wait *const w = &p->wait[i];
        const struct graph_view *const v =
            w->at ? graph_node_at(c->g, (struct graph_ref){rank, w->at}) : NULL;
        if (queue == 0 ? w->thread == 0
                       : w->thread == UINT32_MAX && v && v->node.queue == queue)
            return w;
    }
    return NULL;
}

/* True if the chain has reached this wait before; otherwise add the wait. */
static int is_cycle(struct chain *c, uint32_t rank, uint32_t thread,
                    uint32_t at)
{
    for (int i = 0; i < c->nsteps; i++)
        if (c->step[i].rank == rank && c->step[i].thread == thread &&
            c->step[i].at == at)
            return 1;
    if (c->nsteps == MAX_STEPS)
        return 1;
    c->step[c->nsteps].rank = rank;
    c->step[c->nsteps].thread = thread;
    c->step[c->nsteps++].at = at;
    return 0;
}

/* The next link of the chain. */
struct next {
    enum { NOTHING, HOST, NODE } what;
    uint32_t rank, node;
};

/* What is missing from the match of node v: a rank, and its part if that is in
 * its graph. NOTHING if it cannot be identified. */
static struct next missing(const struct chain *c, const struct graph_view *v)
{
    uint32_t n;
    const uint32_t *const member = graph_matched(
        c->g, graph_find(c->g, (struct graph_ref){v->node.rank, v->node.index}),
        &n);
    for (uint32_t i = 0; i < n; i++) {
        const struct graph_node *const m = &c->g->nodes[member[i]].node;
        const struct control_wait *const w =
            m->queue ? wait_of(c, m->rank, m->queue) : NULL;
        if (m->queue && w && w->at != m->index)
            return (struct next){NODE, m->rank, m->index};
    }
    if (v->node.match_size != c->g->nranks || n == v->node.match_size)
        return (struct next){NOTHING, c->g->nranks, 0};
    for (uint32_t rank = 0; rank < c->g->nranks; rank++) {
        uint32_t i = 0;
        while (i < n && c->g->nodes[member[i]].node.rank != rank)
            i++;
        if (i == n)
            return (struct next){HOST, rank, 0};
    }
    return (struct next){NOTHING, c->g->nranks, 0};
}

/* The rank of the device at the other end of a message. */
static uint32_t rank_at(const struct chain *c, int32_t place)
{
    for (size_t i = 0; i < c->g->nqueues; i++)
        if (c->g->queues[i].place == place)
            return c->g->queues[i].rank;
    return c->g->nranks;
}

/* Follow node v, which is running and waits for its match. */
static struct next follow_match(struct chain *c, const struct graph_view *v)
{
    char site[256];
    struct next next = missing(c, v);
    if (next.what == NOTHING &&
        (v->node.kind == GRAPH_SEND || v->node.kind == GRAPH_RECV)) {
        const uint32_t rank = rank_at(c, v->node.peer_place);
        if (rank < c->g->nranks)
            next = (struct next){HOST, rank, 0};
    }
    if (next.what == NOTHING) {
        say(c, "\n");
        return next;
    }
    if (next.what == HOST) {
        say(c, ",\n    which rank %u has not called:\n", next.rank);
        return next;
    }
    const struct graph_view *const part =
        graph_node_at(c->g, (struct graph_ref){next.rank, next.node});
    say(c, ",\n    whose part on rank %u, at %s, is still queued:\n", next.rank,
        site_of(c, part, site));
    return next;
}

/* Follow an operation that is waited for: find what delays it. */
static struct next follow_node(struct chain *c, struct next from)
{
    char site[256];
    const struct graph_view *const v =
        graph_node_at(c->g, (struct graph_ref){from.rank, from.node});
    if (!v)
        return (struct next){NOTHING, 0, 0};
    if (v->node.queue == 0) // a call of MPI
        return follow_match(c, v);
    const struct control_wait *const w = wait_of(c, from.rank, v->node.queue);
    const struct graph_view *const busy =
        w ? graph_node_at(c->g, (struct graph_ref){from.rank, w->at}) : NULL;
    if (!busy)
        return (struct next){NOTHING, 0, 0};
    if (is_cycle(c, from.rank, UINT32_MAX, w->at)) {
        say(c, "  rank %u: %s at %s again: a cycle\n", from.rank, busy->name,
            site_of(c, busy, site));
        return (struct next){NOTHING, 0, 0};
    }
    say(c, "  rank %u: stream %u is in %s at %s", from.rank, v->node.queue,
        busy->name, site_of(c, busy, site));
    if (w->node && w->node != w->at) {
        say(c, ",\n    which depends on another operation:\n");
        return (struct next){NODE, from.rank, w->node};
    }
    return follow_match(c, busy);
}

/* Follow a rank whose main thread has not made a call: find where it is. */
static struct next follow_host(struct chain *c, struct next from)
{
    char site[256];
    if (has_ended(from.rank)) {
        say(c, "  rank %u: has ended\n", from.rank);
        return (struct next){NOTHING, 0, 0};
    }
    const struct control_wait *const w = wait_of(c, from.rank, 0);
    if (!w)
        return (struct next){NOTHING, 0, 0};
    graph_site_text_of(c->g, from.rank, w->site, site, sizeof site);
    if (is_cycle(c, from.rank, 0, 0)) {
        say(c, "  rank %u: %s at %s again: a cycle\n", from.rank, w->call,
            site);
        return (struct next){NOTHING, 0, 0};
    }
    const struct graph_view *const v =
        w->node ? graph_node_at(c->g, (struct graph_ref){from.rank, w->node})
                : NULL;
    say(c, "  rank %u: main is in %s at %s", from.rank, w->call, site);
    if (v && v->node.queue)
        say(c, ",\n    which waits for stream %u:\n", v->node.queue);
    if (v)
        return (struct next){NODE, from.rank, w->node};
    say(c, "\n");
    if (w->peer)
        return (struct next){HOST, w->peer - 1, 0};
    return (struct next){NOTHING, 0, 0};
}

size_t hang_explain(char *out, size_t nbytes)
{
    struct chain c = {.g = job_graph(), .out = out, .nbytes = nbytes};
    out[0] = 0;
    if (!c.g)
        return 0;
    struct next next = {HOST, 0, 0};
    while (next.rank < c.g->nranks && !wait_of(&c, next.rank, 0))
        next.rank++;
    if (next.rank == c.g->nranks)
        next.what = NOTHING;
    while (next.what != NOTHING)
        next =
            next.what == HOST ? follow_host(&c, next) : follow_node(&c, next);
    graph_free(c.g);
    return c.used;
}
