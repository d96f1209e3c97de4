#include "graph/replay/agenda.h"

#include <stdlib.h> /* calloc */

/* per event; a heap with fewer levels than a binary one */
enum { CHILDREN = 4 };

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

/* Positions are ordered by (rank, index); here the queue counts
 * before the index. */
static int is_before(const struct agenda_event *x, const struct agenda_event *y)
{
    if (x->ps != y->ps)
        return x->ps < y->ps;
    if (x->rank == y->rank && x->queue != y->queue)
        return x->queue < y->queue;
    return x->node < y->node;
}

static void put(struct agenda *a, uint32_t at, struct agenda_event e)
{
    a->event[at] = e;
    a->place[e.node] = at + 1;
}

/* Restore the heap if the event at `at` may be earlier than its ancestors. */
static void rise(struct agenda *a, uint32_t at)
{
    const struct agenda_event e = a->event[at];
    while (at > 0 && is_before(&e, &a->event[(at - 1) / CHILDREN])) {
        put(a, at, a->event[(at - 1) / CHILDREN]);
        at = (at - 1) / CHILDREN;
    }
    put(a, at, e);
}

/* Restore the heap if the event at `at` may be later than its children. */
static void sink(struct agenda *a, uint32_t at)
{
    const struct agenda_event e = a->event[at];
    for (;;) {
        const uint32_t child = CHILDREN * at + 1;
        uint32_t first = child;
        if (child >= a->count)
            break;
        for (uint32_t i = child + 1; i < child + CHILDREN && i < a->count; i++)
            if (is_before(&a->event[i], &a->event[first]))
                first = i;
        if (!is_before(&a->event[first], &e))
            break;
        put(a, at, a->event[first]);
        at = first;
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
    const struct graph_node *const n = &a->graph->nodes[node].node;
    if (a->place[node] == 0)
        return add(a, (struct agenda_event){ps, n->rank, n->queue, node});
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
