/*
 * record.h: how a run writes its execution graph
 *
 * The graph is what is left of a run when clocks are taken away: which
 * operations there were, what ordered them, what they cost and which bytes
 * they touched. Times, hazards and pictures are computed from it, by
 * replay.h, hazard.h and timeline.h.
 *
 * Every process appends to a segment of its own (a memfd, so peers can map it
 * and nothing is left behind). A segment is append-only: what has been
 * published never changes, except by graph_amend() and graph_part(), which add
 * to a node what only its execution shows. Nodes of one process are numbered from 1 in the
 * order in which they were issued; 0 is "no node".
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
 *   goes on at once, unless GRAPH_JOIN is set: then it goes on at the end.
 *   Nodes of one group that are neighbours in a queue start together: what
 *   follows them in the queue waits for all of them.
 * - A host-only node (queue 0) ends latency_ps after its deps have ended and
 *   its host_ps are over: a synchronisation, or an MPI call.
 * - A thread other than 0 begins where thread 0 is when the first node of that
 *   thread is recorded: after the latest node of thread 0 with a lower index.
 * - A node may have parts: graph_part(). The first has its host part, latency
 *   and deps; each other one begins when the part before it and all that it
 *   comes after have ended. What waits for the node waits for its last part.
 * - Nodes of several processes with the same match key form one operation: see
 *   enum graph_match. The key is derived from names that all participants
 *   share (communicator id and sequence number), never from pointers. A node
 *   is published before its operation begins, so whoever has seen a matched
 *   operation complete can read the nodes of those it waited for.
 *
 * This module knows nothing of CUDA, NCCL or MPI; names are for people.
 * Threads: everything between graph_open and graph_close may be called from any
 * thread. Nodes of one queue are numbered in queue order, so whoever adds to a
 * queue from several threads holds a lock of that queue over graph_add.
 */
#ifndef COMMLAB_GRAPH_RECORD_H
#define COMMLAB_GRAPH_RECORD_H

#include <stddef.h>
#include <stdint.h>

enum graph_kind {
    GRAPH_HOST,   /* host-only: synchronisation, or time passed on the host */
    GRAPH_KERNEL, /* cost: fixed_ps, flops, moves */
    GRAPH_COPY,   /* cost: moves */
    GRAPH_MEMSET, /* cost: moves */
    GRAPH_COLL,   /* one rank's part of a collective; cost: op, bytes */
    GRAPH_SEND,   /* cost: bytes, from place to peer_place */
    GRAPH_RECV,   /* its match carries the cost */
    GRAPH_HOSTFN, /* a host function run in stream order */
    GRAPH_MARK,   /* an event record: ends with what is before it, no cost */
    GRAPH_MPI,    /* host-only with a match */
    GRAPH_KINDS
};

/*
 * What a match key means for order: who waits for whom. match_rank counts the
 * participants from 0. For *time* two things differ from that. A GRAPH_COLL
 * moves data straight between its ranks' buffers, so all wait for all, whatever
 * its match kind. The sender of a host-only PAIR stays for as long as its bytes
 * take, not for its receiver, which may be recorded only when it is done.
 */
enum graph_match {
    GRAPH_MATCH_NONE,
    GRAPH_MATCH_ALL,       /* every start before every end */
    GRAPH_MATCH_FROM_ROOT, /* the root's start before every end */
    GRAPH_MATCH_TO_ROOT,   /* every start before the root's end */
    GRAPH_MATCH_PAIR,      /* the sender's start before the receiver's end, and
                              the other way round: a rendezvous */
    GRAPH_MATCH_MESSAGE,   /* as PAIR, but the sender doesn't wait (eager) */
};

/* Collectives as the cost model knows them; GRAPH_COLL and GRAPH_MPI. */
enum graph_op {
    GRAPH_OP_NONE,
    GRAPH_OP_ALLREDUCE,
    GRAPH_OP_BROADCAST,
    GRAPH_OP_REDUCE,
    GRAPH_OP_ALLGATHER,
    GRAPH_OP_REDUCESCATTER,
    GRAPH_OP_ALLTOALL,
    GRAPH_OP_GATHER,
    GRAPH_OP_SCATTER,
    GRAPH_OP_BARRIER,
    GRAPH_OP_SENDRECV,
    GRAPH_OPS
};

enum graph_math { GRAPH_FP32, GRAPH_TF32, GRAPH_FP16, GRAPH_FP64, GRAPH_MATHS };

/* graph_node.flags: JOIN, the issuing thread waits for the end; STAGED, copies
 * between devices go through host memory, since peer access is off. */
enum { GRAPH_JOIN = 1, GRAPH_STAGED = 2 };

/*
 * A place is where bytes lie or work is done. Devices of the machine are
 * numbered through all its nodes, in the topology's order; the memory of
 * node n's host is GRAPH_HOST_PLACE(n).
 */
#define GRAPH_HOST_PLACE(node) (-1 - (int32_t)(node))

struct graph_ref { /* names a node: who issued it, which one */
    uint32_t rank, index;
};

/*
 * An operation that meets others while it runs (a kernel that waits for a flag)
 * has *parts*, numbered from 0, each of which ends before the next begins. Only
 * its run shows them: see graph_part().
 */
struct graph_point { /* the end of one part of a node */
    uint32_t rank, index, part;
};

struct graph_move { /* bytes that an operation moves between two places */
    int32_t from, to;
    uint64_t nbytes; /* from == to: read + written in that place's memory */
};

/* How an operation touches bytes. ALLOC and FREE bound an allocation's life. */
enum graph_touch {
    GRAPH_READ,
    GRAPH_WRITE,
    GRAPH_ATOMIC, /* atomic, or volatile: meant to meet others */
    GRAPH_ALLOC,
    GRAPH_FREE,
    GRAPH_HOLD, /* keeps it from being freed */
    GRAPH_TOUCHES,
    GRAPH_TOUCH = 0xff,  /* of graph_access.write, the part that says how */
    GRAPH_ROUGH = 0x100, /* the range also holds bytes that are not touched */
    GRAPH_FIRST = 0x200, /* a kernel's read, before it wrote there itself */
    GRAPH_BLIND =
        0x400, /* an atomic that may not have looked at the old value */
    GRAPH_KNOWN = 0x800, /* an atomic: what it orders is in the graph */
};

struct graph_access {    /* bytes that an operation touches */
    uint64_t alloc;      /* allocation: owner rank << 32 | number within owner;
                         number 0: ordinary memory, ranges are addresses */
    uint64_t begin, end; /* byte range within it, end exclusive */
    uint32_t write;      /* enum graph_touch */
    uint32_t site;       /* call site of the access, 0 if the node's own */
};

struct graph_node {
    uint32_t rank, index; /* set by graph_add */
    uint8_t kind;         /* enum graph_kind */
    uint8_t match_kind;   /* enum graph_match */
    uint8_t op;           /* enum graph_op */
    uint8_t math;         /* enum graph_math, of flops */
    uint32_t flags;
    uint32_t thread;     /* host thread that issued it, from 0 */
    uint32_t queue;      /* stream of this process, from 1; 0: host-only */
    int32_t place;       /* where it runs */
    int32_t peer_place;  /* GRAPH_SEND, GRAPH_RECV: the other end's place */
    uint64_t host_ps;    /* time on the host thread */
    uint64_t latency_ps; /* device part: before its work begins; host-only:
                            from its last dep's end to its own */
    double flops;
    uint64_t match;      /* key, 0: none */
    uint32_t match_size; /* participants */
    uint32_t match_rank; /* this participant's rank among them */
    uint32_t match_root; /* root, or for PAIR and MESSAGE the sender: 0 */
    uint32_t elem_size;  /* bytes of one element, collectives */
    uint64_t bytes;      /* as nccl-tests counts an operation's size */
    uint32_t name;       /* graph_string(): "ncclAllReduce", kernel's name */
    uint32_t site;       /* graph_site(): call site */
    uint32_t group;      /* nodes of one NCCL group share it; 0: none */
    uint16_t ndeps, nmoves;
    uint32_t naccesses;
    uint32_t span; /* graph_string(): NVTX range it was issued in, 0: none */
};

/* A segment's memfd is /proc/PID/fd/N -> /memfd:NAME. */
#define GRAPH_MEMFD "commlab-graph"

/*
 * This bit in an allocation's number: its memory has addresses and no contents. Kernels
 * that would touch it aren't run, so the graph doesn't show what they write.
 */
#define GRAPH_NO_CONTENTS (UINT64_C(1) << 31)

struct graph_segment;

/*
 * Open this process's segment. dir: NULL, or the directory in which graph_save
 * saves it (SIMGPU_GRAPH); it is made if it isn't there. Returns NULL with
 * errno.
 */
struct graph_segment *graph_open(uint32_t rank, uint32_t nranks,
                                 const char *dir);

/*
 * Write DIR/rank-N.graph, if graph_open got a directory; others may go on
 * recording. Call sites become file:line here. On failure -1, with a message
 * on standard error.
 */
int graph_save(struct graph_segment *g);

/* Unmap and free, without saving; nobody may record any more. NULL is
 * allowed. */
void graph_close(struct graph_segment *g);

/*
 * Record nothing from now on; nodes are numbered all the same. What a run takes
 * with and without is the price of recording. Nobody else should call it: no
 * modelled time can be told afterwards.
 */
void graph_mute(struct graph_segment *g);

/* The memfd, for peers to map through /proc/PID/fd/N. */
int graph_fd(const struct graph_segment *g);

/*
 * Append a node and publish it. n's counts say how long the arrays are; its
 * rank and index are ignored. Returns its index, never 0: when the segment is
 * full the run is stopped with a message (status 70), since times would be
 * wrong from there on.
 */
uint32_t graph_add(struct graph_segment *g, const struct graph_node *n,
                   const struct graph_ref *deps, const struct graph_move *moves,
                   const struct graph_access *accesses);

/*
 * Add what the execution of a node has shown: bytes moved, flops, accesses.
 * Must be called before the node's completion is made known to anyone.
 */
void graph_amend(struct graph_segment *g, uint32_t index, double flops,
                 const struct graph_move *moves, size_t nmoves,
                 const struct graph_access *accesses, size_t naccesses);

/*
 * The next part of a running node begins: after its part so far and after the
 * parts `after`, whose ends it has seen, and latency_ps later works. What is amended from now on belongs to
 * it. Like an amendment it must be published before its effects can be seen.
 */
void graph_part(struct graph_segment *g, uint32_t index,
                const struct graph_point *after, size_t n, uint64_t latency_ps);

/* Intern a string; ids are small, per segment, stable. "" and NULL are 0. */
uint32_t graph_string(struct graph_segment *g, const char *text);

/*
 * Nodes that this thread adds from now on belong to span `name` (a number of
 * graph_string(), 0: none), unless they name one themselves. Returns the one
 * before.
 */
uint32_t graph_span(uint32_t name);

/*
 * Intern a call site: a return address of this process, NULL is 0. It becomes
 * "file:line" when the segment is saved, or when somebody asks.
 */
uint32_t graph_site(struct graph_segment *g, const void *return_address);

/* "file:line" or "module+0x123" of a call site, into out; returns out. "?" for
 * site 0. */
const char *graph_site_text(struct graph_segment *g, uint32_t site, char *out,
                            size_t nbytes);

/* Tell readers which machine the run is modelled on: topo_load()'s argument. */
void graph_note_machine(struct graph_segment *g, const char *name);

/* Tell readers about an allocation and a queue (for messages, pictures). */
void graph_note_alloc(struct graph_segment *g, uint64_t alloc, int32_t place,
                      uint64_t nbytes, uint32_t site);
void graph_note_queue(struct graph_segment *g, uint32_t queue, int32_t place,
                      const char *name);

/*
 * Tell readers of a mistake that the run itself noticed, by this call site (0:
 * unknown), with operation `index` (0: the latest). text says it all, as a person is
 * to read it. A warning is a remark.
 */
void graph_note_fault(struct graph_segment *g, uint32_t index, uint32_t site,
                      int warning, const char *text);

#endif
