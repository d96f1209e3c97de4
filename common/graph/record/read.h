/*
 * read.h: an execution graph in memory
 *
 * A graph consists of the segments of all ranks, read from files by
 * graph_read(), or of that part of a running job's segments on which one query
 * depends (live.h). Nodes are ordered by (rank, index); a *position* is an
 * index in that order.
 *
 * A node with several parts (record.h) takes as many consecutive positions.
 * Each part but the first is a node without host time that follows the previous
 * one in its queue.
 */
#ifndef COMMLAB_GRAPH_READ_H
#define COMMLAB_GRAPH_READ_H

#include "graph/record/record.h"

#define GRAPH_NOWHERE UINT32_MAX /* as a position: no such node */

struct graph_view {         /* one node, or one part of it */
    struct graph_node node; /* flops include amendments */
    uint32_t part;          /* number of the part, from 0 */
    const struct graph_ref *deps;
    const uint32_t *dep_parts; /* NULL: it waits for all parts of its deps */
    const struct graph_move *moves;      /* nmoves of them, with amendments */
    const struct graph_access *accesses; /* naccesses, with amendments */
    size_t nmoves, naccesses;
    const char *name;
    const char *span; /* NVTX range that it was issued in; "" if none */
    const char *site; /* "file:line"; "" in a running job, see live.h */
    int begun;        /* in a witnessed graph: what it overwrites was spoiled
                         (overwrite.h) when it began, after all that was
                         recorded before it */
};

struct graph_queue_note { /* see graph_note_queue() */
    uint32_t rank, queue;
    int32_t place;
    const char *name;
};

struct graph_alloc_note { /* see graph_note_alloc() */
    uint64_t alloc, nbytes;
    int32_t place;
    int on_device;    /* noted by graph_note_placed() */
    uint32_t site_id; /* graph_alloc.site, of the owning rank */
    const char *site;
    uint32_t after; /* its rank had recorded nodes up to this index */
};

struct graph_fault_note { /* see graph_note_fault() */
    uint32_t rank, index, site_id;
    int warning;
    const char *text;
};

struct graph_harm_note { /* see graph_note_harm() */
    uint32_t rank;
    const struct graph_harm *harm;
    const char *span; /* "": any */
    const char *text;
};

struct graph_pair { /* positions: `after` begins only when `before` has ended */
    uint32_t before, after;
};

struct graph {
    uint32_t nranks;
    uint32_t nnodes;
    struct graph_view *nodes; /* by (rank, index, part) */
    const uint32_t *first;    /* position of each rank's first node; nnodes
                                 at [nranks] */
    const uint32_t *since;    /* by rank: nodes up to this index ended before
                                 the graph begins, and are not in it */
    int is_part;              /* some nodes that were recorded are missing */
    int is_witnessed;         /* a recorder says which nodes have begun */
    const char *machine;      /* noted by rank 0; NULL: unknown, or a
                                 running job */
    struct graph_queue_note *queues; /* by rank, in the order of their notes */
    struct graph_alloc_note *allocs;
    struct graph_fault_note *faults;
    struct graph_harm_note *harms; /* by rank, in the order of their notes */
    size_t nqueues, nallocs, nfaults, nharms;
    struct graph_pair *apart; /* sorted by `after`: see apart.h */
    size_t napart;
    struct graph_index *index; /* private */
};

/*
 * Read a saved run: DIR/rank-N.graph for all N. On failure, also for a damaged
 * file, returns NULL with "file: offset: reason" in err. A run that is to be
 * replayed is loaded with graph_load() (replay/load.h) instead.
 */
struct graph *graph_read(const char *dir, char *err, size_t err_nbytes);

/*
 * Load the segments of a running job: reads everything published by now in
 * fd[r], the memfd of rank r, or nothing of a rank whose fd is -1. The caller
 * keeps the descriptors.
 */
struct graph *graph_map(const int *fd, uint32_t nranks, char *err,
                        size_t err_nbytes);

void graph_free(struct graph *g);

/* Write "file:line" of a rank's call site (of a node, an access or an
 * allocation) to out, in saved and running jobs; "?" for 0. Returns out. */
const char *graph_site_text_of(const struct graph *g, uint32_t rank,
                               uint32_t site, char *out, size_t nbytes);

/* The same for the call in another file that led to it, or "": see
 * site_stack_from(). */
const char *graph_site_from(const struct graph *g, uint32_t rank, uint32_t site,
                            char *out, size_t nbytes);

/* Position of a node, or of its last part if it has several. GRAPH_NOWHERE if
 * the graph lacks it. */
uint32_t graph_find(const struct graph *g, struct graph_ref ref);

/* Position of entry `i` of the node's dependences: a node, or a part of one.
 * GRAPH_NOWHERE if the graph lacks it. */
uint32_t graph_dep(const struct graph *g, uint32_t at, uint32_t i);

/* The node, or NULL if the graph lacks it. */
const struct graph_view *graph_node_at(const struct graph *g,
                                       struct graph_ref ref);

/* ---- order, by positions ------------------------------------------------- */

/*
 * The node whose host part this node's host part follows: the previous one on
 * its thread; for the first node of a thread other than 0, the latest of thread
 * 0 with a lower index; with GRAPH_AGAIN, its dependence.
 */
uint32_t graph_thread_prev(const struct graph *g, uint32_t at);

/* The previous node in its queue, whether of the same group or not. */
uint32_t graph_queue_prev(const struct graph *g, uint32_t at);

/*
 * The members of this node's match, including the node, by match_rank. NULL and
 * *n = 0 for a node without a match.
 */
const uint32_t *graph_matched(const struct graph *g, uint32_t at, uint32_t *n);

/*
 * The match kind that counts for time. A matched device operation is a
 * rendezvous of all its members, unless it is a MESSAGE (see record.h). On the
 * host a PAIR counts as a MESSAGE: the receiver may be recorded only after it
 * is done, so the sender's time can't depend on it.
 */
static inline enum graph_match graph_time_match(const struct graph_node *n)
{
    if (n->queue && n->match && n->match_kind != GRAPH_MATCH_MESSAGE)
        return GRAPH_MATCH_ALL;
    if (n->match_kind == GRAPH_MATCH_PAIR)
        return GRAPH_MATCH_MESSAGE;
    return (enum graph_match)n->match_kind;
}

#endif
