#include "graph/explain/path.h"

#include <stdlib.h> /* realloc */

struct walk { /* goes backwards from the last operation */
    const struct graph *g;
    const struct replay_time *time;
    const char *in;    /* NULL, or the operations of a part of the run */
    uint64_t begin_ps; /* when the run or the part begins */
    struct path path;  /* in reverse: the last step first */
    size_t room;
};

/* The next point of a walk: the end of a node, or the end of its host part. */
struct point {
    uint32_t at; /* GRAPH_NOWHERE: the beginning of the run */
    int host;
};

void path_release(struct path *p)
{
    free(p->step);
    *p = (struct path){0};
}

/* Add a step, unless it takes no time. */
static int add(struct walk *w, uint32_t at, enum path_part part,
               uint64_t begin_ps, uint64_t end_ps)
{
    if (begin_ps < w->begin_ps)
        begin_ps = w->begin_ps;
    if (begin_ps >= end_ps)
        return 0;
    if (w->path.n == w->room) {
        const size_t room = w->room ? 2 * w->room : 64;
        void *const larger = realloc(w->path.step, room * sizeof *w->path.step);
        if (!larger)
            return -1;
        w->path.step = larger;
        w->room = room;
    }
    w->path.step[w->path.n++] = (struct path_step){at, part, begin_ps, end_ps};
    return 0;
}

static int waits(const struct graph_node *n)
{
    return n->queue == 0 || (n->flags & GRAPH_JOIN);
}

/* ---- the last of those awaited ------------------------------------------- */

/* True if the end of `at` waits for member m of its match. */
static int meets(const struct graph_node *at, const struct graph_node *m)
{
    switch (graph_time_match(at)) {
    case GRAPH_MATCH_ALL: return 1;
    case GRAPH_MATCH_TO_ROOT: return at->match_rank == at->match_root;
    default: return m->match_rank == m->match_root;
    }
}

uint32_t path_last_to_come(const struct graph *g,
                           const struct replay_time *time, uint32_t at)
{
    const struct graph_node *const node = &g->nodes[at].node;
    uint32_t n, last = at;
    const uint32_t *const member = graph_matched(g, at, &n);
    for (uint32_t i = 0; i < n; i++)
        if (meets(node, &g->nodes[member[i]].node) &&
            time[member[i]].ready_ps > time[last].ready_ps)
            last = member[i];
    return last;
}

/* The node that ended at ready_ps, among `last` and those of its group before
 * it in its queue. GRAPH_NOWHERE if none did. */
static uint32_t ended_at(const struct graph *g, const struct replay_time *time,
                         uint32_t last, uint64_t ready_ps)
{
    const uint32_t group = g->nodes[last].node.group;
    uint32_t q = last;
    while (q != GRAPH_NOWHERE && time[q].end_ps != ready_ps) {
        const uint32_t before = graph_queue_prev(g, q);
        q = before != GRAPH_NOWHERE && group &&
                    g->nodes[before].node.group == group
                ? before
                : GRAPH_NOWHERE;
    }
    return q;
}

uint32_t path_awaited(const struct graph *g, const struct replay_time *time,
                      uint32_t at)
{
    const struct graph_view *const v = &g->nodes[at];
    const uint64_t ready_ps = time[at].ready_ps;
    for (uint32_t i = 0; i < v->node.ndeps; i++) {
        const uint32_t dep = graph_dep(g, at, i);
        const uint32_t last = dep == GRAPH_NOWHERE
                                  ? GRAPH_NOWHERE
                                  : ended_at(g, time, dep, ready_ps);
        if (last != GRAPH_NOWHERE)
            return last;
    }
    // Adjacent nodes of a group start together, as do those before them.
    uint32_t q = graph_queue_prev(g, at);
    while (q != GRAPH_NOWHERE && v->node.group &&
           g->nodes[q].node.group == v->node.group)
        q = graph_queue_prev(g, q);
    return q == GRAPH_NOWHERE ? q : ended_at(g, time, q, ready_ps);
}

/* ---- steps --------------------------------------------------------------- */

/* Add the node's host part; continue with the previous call of its thread. */
static int step_host(struct walk *w, uint32_t at, struct point *next)
{
    const uint64_t end_ps = w->time[at].issue_ps;
    const uint64_t host_ps = w->g->nodes[at].node.host_ps;
    *next = (struct point){graph_thread_prev(w->g, at), 0};
    if (next->at != GRAPH_NOWHERE)
        next->host = !waits(&w->g->nodes[next->at].node);
    return add(w, at, PATH_HOST, host_ps < end_ps ? end_ps - host_ps : 0,
               end_ps);
}

/* Add the time from the node's readiness to its end; continue with the last of
 * the nodes that it waited for. */
static int step_end(struct walk *w, uint32_t at, struct point *next)
{
    const int device = w->g->nodes[at].node.queue != 0;
    const uint32_t last = path_last_to_come(w->g, w->time, at);
    const uint64_t ready_ps = w->time[last].ready_ps;
    if (add(w, at, device ? PATH_DEVICE : PATH_WAIT, ready_ps,
            w->time[at].end_ps) != 0)
        return -1;
    const uint32_t before = path_awaited(w->g, w->time, last);
    *next = before == GRAPH_NOWHERE ? (struct point){last, 1}
                                    : (struct point){before, 0};
    return 0;
}

/* The operation that ended last; if there are several, the first of them. */
static uint32_t find_last(const struct walk *w)
{
    uint32_t last = GRAPH_NOWHERE;
    for (uint32_t at = 0; at < w->g->nnodes; at++)
        if ((!w->in || w->in[at]) &&
            (last == GRAPH_NOWHERE ||
             w->time[at].end_ps > w->time[last].end_ps))
            last = at;
    return last;
}

/* When the first call of the part begins. */
static uint64_t find_begin(const struct walk *w)
{
    uint64_t begin_ps = UINT64_MAX;
    for (uint32_t at = 0; at < w->g->nnodes; at++) {
        const uint64_t host_ps = w->g->nodes[at].node.host_ps;
        const uint64_t issue_ps = w->time[at].issue_ps;
        if (w->in[at] && issue_ps - host_ps < begin_ps)
            begin_ps = issue_ps - host_ps;
    }
    return begin_ps;
}

static int find_chain(struct walk *w, struct path *p)
{
    const struct graph *const g = w->g;
    struct point here = {find_last(w), 0};
    // Each point is passed once, unless the run never ended (replay.h).
    for (size_t left = 2 * (size_t)g->nnodes; left && here.at != GRAPH_NOWHERE;
         left--) {
        struct point next;
        if ((here.host ? step_host(w, here.at, &next)
                       : step_end(w, here.at, &next)) != 0) {
            path_release(&w->path);
            return -1;
        }
        here = next;
    }
    for (size_t i = 0, k = w->path.n; i + 1 < k; i++) {
        const struct path_step step = w->path.step[i];
        w->path.step[i] = w->path.step[--k];
        w->path.step[k] = step;
    }
    *p = w->path;
    return 0;
}

int path_find(struct path *p, const struct graph *g,
              const struct replay_time *time)
{
    struct walk w = {.g = g, .time = time};
    return find_chain(&w, p);
}

int path_find_part(struct path *p, const struct graph *g,
                   const struct replay_time *time, const char *in)
{
    struct walk w = {.g = g, .time = time, .in = in};
    w.begin_ps = find_begin(&w);
    return find_chain(&w, p);
}
