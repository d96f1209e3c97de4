#include "graph/draw/rows.h"

#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* qsort */

#include "base/map.h"
#include "graph/replay/harm.h"
#include "graph/replay/overlap.h"

void rows_release(struct rows *rows)
{
    free(rows->row);
    free(rows->host);
    free(rows->device);
    *rows = (struct rows){0};
}

static int by_place_on_page(const void *a, const void *b)
{
    const struct graph_row *const x = a, *const y = b;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    if (x->is_queue != y->is_queue)
        return x->is_queue - y->is_queue;
    return (x->number > y->number) - (x->number < y->number);
}

static uint64_t key_of(uint32_t rank, int is_queue, uint32_t number)
{
    return (uint64_t)rank << 33 | (uint64_t)is_queue << 32 | number;
}

/* Add the row of a thread or queue if it is missing. Returns -1 if
 * memory runs out. */
static int add_row(struct rows *rows, struct map *known,
                   const struct graph_node *n, int is_queue)
{
    const uint32_t number = is_queue ? n->queue : n->thread;
    uint64_t *const at = map_at(known, key_of(n->rank, is_queue, number));
    if (!at)
        return -1;
    if (*at)
        return 0;
    if ((rows->n & (rows->n - 1)) == 0) {
        void *const larger = realloc(rows->row, (rows->n ? 2 * rows->n : 1) *
                                                    sizeof(struct graph_row));
        if (!larger)
            return -1;
        rows->row = larger;
    }
    *at = 1;
    rows->row[rows->n++] = (struct graph_row){.rank = n->rank,
                                              .is_queue = is_queue,
                                              .number = number,
                                              .place = n->place};
    return 0;
}

static void name_row(struct graph_row *row, const struct graph *g)
{
    const char *name = "stream";
    for (size_t i = 0; i < g->nqueues; i++)
        if (row->is_queue && g->queues[i].rank == row->rank &&
            g->queues[i].queue == row->number)
            name = g->queues[i].name;
    if (row->is_queue)
        snprintf(row->name, sizeof row->name, "rank %u G%d %s %u", row->rank,
                 row->place, name, row->number);
    else if (row->number == 0)
        snprintf(row->name, sizeof row->name, "rank %u host", row->rank);
    else if (row->number >= GRAPH_FUNCTIONS)
        snprintf(row->name, sizeof row->name,
                 "rank %u host functions, stream %u", row->rank,
                 row->number - GRAPH_FUNCTIONS);
    else
        snprintf(row->name, sizeof row->name, "rank %u host thread %u",
                 row->rank, row->number);
}

/* Number the rows from 1 in `known`, and store each node's rows. */
static int place_nodes(struct rows *rows, struct map *known,
                       const struct graph *g)
{
    for (uint32_t i = 0; i < rows->n; i++) {
        const struct graph_row *const r = &rows->row[i];
        uint64_t *const at =
            map_at(known, key_of(r->rank, r->is_queue, r->number));
        if (!at)
            return -1;
        *at = i + 1;
    }
    for (uint32_t at = 0; at < g->nnodes; at++) {
        const struct graph_node *const n = &g->nodes[at].node;
        rows->host[at] = map_get(known, key_of(n->rank, 0, n->thread)) - 1;
        rows->device[at] =
            n->queue ? map_get(known, key_of(n->rank, 1, n->queue)) - 1
                     : GRAPH_NOWHERE;
    }
    return 0;
}

int rows_init(struct rows *rows, const struct graph *g)
{
    struct map known = {0};
    *rows = (struct rows){0};
    rows->host = malloc(((size_t)g->nnodes + 1) * sizeof *rows->host);
    rows->device = malloc(((size_t)g->nnodes + 1) * sizeof *rows->device);
    int failed = !rows->host || !rows->device;
    for (uint32_t at = 0; at < g->nnodes && !failed; at++) {
        const struct graph_node *const n = &g->nodes[at].node;
        failed = add_row(rows, &known, n, 0) ||
                 (n->queue && add_row(rows, &known, n, 1));
    }
    if (!failed && rows->n) {
        qsort(rows->row, rows->n, sizeof *rows->row, by_place_on_page);
        for (uint32_t i = 0; i < rows->n; i++)
            name_row(&rows->row[i], g);
        failed = place_nodes(rows, &known, g);
    }
    map_release(&known);
    if (failed)
        rows_release(rows);
    return failed ? -1 : 0;
}

/* ---- pieces -------------------------------------------------------------- */

static void give(piece_fn *fn, void *arg, struct graph_piece p, enum look look,
                 uint64_t begin_ps, uint64_t end_ps)
{
    p.look = look;
    p.begin_ps = begin_ps;
    p.end_ps = end_ps;
    if (begin_ps < end_ps)
        fn(arg, &p);
}

static void device_pieces(struct graph_piece p, const struct graph_view *v,
                          const struct replay_time *t, const struct overlap *o,
                          piece_fn *fn, void *arg)
{
    if (!overlap_is_comm(v)) {
        give(fn, arg, p,
             v->node.kind == GRAPH_KERNEL ? LOOK_COMPUTE : LOOK_LOCAL,
             t->start_ps, t->end_ps);
        return;
    }
    give(fn, arg, p, LOOK_PENDING, t->ready_ps, t->start_ps);
    uint64_t until_ps;
    for (uint64_t from = t->start_ps; from < t->end_ps; from = until_ps) {
        const int hidden =
            overlap_at(o, v->node.place, from, t->end_ps, &until_ps);
        give(fn, arg, p, hidden ? LOOK_HIDDEN : LOOK_EXPOSED, from, until_ps);
    }
}

void rows_pieces(const struct rows *rows, const struct graph *g,
                 const struct replay_time *time, const struct overlap *o,
                 uint32_t at, piece_fn *fn, void *arg)
{
    const struct graph_view *const v = &g->nodes[at];
    const struct replay_time *const t = &time[at];
    const uint64_t host_ps =
        v->node.host_ps < t->issue_ps ? v->node.host_ps : t->issue_ps;
    struct graph_piece p = {.node = at, .row = rows->host[at]};
    const uint64_t lost_ps = harms_host_lost_ps(g, time, at);
    give(fn, arg, p, LOOK_FAULT, t->issue_ps - host_ps - lost_ps,
         t->issue_ps - host_ps);
    give(fn, arg, p, LOOK_HOST, t->issue_ps - host_ps, t->issue_ps);
    if (v->node.queue == 0 || (v->node.flags & GRAPH_JOIN))
        give(fn, arg, p, LOOK_WAIT, t->issue_ps, t->end_ps);
    p.row = rows->device[at];
    if (v->node.queue)
        device_pieces(p, v, t, o, fn, arg);
}
