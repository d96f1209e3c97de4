/*
 * live.h: the execution graph of a running job, and the past of a question
 *
 * What a program asks ("what time is it?") is answered from the *causal past*
 * of the question: the nodes whose ends the answer depends on, through threads,
 * queues, deps and matches, and the host parts of what was issued meanwhile.
 * That set doesn't depend on how fast any process happened to run, so nothing
 * computed from it does. A node of which only the issue is in the past (it runs
 * on, nobody has waited for it) appears as host time, without its device part.
 *
 *     thread  --A--B--sync(A)--?        past of ?: A; B's host part; sync
 *     queue 1    A........
 *     queue 2       B.............      B may or may not have ended: left out
 *
 * A *cut* is a moment that orders everything before it before everything after
 * it: an operation of all ranks that is host-only and whose match is ALL, such
 * as a barrier, when on each rank
 *   - the host has joined every operation that was issued before it,
 *   - only thread 0 has issued any, and
 *   - no match has members on both sides.
 * All ranks leave it at the same modelled time with idle devices, so a replay
 * may begin there, and what is before it need not be looked at again. In a job
 * of one rank every join after which nothing is under way is a cut. Cuts are
 * numbered from 1; 0 is the beginning of the run. Which nodes are cuts follows
 * from the graph alone, so all ranks find the same ones.
 *
 * Not thread-safe.
 */
#ifndef COMMLAB_GRAPH_LIVE_H
#define COMMLAB_GRAPH_LIVE_H

#include "graph/read.h"

struct graph_live;

/* The segments of a job of nranks, none attached yet. NULL: no memory. */
struct graph_live *graph_live_new(uint32_t nranks);
void graph_live_free(struct graph_live *l);

/*
 * Map a rank's segment. The fd remains the caller's, and may be closed. 0, or
 * -1 with errno (EINVAL: not that rank's segment of such a job).
 */
int graph_live_attach(struct graph_live *l, uint32_t rank, int fd);
int graph_live_attached(const struct graph_live *l, uint32_t rank);

/* Read what has been published since the last time. -1 with a line in err. */
int graph_live_update(struct graph_live *l, char *err, size_t err_nbytes);

/*
 * What a host thread has done by now: its last node that waited for anything
 * (index 0: none yet), and the host time of its calls since.
 */
struct graph_moment {
    struct graph_ref join;
    uint64_t host_ps;
};
struct graph_moment graph_live_host(const struct graph_live *l, uint32_t rank,
                                    uint32_t thread);

/* How many cuts are before this node (the node of a cut is not after it). */
uint32_t graph_live_cut(const struct graph_live *l, struct graph_ref ref);

/* A rank's node of a cut, from 1; {rank, 0} for 0. */
struct graph_ref graph_live_cut_node(const struct graph_live *l, uint32_t cut,
                                     uint32_t rank);

/*
 * The causal past of the ends of `roots`, themselves included, that lies behind
 * cut number `cut`, which must be before all roots. A root with index 0 is
 * ignored. The graph refers to the segments: free it before l. On failure NULL,
 * with a line in err: a peer whose segment isn't attached, or which has not
 * recorded its part of a match.
 */
struct graph *graph_past(struct graph_live *l, const struct graph_ref *roots,
                         size_t nroots, uint32_t cut, char *err,
                         size_t err_nbytes);

/*
 * Give a graph that graph_past() made the notes of all ranks, which must be
 * attached: allocations, queues, mistakes, and its call sites their text. -1: no
 * memory.
 */
int graph_live_notes(const struct graph_live *l, struct graph *g);

/* "file:line" of a call site of any attached rank, into out; returns out. */
const char *graph_live_site(const struct graph_live *l, uint32_t rank,
                            uint32_t site, char *out, size_t nbytes);

#endif
