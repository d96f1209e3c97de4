#include "judge/graph/counts.h"

#include <math.h>   /* isnan */
#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* atoi */
#include <string.h> /* strcmp */

#include "base/map.h"
#include "graph/record/read.h"
#include "judge/graph/held.h"
#include "judge/graph/spans.h"

/* These names don't have the form of an iteration's range, so the ranges are
 * not sections (sections.h). */
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

/* True if the name of a node's call starts with `prefix`. */
static int is_call(const struct graph_view *v, const char *prefix)
{
    return v->part == 0 && strncmp(v->name, prefix, strlen(prefix)) == 0;
}

/* The place that a put writes to; the node's own place if it is not a put. */
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

/* True if a rank receives something from another one. */
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

/* Bytes sent to rank `to`, or to all ranks if it is -1. */
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
    struct map seen = {0}; // by group: 1 if it has been counted
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

/*
 * The bytes held at the marks with this name: the least of them if `least`,
 * else the most; NaN if there are none. A student gains nothing by adding such
 * marks.
 */
static double held_at(const struct held *h, const struct graph *g, int rank,
                      const char *name, int least)
{
    double found = NAN;
    const char *other = NULL; // the last other span, which most nodes share
    for (uint32_t at = g->first[rank]; at < g->first[rank + 1]; at++) {
        const struct graph_view *const v = &g->nodes[at];
        if (v->part != 0 || v->span == other)
            continue;
        if (strcmp(v->span, name) != 0) {
            other = v->span;
            continue;
        }
        const double now = held_most(h, v->node.index, v->node.index);
        if (isnan(found) || (least ? now < found : now > found))
            found = now;
    }
    return found;
}

/* The bytes that are held at lab_given() without those that the student's code
 * has allocated, in this case or an earlier one. */
static double given(const struct held *h, const struct held *own,
                    const struct graph *g, int rank, const char *name)
{
    return held_at(h, g, rank, name, 1) -
           (own ? held_at(own, g, rank, name, 0) : 0);
}

static double memory(const struct judge_task *t, int rank, int iteration,
                     const char *name, const struct spans_window *w)
{
    char range[SPANS_NAME];
    const struct graph *const g = t->graph;
    const struct held *const h = spans_held(t->spans, rank, NULL);
    const struct held *const own =
        t->plan ? spans_held(t->spans, rank, t->plan) : NULL;
    const uint32_t first = g->nodes[w->first].node.index;
    const uint32_t last = g->nodes[w->last].node.index;
    if (!h)
        return NAN;
    if (strcmp(name, "peak_bytes") == 0)
        return held_most(h, first, last);
    if (strcmp(name, "device_bytes") == 0)
        return held_most(h, last, last);
    if (strcmp(name, "before_bytes") == 0)
        return given(h, own, g, rank,
                     judge_given_name(t->c->name, iteration, range));
    if (strcmp(name, "state_nbytes") == 0)
        return held_at(h, g, rank,
                       judge_held_name(t->c->name, iteration, range), 0) -
               held_most(h, first, first) +
               (own ? held_most(own, first, first) : 0);
    return NAN;
}

/* ---- all counts ---------------------------------------------------------- */

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
