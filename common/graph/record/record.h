/*
 * record.h: recording the execution graph of a run
 *
 * The graph is a run without its clock: its operations, their order, their
 * costs and the bytes they touched. Times, hazards and pictures are computed
 * from it, by replay.h, hazard.h and timeline.h.
 *
 * Each process appends to a segment of its own, a memfd, which peers can map
 * and which leaves nothing behind. A segment is append-only: published records
 * never change, except that graph_amend() and graph_part() add to a node what
 * only its execution shows. Nodes of one process are numbered from 1 in the
 * order of issue; 0 means no node.
 *
 * A node has a host part and, unless it is host-only, a device part:
 *
 *   host thread   --[host_ps]-->  next call of the same thread
 *                      |
 *   queue (stream)     +--> waits for: the node before it in its queue,
 *                           its deps, its match; then [latency][work]
 *
 * - A device node is issued when its host part ends, and starts when the node
 *   before it in its queue and all of its deps have ended. The host thread
 *   continues at once, unless GRAPH_JOIN is set: then it continues at the end
 *   of the node. Adjacent nodes of one group in a queue start together, and the
 *   next node in the queue waits for all of them.
 * - A host-only node (queue 0) is a synchronisation, or an MPI call. It ends
 *   latency_ps after its deps and its host_ps.
 * - A thread other than 0 begins where thread 0 is when the first node of that
 *   thread is recorded: after the latest node of thread 0 with a lower index.
 *   At a node with GRAPH_AGAIN, a thread that has been idle since its last node
 *   begins again: where the node's only dependence, an earlier node of its
 *   rank, was issued.
 * - A node may have parts: graph_part(). The first part has the host part, the
 *   latency and the dependences. Each other part begins when the previous part,
 *   and the parts that it comes after, have ended. To wait for a node is to
 *   wait for its last part.
 * - Nodes of several processes with the same match key form one operation: see
 *   enum graph_match. The key is derived from names that all participants share
 *   (communicator id and sequence number), never from pointers. A node is
 *   published before its operation begins, so a process that has seen a matched
 *   operation complete can read the nodes that the operation waited for.
 *
 * This module does not depend on CUDA, NCCL or MPI; names are only shown to
 * users. Threads: everything between graph_open() and graph_close() may be
 * called from any thread. Nodes of one queue are numbered in queue order, so a
 * caller that adds to a queue from several threads must hold a lock of that
 * queue during graph_add().
 */
#ifndef COMMLAB_GRAPH_RECORD_H
#define COMMLAB_GRAPH_RECORD_H

#include <stddef.h>
#include <stdint.h>

#include "graph/record/site.h" /* SITE_DEPTH */
#include "topo/op.h"           /* enum topo_op, enum topo_math, places */

enum graph_kind {
    GRAPH_HOST,   /* host-only: synchronisation, or time spent on the host */
    GRAPH_KERNEL, /* cost: fixed_ps, flops, moves */
    GRAPH_COPY,   /* cost: moves */
    GRAPH_MEMSET, /* cost: moves */
    GRAPH_COLL,   /* one rank's part of a collective; cost: op, bytes */
    GRAPH_SEND,   /* cost: bytes, from place to peer_place */
    GRAPH_RECV,   /* no cost: its match has it */
    GRAPH_HOSTFN, /* a host function run in stream order */
    GRAPH_MARK,   /* an event record: ends with the node before it; no cost */
    GRAPH_MPI,    /* host-only with a match */
    GRAPH_KINDS
};

/*
 * The order that a match establishes among its participants, which match_rank
 * numbers from 0. For *time* there are two differences. A GRAPH_COLL moves data
 * directly between its ranks' buffers, so all wait for all, for every match
 * kind. The sender of a host-only PAIR is blocked for as long as its bytes
 * take, but does not wait for its receiver, which may be recorded only after it
 * is done.
 */
enum graph_match {
    GRAPH_MATCH_NONE,
    GRAPH_MATCH_ALL,       /* every start before every end */
    GRAPH_MATCH_FROM_ROOT, /* the root's start before every end */
    GRAPH_MATCH_TO_ROOT,   /* every start before the root's end */
    GRAPH_MATCH_PAIR,      /* the sender's start before the receiver's end, and
                              vice versa: a rendezvous */
    GRAPH_MATCH_MESSAGE,   /* a PAIR whose sender doesn't wait (eager) */
};

/*
 * Values of graph_node.flags. JOIN: the issuing thread waits for the end.
 * STAGED: copies between devices go through host memory, without peer access.
 * NETWORK: they go through NICs, even inside a node. AGAIN: host-only, see
 * above. GRAPH_CTAS(n): a collective, send or receive of a communicator whose
 * configuration fixes its number of CTAs, from 1 to GRAPH_MAX_CTAS.
 */
enum { GRAPH_JOIN = 1, GRAPH_STAGED = 2, GRAPH_NETWORK = 4, GRAPH_AGAIN = 8 };
enum { GRAPH_MAX_CTAS = 64 };
#define GRAPH_CTAS(n) ((uint32_t)(n) << 8)

struct graph_ref { /* names a node by its rank and number */
    uint32_t rank, index;
};

/*
 * An operation that synchronises with others while it runs (a kernel that waits
 * for a flag) has *parts*, numbered from 0, each of which ends before the next
 * begins. Only its execution shows them: see graph_part().
 */
struct graph_point { /* the end of one part of a node */
    uint32_t rank, index, part;
};

struct graph_move { /* bytes that an operation moves between two places */
    int32_t from, to;
    uint64_t nbytes; /* from == to: read + written in that place's memory */
};

/* How an operation touches bytes. ALLOC and FREE delimit an allocation's
 * lifetime. */
enum graph_touch {
    GRAPH_READ,
    GRAPH_WRITE,
    GRAPH_ATOMIC, /* atomic or volatile, so meant to synchronise */
    GRAPH_ALLOC,
    GRAPH_FREE,
    GRAPH_HOLD, /* the allocation is in use, and must not be freed */
    GRAPH_TOUCHES,
    GRAPH_TOUCH = 0xff,    /* mask of the values above in graph_access.write */
    GRAPH_ROUGH = 0x100,   /* the range includes bytes that are not touched */
    GRAPH_FIRST = 0x200,   /* a kernel's read before the kernel wrote
                              there itself */
    GRAPH_BLIND = 0x400,   /* an atomic, or a read, that may ignore the old
                              value */
    GRAPH_KNOWN = 0x800,   /* an atomic whose order is in the graph */
    GRAPH_FENCED = 0x1000, /* an atomic of a kernel that called a fence */
    GRAPH_SHOWN = 0x2000,  /* an atomic of memory that the host may read */
};

/*
 * What a kernel waits for in the middle orders its next part, but not those of
 * its blocks that didn't wait and haven't synchronised with the block that did.
 * The bits from GRAPH_BEHIND_SHIFT on are 0, or a number n: the access comes
 * from such a block, for which nothing counts that the kernel has waited for
 * since n parts ago. A second access, without n, has the same bytes.
 */
enum { GRAPH_BEHIND_SHIFT = 16, GRAPH_BEHIND_MOST = 0xffff };
static inline uint32_t graph_behind(uint32_t write)
{
    return write >> GRAPH_BEHIND_SHIFT;
}

struct graph_access {    /* bytes that an operation touches */
    uint64_t alloc;      /* owner rank << 32 | number within owner; number 0:
                            ordinary memory, where ranges are addresses, plus
                            graph_variable() in a device's variables */
    uint64_t begin, end; /* byte range within it, end exclusive */
    uint32_t write;      /* enum graph_touch */
    uint32_t site;       /* call site of the access; 0: that of the node */
};

/*
 * Each device has its own copy of a __device__ or __constant__ variable. All
 * are at one address, so this is added to it.
 */
enum { GRAPH_VARIABLE_SHIFT = 56 };
static inline uint64_t graph_variable(int device)
{
    return (uint64_t)(device + 1) << GRAPH_VARIABLE_SHIFT;
}

/* The device whose variable begins there; -1: none. */
static inline int graph_variable_device(uint64_t begin)
{
    return (int)(begin >> GRAPH_VARIABLE_SHIFT) - 1;
}

struct graph_node {
    uint32_t rank, index; /* set by graph_add */
    uint8_t kind;         /* enum graph_kind */
    uint8_t match_kind;   /* enum graph_match */
    uint8_t op;           /* enum topo_op */
    uint8_t math;         /* enum topo_math of the flops */
    uint32_t flags;
    uint32_t thread;     /* host thread that issued it, from 0 */
    uint32_t queue;      /* stream of this process, from 1; 0: host-only */
    int32_t place;       /* where it runs */
    int32_t peer_place;  /* GRAPH_SEND, GRAPH_RECV: the other end's place */
    uint64_t host_ps;    /* time on the host thread */
    uint64_t latency_ps; /* device part: time before its work begins;
                            host-only: from the end of its last dependence to
                            its own end */
    double flops;
    uint64_t match;      /* key of its match; 0: none */
    uint32_t match_size; /* participants */
    uint32_t match_rank; /* this participant's rank among them */
    uint32_t match_root; /* root, or for PAIR and MESSAGE the sender: 0 */
    uint32_t elem_size;  /* collectives: bytes of one element; kernels: threads,
                            0 if unknown */
    uint64_t bytes;      /* the operation's size, as defined by nccl-tests */
    uint32_t name;       /* graph_string() of "ncclAllReduce" or the
                            kernel's name */
    uint32_t site;       /* graph_site() of the call */
    uint32_t group;      /* shared by the nodes of an NCCL group; 0: none */
    uint16_t ndeps, nmoves;
    uint32_t naccesses;
    uint32_t span; /* graph_string() of the NVTX range around it; 0: none */
};

/* The CTAs that a node's communicator fixes; 0: NCCL chooses their number. */
static inline int graph_ctas(const struct graph_node *n)
{
    const int ctas = (int)(n->flags >> 8 & 255);
    return ctas < GRAPH_MAX_CTAS ? ctas : GRAPH_MAX_CTAS;
}

/* Name of a segment's memfd: /proc/PID/fd/N -> /memfd:NAME. */
#define GRAPH_MEMFD "commlab-graph"

/*
 * A bit of an allocation's number: its memory has addresses but no contents.
 * Kernels that would touch it don't run, so the graph lacks their accesses.
 */
#define GRAPH_NO_CONTENTS (UINT64_C(1) << 31)

/*
 * As a node's thread, this plus a queue: calls that the queue's host functions
 * make. The first call of a function is a GRAPH_AGAIN that follows the node
 * before the function, and the function has a part that follows the call.
 */
#define GRAPH_FUNCTIONS (UINT32_C(1) << 31)

struct graph_segment;

/*
 * Open this process's segment. dir is NULL, or the directory in which
 * graph_save() saves it (SIMGPU_GRAPH), which is created if necessary. If dir
 * has a recorder (base/recorder.h), the recorder gets each record before it is
 * published. Returns NULL with errno on failure.
 */
struct graph_segment *graph_open(uint32_t rank, uint32_t nranks,
                                 const char *dir);

/*
 * Write DIR/rank-N.graph, with call sites as file:line, if graph_open() got a
 * directory; or tell its recorder that the graph is complete. Other threads may
 * continue to record. On failure returns -1, after a message on standard error.
 */
int graph_save(struct graph_segment *g);

/* Unmap and free the segment without saving it. No thread may record any more.
 * NULL is allowed. */
void graph_close(struct graph_segment *g);

/*
 * From now on number nodes without recording them, to measure the overhead of
 * recording. Nothing else may use this: there are no modelled times afterwards.
 */
void graph_mute(struct graph_segment *g);

/* The memfd, for peers to map through /proc/PID/fd/N. */
int graph_fd(const struct graph_segment *g);

/*
 * Append a node and publish it. The counts in n are the lengths of the arrays;
 * its rank and index are ignored. Returns its index, never 0: if the segment is
 * full, the run ends with a message (status 70), since later times would be
 * wrong.
 */
uint32_t graph_add(struct graph_segment *g, const struct graph_node *n,
                   const struct graph_ref *deps, const struct graph_move *moves,
                   const struct graph_access *accesses);

/*
 * Add the moved bytes, flops and accesses that the execution of a node has
 * shown. Must be called before the node's completion is visible to any thread.
 */
void graph_amend(struct graph_segment *g, uint32_t index, double flops,
                 const struct graph_move *moves, size_t nmoves,
                 const struct graph_access *accesses, size_t naccesses);

/*
 * Begin the next part of a running node. It follows the current part and the
 * parts `after`, whose ends the node has seen, and its work begins latency_ps
 * later. Later amendments belong to it. Like an amendment, it must be recorded
 * before its effects are visible.
 */
void graph_part(struct graph_segment *g, uint32_t index,
                const struct graph_point *after, size_t n, uint64_t latency_ps);

/*
 * Begin a part *aside*: something that a running node has started and does not
 * wait for. It is a copy over the network in a separate queue, and follows the
 * parts `after` and the previous part aside in that queue. A later part of the
 * node follows it only if it says so. The node's last part must not be aside.
 *
 *     kernel      [ part 0 ][ part 2         ]
 *                          \
 *     its network           [ part 1, aside: a put ]
 */
void graph_aside(struct graph_segment *g, uint32_t index, uint32_t queue,
                 const char *name, const struct graph_point *after, size_t n,
                 uint64_t latency_ps);

/* Intern a string; ids are small, stable and per segment. "" and NULL are 0. */
uint32_t graph_string(struct graph_segment *g, const char *text);

/*
 * Put the nodes that this thread adds from now on into span `name` (a number of
 * graph_string(), 0: none), unless they name one themselves. Returns the
 * previous span.
 */
uint32_t graph_span(uint32_t name);

/*
 * Intern a call site: a return address of this process; NULL is 0. It becomes
 * "file:line" when the segment is saved, or on demand.
 */
uint32_t graph_site(struct graph_segment *g, const void *return_address);

/* The same with the calls around it, innermost first, for messages that name
 * the caller of a helper. */
uint32_t graph_site_stack(struct graph_segment *g,
                          const void *const *return_address, int n);

/* The calls of a site, innermost first; returns their number. */
int graph_site_calls(struct graph_segment *g, uint32_t site,
                     const void *return_address[SITE_DEPTH]);

/* Write "file:line" or "module+0x123" of a call site to out, "?" for site
 * 0. Returns out. */
const char *graph_site_text(struct graph_segment *g, uint32_t site, char *out,
                            size_t nbytes);

/* Note the machine that the run is modelled on, as named to topo_load(). */
void graph_note_machine(struct graph_segment *g, const char *name);

/* Note an allocation or a queue, for messages and pictures. */
void graph_note_alloc(struct graph_segment *g, uint64_t alloc, int32_t place,
                      uint64_t nbytes, uint32_t site);
void graph_note_queue(struct graph_segment *g, uint32_t queue, int32_t place,
                      const char *name);

/* Note an allocation at this offset in the memory of a device, given by its
 * number in the process, which a recorder needs. */
void graph_note_placed(struct graph_segment *g, uint64_t alloc, int32_t place,
                       uint64_t nbytes, uint32_t site, uint32_t device,
                       uint64_t offset);

/*
 * Note a fault that the run itself detected, at a call site (0: unknown), in
 * operation `index` (0: the latest). text is the complete message. A warning is
 * not a failure. A remark (a warning of 2) is neither. Nor is a place (3), at
 * which a kernel first wrote outside a buffer. hazards_find() leaves both out.
 */
enum { GRAPH_REMARK = 2, GRAPH_PLACE = 3 };
void graph_note_fault(struct graph_segment *g, uint32_t index, uint32_t site,
                      int warning, const char *text);

/*
 * Note that node `index` has ended without its match, because a communicator
 * was aborted. It and all other members of the match then are operations of the
 * host's or the queue's own that take no time.
 */
void graph_note_broken(struct graph_segment *g, uint32_t index);

/*
 * A harm is a fault that was planted in the run (SIMGPU_FAULT), as it struck
 * one rank. KILL, LOST and FLIP only mark where that happened. The others take
 * time, which a replay adds:
 *
 *     STALL  delays the host thread that issues node `index` by for_ps; without
 *            a node, all host threads of the rank from at_ps on
 *     SLOW   host calls, kernels and fills of the rank take `factor` times as
 *            long; with a place, only kernels and fills there
 *     LINK   each link on the path from `place` to `peer`, or the NIC `place`
 *            if peer is HARM_NIC, has `factor` of its rate
 *
 * SLOW lasts from node `index` on, if that is not 0; from at_ps on, for for_ps
 * (0: to the end), like LINK; and only in the span, if it is not 0.
 */
enum graph_harm_kind {
    GRAPH_KILL,
    GRAPH_LOST,
    GRAPH_FLIP,
    GRAPH_STALL,
    GRAPH_SLOW,
    GRAPH_LINK,
    GRAPH_HARMS
};
enum { HARM_NIC = -1, HARM_RANK = -1 };

struct graph_harm {
    uint32_t kind, index;
    int32_t place, peer; /* SLOW: HARM_RANK, or a GPU */
    double factor;
    uint64_t at_ps, for_ps;
    uint32_t span;   /* graph_string() */
    uint32_t nbytes; /* set by graph_note_harm() */
};

#define GRAPH_NEXT UINT32_MAX /* as a harm's index: the next node */

/* Note a harm of this rank. text: the fault, as the user wrote it. */
void graph_note_harm(struct graph_segment *g, const struct graph_harm *harm,
                     const char *text);

#endif
