#include "graph/agenda.h"

#include <stdlib.h> /* calloc */

int agenda_init(struct agenda *a, const struct graph *graph)
{
    *a = (struct agenda){.graph = graph};
    a->place = calloc((size_t)graph->nnodes + 1, sizeof *a->place);
    return a->place ? 0 : -1;
}

void agenda_release(struct agenda *a)
{
    free(a->event);
    free(a->place);
    *a = (struct agenda){0};
}

/* Positions are in the order of (rank, index); the queue comes between. */
static int is_before(const struct agenda *a, const struct agenda_event *x,
                     const struct agenda_event *y)
{
    if (x->ps != y->ps)
        return x->ps < y->ps;
    const struct graph_node *const m = &a->graph->nodes[x->node].node;
    const struct graph_node *const n = &a->graph->nodes[y->node].node;
    if (m->rank == n->rank && m->queue != n->queue)
        return m->queue < n->queue;
    return x->node < y->node;
}

static void put(struct agenda *a, uint32_t at, struct agenda_event e)
{
    a->event[at] = e;
    a->place[e.node] = at + 1;
}

/* The event at `at` may be earlier than its parents. */
static void rise(struct agenda *a, uint32_t at)
{
    const struct agenda_event e = a->event[at];
    while (at > 0 && is_before(a, &e, &a->event[(at - 1) / 2])) {
        put(a, at, a->event[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
    put(a, at, e);
}

/* The event at `at` may be later than its children. */
static void sink(struct agenda *a, uint32_t at)
{
    const struct agenda_event e = a->event[at];
    for (;;) {
        uint32_t child = 2 * at + 1;
        if (child >= a->count)
            break;
        if (child + 1 < a->count &&
            is_before(a, &a->event[child + 1], &a->event[child]))
            child++;
        if (!is_before(a, &a->event[child], &e))
            break;
        put(a, at, a->event[child]);
        at = child;
    }
    put(a, at, e);
}

static int add(struct agenda *a, struct agenda_event e)
{
    if (a->count == a->room) {
        const uint32_t room = a->room ? 2 * a->room : 64;
        void *const larger = realloc(a->event, room * sizeof *a->event);
        if (!larger)
            return -1;
        a->event = larger;
        a->room = room;
    }
    put(a, a->count++, e);
    rise(a, a->count - 1);
    return 0;
}

int agenda_set(struct agenda *a, uint32_t node, uint64_t ps)
{
    if (a->place[node] == 0)
        return add(a, (struct agenda_event){ps, node});
    const uint32_t at = a->place[node] - 1;
    const uint64_t before = a->event[at].ps;
    a->event[at].ps = ps;
    if (ps < before)
        rise(a, at);
    else
        sink(a, at);
    return 0;
}

struct agenda_event agenda_pop(struct agenda *a)
{
    const struct agenda_event first = a->event[0];
    a->place[first.node] = 0;
    const struct agenda_event last = a->event[--a->count];
    if (a->count) {
        put(a, 0, last);
        sink(a, 0);
    }
    return first;
}
