#include "graph/record/live_rank.h"

#include <stdlib.h> /* realloc */

#include "base/mix.h"

int live_room(void *array, uint32_t at, size_t nbytes)
{
    void **const a = array;
    if (*a && (at & (at - 1)) != 0)
        return 0;
    void *const larger = realloc(*a, (at ? 2 * (size_t)at : 1) * nbytes);
    if (!larger)
        return -1;
    *a = larger;
    return 0;
}

int live_push(struct live_list *l, uint32_t item)
{
    if (l->count == l->room) {
        const uint32_t room = l->room ? 2 * l->room : 64;
        uint32_t *const larger = realloc(l->item, room * sizeof *larger);
        if (!larger)
            return -1;
        l->item = larger;
        l->room = room;
    }
    l->item[l->count++] = item;
    return 0;
}

void live_rank_release(struct live_rank *r)
{
    segment_release(&r->segment);
    mapped_release(&r->mapped);
    free(r->node);
    map_release(&r->queues);
    map_release(&r->threads);
    free(r->thread);
    free(r->candidate);
    free(r->work.item);
}

static const struct graph_node *node_at(const struct live_rank *r, uint32_t i)
{
    return r->segment.node[i].node;
}

/* True if the thread that issued it waits for something in it. */
static int joins(const struct graph_node *n)
{
    return n->queue == 0 ? n->ndeps != 0 || n->match != 0
                         : (n->flags & GRAPH_JOIN) != 0;
}

/* ---- threads and queues -------------------------------------------------- */

/* The thread of node i. A new thread begins where thread 0 is. NULL if
 * memory runs out. */
static struct live_thread *thread_of(struct live_rank *r, uint32_t thread)
{
    uint64_t *const number = map_at(&r->threads, thread);
    if (!number)
        return NULL;
    if (*number == 0) {
        if (live_room(&r->thread, r->nthreads, sizeof *r->thread) != 0)
            return NULL;
        *number = ++r->nthreads;
        const uint32_t main = thread ? map_get(&r->threads, 0) : 0;
        r->thread[r->nthreads - 1] =
            main ? r->thread[main - 1] : (struct live_thread){0};
    }
    return &r->thread[map_get(&r->threads, thread) - 1];
}

static const struct graph_ref *first_dep(const struct graph_node *n)
{
    return (const void *)(n + 1);
}

static int follow_thread(struct live_rank *r, uint32_t i)
{
    const struct graph_node *const n = node_at(r, i);
    struct live_thread *const t = thread_of(r, n->thread);
    if (!t)
        return -1;
    r->node[i].thread_prev = t->last;
    if (n->flags & GRAPH_AGAIN && n->ndeps && first_dep(n)->index < i)
        r->node[i].thread_prev = first_dep(n)->index;
    t->last = i;
    if (joins(n)) {
        t->join = i;
        t->host_ps = 0;
    } else {
        t->host_ps += n->host_ps + (n->queue == 0 ? n->latency_ps : 0);
    }
    return 0;
}

static int follow_queue(struct live_rank *r, uint32_t i)
{
    const struct graph_node *const n = node_at(r, i);
    if (n->queue == 0)
        return 0;
    uint64_t *const last = map_at(&r->queues, n->queue);
    if (!last)
        return -1;
    const uint32_t prev = *last;
    *last = i;
    r->node[i].queue_prev = prev;
    r->node[i].batch_prev =
        prev && n->group && node_at(r, prev)->group == n->group
            ? r->node[prev].batch_prev
            : prev;
    return 0;
}

/* ---- what the host has joined -------------------------------------------- */

static int push(struct live_rank *r, uint32_t i)
{
    if (r->node[i].known & LIVE_KNOWN)
        return 0;
    r->node[i].known |= LIVE_KNOWN;
    r->nknown++;
    return live_push(&r->work, i);
}

/* Push node `last` and those before it in its batch. */
static int push_batch(struct live_rank *r, uint32_t last)
{
    if (last == 0 || (r->node[last].known & LIVE_BATCH_KNOWN))
        return 0;
    r->node[last].known |= LIVE_BATCH_KNOWN;
    const uint32_t before = r->node[last].batch_prev;
    for (uint32_t i = last; i != before; i = r->node[i].queue_prev)
        if (push(r, i) != 0)
            return -1;
    return 0;
}

static int push_deps(struct live_rank *r, uint32_t i)
{
    const struct graph_node *const n = node_at(r, i);
    const struct graph_ref *const deps = first_dep(n);
    for (int d = 0; d < n->ndeps; d++)
        if (deps[d].rank == r->segment.rank &&
            push_batch(r, deps[d].index) != 0)
            return -1;
    return 0;
}

/* Thread 0 has waited for what node i depends on, which includes calls of
 * other threads. */
static void join_threads(struct live_rank *r, uint32_t i)
{
    const struct graph_node *const n = node_at(r, i);
    const struct graph_ref *const deps = first_dep(n);
    for (int d = 0; n->thread == 0 && d < n->ndeps; d++) {
        if (deps[d].rank != r->segment.rank || deps[d].index >= i ||
            node_at(r, deps[d].index)->queue != 0)
            continue;
        const uint32_t other = node_at(r, deps[d].index)->thread;
        r->thread[map_get(&r->threads, other) - 1].joined = deps[d].index;
    }
}

/* True if thread 0 has waited for the last call of every other thread. */
static int are_threads_joined(const struct live_rank *r)
{
    const uint64_t main = map_get(&r->threads, 0);
    for (uint32_t t = 0; t < r->nthreads; t++)
        if (t + 1 != main && r->thread[t].last != r->thread[t].joined)
            return 0;
    return 1;
}

/*
 * A host-only node, or one with GRAPH_JOIN, is known when its thread continues,
 * and so is everything on this rank that it waits for. Each node becomes known
 * once, so all calls together take time proportional to the number of nodes.
 */
static int join(struct live_rank *r, uint32_t i)
{
    const struct graph_node *const n = node_at(r, i);
    if (n->queue && !(n->flags & GRAPH_JOIN))
        return 0;
    join_threads(r, i);
    if (push(r, i) != 0)
        return -1;
    while (r->work.count) {
        const uint32_t at = r->work.item[--r->work.count];
        if (push_deps(r, at) != 0 || push_batch(r, r->node[at].batch_prev) != 0)
            return -1;
    }
    return 0;
}

/* ---- candidates for a cut ------------------------------------------------ */

/*
 * The members of each match add up to 0: the first adds (1 - size) times a
 * number derived from the match, and each other member adds that number once.
 * So a sum over all ranks other than 0 means that a match lacks a member.
 */
static uint64_t open_part(const struct graph_node *n)
{
    const uint64_t own = mix_hash(n->match);
    return n->match_rank == 0 ? own * (1 - (uint64_t)n->match_size) : own;
}

static int is_candidate(const struct live_rank *r, const struct graph_node *n)
{
    if (r->segment.nranks == 1)
        return joins(n);
    return n->queue == 0 && n->match && n->match_kind == GRAPH_MATCH_ALL &&
           n->match_size == r->segment.nranks;
}

static int note_candidate(struct live_rank *r, uint32_t i)
{
    const struct graph_node *const n = node_at(r, i);
    if (n->match && !r->segment.node[i].broken)
        r->open += open_part(n);
    if (!is_candidate(r, n))
        return 0;
    if (live_room(&r->candidate, r->ncandidates, sizeof *r->candidate) != 0)
        return -1;
    r->candidate[r->ncandidates++] = (struct live_candidate){
        .node = i,
        .match = r->segment.nranks == 1 ? 0 : n->match,
        .open = r->open,
        .idle = r->nknown == i && n->thread == 0 && are_threads_joined(r)};
    return 0;
}

void live_rank_break(struct live_rank *r)
{
    for (; r->nbroken < r->segment.nbroken; r->nbroken++) {
        const uint32_t i = r->segment.broken[r->nbroken + 1];
        if (i <= r->nnodes && node_at(r, i)->match)
            r->open -= open_part(node_at(r, i));
    }
}

int live_rank_next(struct live_rank *r)
{
    const uint32_t i = r->nnodes + 1;
    if (live_room(&r->node, i, sizeof *r->node) != 0)
        return -1;
    r->node[i] = (struct live_node){0};
    if (follow_thread(r, i) != 0 || follow_queue(r, i) != 0 ||
        join(r, i) != 0 || note_candidate(r, i) != 0)
        return -1;
    r->nnodes = i;
    return 0;
}
