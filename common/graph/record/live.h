/*
 * live.h: the execution graph of a running job, and the past of a query
 *
 * A program's query ("what time is it?") is answered from its *causal past*:
 * the nodes whose ends the answer depends on, through threads, queues,
 * dependences and matches, and the host parts of the nodes issued in between.
 * This set doesn't depend on how fast any process runs, so neither does
 * anything computed from it. If only the issue of a node is in the past (it may
 * still run; no thread has waited for it), it appears as host time without its
 * device part.
 *
 *     thread  --A--B--sync(A)--?        past of ?: A; B's host part; sync
 *     queue 1    A........
 *     queue 2       B.............      B may or may not have ended: left out
 *
 * A *cut* orders everything before it before everything after it. It is a
 * host-only operation of all ranks whose match is ALL, such as a barrier, if on
 * each rank
 *   - the host has joined every operation that was issued before it,
 *   - thread 0 has waited for the last call of every other thread, and
 *   - no match has members on both sides.
 * All ranks leave it at the same modelled time with idle devices, so a replay
 * can begin there and never needs anything before it. In a job of one rank,
 * every join that leaves no operation in progress is a cut. Cuts are numbered
 * from 1; 0 is the beginning of the run. The graph alone determines the cuts,
 * so all ranks find the same ones.
 *
 * Not thread-safe.
 */
#ifndef COMMLAB_GRAPH_LIVE_H
#define COMMLAB_GRAPH_LIVE_H

#include "graph/record/read.h"

struct graph_live;

/* Make a job of nranks, with no segment attached. NULL if memory runs out. */
struct graph_live *graph_live_new(uint32_t nranks);
void graph_live_free(struct graph_live *l);

/*
 * Map a rank's segment. The caller keeps the fd and may close it. Returns 0, or
 * -1 with errno (EINVAL: not the segment of that rank of such a job).
 */
int graph_live_attach(struct graph_live *l, uint32_t rank, int fd);
int graph_live_attached(const struct graph_live *l, uint32_t rank);

/* Read everything published since the last call. Returns 0, or -1 with a line
 * in err. */
int graph_live_update(struct graph_live *l, char *err, size_t err_nbytes);

/*
 * The progress of a host thread: its last node that waited for something (index
 * 0: none yet), and the host time of its calls since then.
 */
struct graph_moment {
    struct graph_ref join;
    uint64_t host_ps;
};
struct graph_moment graph_live_host(const struct graph_live *l, uint32_t rank,
                                    uint32_t thread);

/* The number of cuts before this node. A cut is not before its own nodes. */
uint32_t graph_live_cut(const struct graph_live *l, struct graph_ref ref);

/* A rank's node of a cut; {rank, 0} for cut 0. */
struct graph_ref graph_live_cut_node(const struct graph_live *l, uint32_t cut,
                                     uint32_t rank);

/*
 * The causal past of the ends of `roots`, which it includes, after cut number
 * `cut`, which must be before all roots. A root with index 0 is ignored. The
 * graph refers to the segments: free it before l. Returns NULL on failure, with
 * a line in err: the segment of a peer is not attached, or lacks its part of a
 * match.
 */
struct graph *graph_past(struct graph_live *l, const struct graph_ref *roots,
                         size_t nroots, uint32_t cut, char *err,
                         size_t err_nbytes);

/*
 * Add the notes of all ranks, which must be attached, to a graph of
 * graph_past(): allocations, queues, faults, and the texts of its call sites.
 * Returns -1 if memory runs out.
 */
int graph_live_notes(const struct graph_live *l, struct graph *g);

/* Write "file:line" of a call site of any attached rank to out; returns out. */
const char *graph_live_site(const struct graph_live *l, uint32_t rank,
                            uint32_t site, char *out, size_t nbytes);

#endif
