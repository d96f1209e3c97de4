#include "judge/counts.h"

#include <math.h>   /* isnan */
#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* atoi */
#include <string.h> /* strcmp */

#include "base/map.h"
#include "graph/read.h"
#include "judge/spans.h"

/* Not numbered as iterations are: these ranges are no sections (sections.h). */
const char *judge_given_name(const char *case_name, int iteration, char *out)
{
    snprintf(out, SPANS_NAME, "%.60s given %d", case_name, iteration);
    return out;
}

const char *judge_held_name(const char *case_name, int iteration, char *out)
{
    snprintf(out, SPANS_NAME, "%.60s held %d", case_name, iteration);
    return out;
}

/* ---- messages ------------------------------------------------------------ */

/* True if a node's call begins so. */
static int is_call(const struct graph_view *v, const char *prefix)
{
    return v->part == 0 && strncmp(v->name, prefix, strlen(prefix)) == 0;
}

/* The place that a put writes to; its own if the node is not a put. */
static int32_t put_to(const struct graph_view *v)
{
    return v->node.kind == GRAPH_COPY && is_call(v, "ncclPut") && v->nmoves
               ? v->moves[0].to
               : v->node.place;
}

/* True if a rank sends something to another one. */
static int is_message(const struct graph_view *v)
{
    if (v->part != 0)
        return 0;
    return v->node.kind == GRAPH_SEND ? v->node.place != v->node.peer_place
                                      : put_to(v) != v->node.place;
}

/* True if something arrives from another rank. */
static int is_arrival(const struct graph_view *v)
{
    return v->part == 0 && v->node.kind == GRAPH_RECV &&
           v->node.place != v->node.peer_place;
}

/* The rank whose device is at a place; -1 if no operation ran there. */
static int rank_at(const struct graph *g, int32_t place)
{
    for (uint32_t at = 0; at < g->nnodes; at++)
        if (g->nodes[at].node.queue && g->nodes[at].node.place == place)
            return (int)g->nodes[at].node.rank;
    return -1;
}

/* The rank that a message goes to; -1 if it is not in the graph. */
static int receiver(const struct graph *g, uint32_t at)
{
    uint32_t n;
    const uint32_t *const member = graph_matched(g, at, &n);
    if (g->nodes[at].node.kind != GRAPH_SEND)
        return rank_at(g, put_to(&g->nodes[at]));
    return n == 2 && member[1] != GRAPH_NOWHERE
               ? (int)g->nodes[member[1]].node.rank
               : -1;
}

static double messages(const struct graph *g, const struct spans_window *w)
{
    double n = 0;
    for (uint32_t at = w->first; at <= w->last; at++)
        n += is_message(&g->nodes[at]);
    return n;
}

/* to: rank, or -1 for all */
static double sent_bytes(const struct graph *g, const struct spans_window *w,
                         int to)
{
    double sum = 0;
    for (uint32_t at = w->first; at <= w->last; at++)
        if (is_message(&g->nodes[at]) && (to < 0 || receiver(g, at) == to))
            sum += (double)g->nodes[at].node.bytes;
    return sum;
}

static double rounds(const struct graph *g, const struct spans_window *w)
{
    struct map seen = {0}; // groups
    double n = 0;
    for (uint32_t at = w->first; at <= w->last; at++) {
        const struct graph_view *const v = &g->nodes[at];
        if (!is_message(v) && !is_arrival(v))
            continue;
        uint64_t *const is =
            v->node.group ? map_at(&seen, v->node.group) : NULL;
        n += !is || !*is;
        if (is)
            *is = 1;
    }
    map_release(&seen);
    return n;
}

/* ---- calls --------------------------------------------------------------- */

static double collectives(const struct graph *g, const struct spans_window *w)
{
    double n = 0;
    for (uint32_t at = w->first; at <= w->last; at++)
        n += g->nodes[at].node.kind == GRAPH_COLL &&
             is_call(&g->nodes[at], "nccl");
    return n;
}

static double comms(const struct graph *g, const struct spans_window *w)
{
    static const char *const makes[] = {"ncclCommInit", "ncclCommSplit",
                                        "ncclCommShrink", "ncclCommGrow"};
    double n = 0;
    for (uint32_t at = w->first; at <= w->last; at++)
        for (size_t i = 0; i < sizeof makes / sizeof *makes; i++)
            n += g->nodes[at].node.kind == GRAPH_HOST &&
                 is_call(&g->nodes[at], makes[i]);
    return n;
}

/* ---- device memory ------------------------------------------------------- */

struct change {     /* of the device memory that a rank holds */
    uint32_t after; /* the node with this index */
    int64_t nbytes;
};

struct held { /* by one rank, in the order of its calls */
    struct change *change;
    size_t n;
};

static int by_order(const void *x, const void *y)
{
    const struct change *const a = x, *const b = y;
    if (a->after != b->after)
        return a->after < b->after ? -1 : 1;
    return (a->nbytes > b->nbytes) - (a->nbytes < b->nbytes);
}

static void add(struct held *h, uint32_t after, int64_t nbytes)
{
    h->change[h->n++] = (struct change){after, nbytes};
}

static int is_device(const struct graph_alloc_note *a, uint32_t rank)
{
    return a->alloc >> 32 == rank && a->place >= 0 && a->nbytes > 0;
}

/* Add the ends of allocations of these sizes, and note them as freed, once. */
static int add_frees(struct held *h, const struct graph_view *v,
                     const struct map *size, struct map *freed)
{
    for (size_t i = 0; i < v->naccesses; i++) {
        const struct graph_access *const a = &v->accesses[i];
        const uint64_t nbytes = map_get(size, a->alloc);
        if ((a->write & GRAPH_TOUCH) != GRAPH_FREE || nbytes == 0)
            continue;
        uint64_t *const is = map_at(freed, a->alloc);
        if (!is)
            return -1;
        if (!*is)
            add(h, v->node.index, -(int64_t)nbytes);
        *is = 1;
    }
    return 0;
}

/* Add the rank's allocations. A part of a graph lacks the ends of what ended
 * before it: of what began before, only what ends in it counts. */
static void add_allocs(struct held *h, const struct graph *g, uint32_t rank,
                       const struct map *freed)
{
    for (size_t i = 0; i < g->nallocs; i++) {
        const struct graph_alloc_note *const a = &g->allocs[i];
        const int is_old = g->is_part && a->after <= g->since[rank];
        if (is_device(a, rank) && (!is_old || map_get(freed, a->alloc)))
            add(h, a->after, (int64_t)a->nbytes);
    }
}

/* All changes of a rank's device memory. -1 if memory runs out. */
static int find_held(struct held *h, const struct graph *g, uint32_t rank)
{
    struct map size = {0}, freed = {0}; // of the rank's allocations
    *h = (struct held){calloc(2 * g->nallocs + 1, sizeof *h->change), 0};
    int err = h->change ? 0 : -1;
    for (size_t i = 0; i < g->nallocs && !err; i++) {
        const struct graph_alloc_note *const a = &g->allocs[i];
        if (!is_device(a, rank))
            continue;
        uint64_t *const nbytes = map_at(&size, a->alloc);
        err = nbytes ? 0 : -1;
        if (nbytes)
            *nbytes = a->nbytes;
    }
    for (uint32_t at = g->first[rank]; at < g->first[rank + 1] && !err; at++)
        err = add_frees(h, &g->nodes[at], &size, &freed);
    if (!err) {
        add_allocs(h, g, rank, &freed);
        qsort(h->change, h->n, sizeof *h->change, by_order);
    }
    map_release(&size);
    map_release(&freed);
    return err;
}

/* The most that is held from just before node `first` to just before `last`. */
static double most_held(const struct held *h, uint32_t first, uint32_t last)
{
    int64_t now = 0;
    size_t i = 0;
    while (i < h->n && h->change[i].after < first)
        now += h->change[i++].nbytes;
    int64_t most = now;
    for (; i < h->n && h->change[i].after < last; i++) {
        now += h->change[i].nbytes;
        most = now > most ? now : most;
    }
    return (double)most;
}

static double held_before(const struct held *h, uint32_t index)
{
    return most_held(h, index, index);
}

/*
 * What is held at the marks of this name, the least or the most of them; NaN if
 * there is none. Student code that makes marks of this name gains nothing.
 */
static double held_at(const struct held *h, const struct graph *g, int rank,
                      const char *name, int least)
{
    double found = NAN;
    for (uint32_t at = g->first[rank]; at < g->first[rank + 1]; at++) {
        const struct graph_view *const v = &g->nodes[at];
        if (v->part != 0 || strcmp(v->span, name) != 0)
            continue;
        const double now = held_before(h, v->node.index);
        if (isnan(found) || (least ? now < found : now > found))
            found = now;
    }
    return found;
}

static double memory(const struct judge_task *t, int rank, int iteration,
                     const char *name, const struct spans_window *w)
{
    struct held h;
    char range[SPANS_NAME];
    const struct graph *const g = t->graph;
    const uint32_t first = g->nodes[w->first].node.index;
    const uint32_t last = g->nodes[w->last].node.index;
    double is = NAN;
    if (find_held(&h, g, (uint32_t)rank) == 0) {
        const double begin = held_before(&h, first);
        if (strcmp(name, "peak_bytes") == 0)
            is = most_held(&h, first, last);
        else if (strcmp(name, "device_bytes") == 0)
            is = held_before(&h, last);
        else if (strcmp(name, "before_bytes") == 0)
            is = held_at(&h, g, rank,
                         judge_given_name(t->c->name, iteration, range), 1);
        else if (strcmp(name, "state_nbytes") == 0)
            is = held_at(&h, g, rank,
                         judge_held_name(t->c->name, iteration, range), 0) -
                 begin;
    }
    free(h.change);
    return is;
}

/* ---- all of them --------------------------------------------------------- */

double judge_count(const struct judge_task *t, int rank, int iteration,
                   const char *name, struct judge_verdict *v)
{
    static const char to[] = "sent_to.";
    struct spans_window w;
    if (t->graph_problem) {
        judge_fail(v, "cannot be judged: %s", t->graph_problem);
        return NAN;
    }
    if (!t->spans) // real GPUs
        return evidence_metric(t->evidence, rank, t->case_no,
                               (unsigned)iteration, name);
    if (spans_window(t, rank, iteration, &w) != 0)
        return NAN;
    if (strcmp(name, "messages") == 0)
        return messages(t->graph, &w);
    if (strcmp(name, "sent_bytes") == 0)
        return sent_bytes(t->graph, &w, -1);
    if (strncmp(name, to, sizeof to - 1) == 0)
        return sent_bytes(t->graph, &w, atoi(name + sizeof to - 1));
    if (strcmp(name, "rounds") == 0)
        return rounds(t->graph, &w);
    if (strcmp(name, "collectives") == 0)
        return collectives(t->graph, &w);
    if (strcmp(name, "comms") == 0)
        return comms(t->graph, &w);
    return memory(t, rank, iteration, name, &w);
}
