/*
 * stream.h: ordered queues of operations, each with a worker thread
 *
 * An operation (op) is enqueued by a host thread and run later by its stream's
 * worker, after the op before it in the stream and after its dependences. run()
 * may sleep in proc_wait(), as a collective does; nothing else may.
 *
 * A *mark* is a position in a stream: (stream, sequence number). It is passed
 * when the op with that number has completed. Events, the legacy default
 * stream's rules and host synchronisation are all built on marks.
 *
 * SIMGPU_SCHEDULE says when a worker may start an op that is ready:
 *   eager        at once
 *   late         when somebody waits for it (a synchronisation, an op that
 *                follows it, a peer in its collective, anybody who waits for
 *                a flag), else after 2 ms: code that forgot to synchronise
 *                fails every time
 *   random:SEED  after a pseudo-random delay of 0 to 200 us
 *
 * Enqueueing records the op's node in the execution graph, with its stream and
 * dependences; the op's owner fills in kind, cost and name beforehand.
 */
#ifndef SIMGPU_CORE_STREAM_H
#define SIMGPU_CORE_STREAM_H

#include "core/proc.h"

struct stream;

struct mark { /* plain data; stream NULL: passed */
    struct stream *stream;
    uint64_t seq;
    uint32_t node; /* of the op, in this process's segment */
};

struct op {
    void (*run)(struct op *op);     /* on the worker; NULL: nothing to do */
    void (*release)(struct op *op); /* after completion; NULL: free(op) */
    struct graph_node node; /* filled by the owner: kind, name, cost, match */
    const char *name;       /* lasts as long as the op */
    /* set by stream.c and op.c */
    struct stream *stream;
    struct op *next;
    struct mark *deps;
    int ndeps, cap_deps;
    uint64_t seq;
    uint32_t part;                  /* of its node, while it runs */
    const struct graph_move *moves; /* lifetime: until enqueued */
    const struct graph_access *accesses;
};

/* A zeroed op of at least `nbytes` (struct op first), named, at this site. */
void *op_new(size_t nbytes, void (*run)(struct op *), enum graph_kind kind,
             const char *name, uint32_t site);

/* Let op start only after mark has passed. The graph records that even if it
 * has: it must not depend on who was faster. */
void op_after(struct op *op, struct mark mark);

/*
 * Append op to stream, with the legacy default stream's rules applied. Takes
 * ownership of op. Returns its mark.
 */
struct mark stream_enqueue(struct stream *s, struct op *op);

/*
 * Record on op's node, from run(), what its execution has shown. See
 * graph_amend().
 */
void op_amend(struct op *op, double flops, const struct graph_move *moves,
              size_t nmoves, const struct graph_access *acc, size_t nacc);

/*
 * From run(): the op goes on to its next part, after the parts `after` whose
 * ends it has seen. See graph_part(). Returns the number of the new part.
 */
uint32_t op_part(struct op *op, const struct graph_point *after, size_t n,
                 uint64_t latency_ps);

/* The op failed on the device: its stream's device gets a sticky error (a
 * cudaError_t value), which every later call of the process returns. */
void op_fail(struct op *op, int cuda_error);

/* ---- streams ------------------------------------------------------------ */

enum stream_kind { STREAM_LEGACY, STREAM_BLOCKING, STREAM_NONBLOCKING };

/* A new stream on a device; its worker starts with its first op. */
struct stream *stream_new(int device, enum stream_kind kind, int priority);

/* Destroy when its ops have completed; doesn't wait for them. */
void stream_release(struct stream *s);

/*
 * The stream that a cudaStream_t (as void *) means to the calling thread: 0
 * and cudaStreamLegacy (1) are the current device's legacy stream,
 * cudaStreamPerThread (2) the thread's own. NULL: not a live stream.
 */
struct stream *stream_of(void *handle);

/* Destroy all streams of a device that have a handle of their own. */
void streams_reset(int device);

int stream_device(const struct stream *s);
enum stream_kind stream_kind_of(const struct stream *s);
int stream_priority(const struct stream *s);
uint32_t stream_queue(const struct stream *s); /* its number in the graph */

/* The last op enqueued; and has it, or any mark, passed? */
struct mark stream_tail(struct stream *s);
int mark_passed(struct mark m);

/* Somebody waits for the mark: under the late schedule, ops up to it may start,
 * and so may what they depend on. */
void mark_demand(struct mark m);

/*
 * The host waits until the marks have passed, and knows from then on what they
 * knew: a GRAPH_HOST node that follows them is recorded.
 */
void marks_join(const struct mark *m, int n, const char *call, uint32_t site);

/*
 * If all have passed, as marks_join(), and 1. Else 0, and no trace of it in the
 * graph: how often a program has to ask depends on how fast this machine is,
 * and modelled times must not.
 */
int marks_poll(const struct mark *m, int n, const char *call, uint32_t site);

/* The marks that cudaDeviceSynchronize, or a synchronisation of the legacy
 * stream, waits for. Returns how many; fills at most cap. */
int device_marks(int device, int blocking_only, struct mark *out, int cap);

/* Wait until nothing is left to do in any stream, without a trace of it. */
void streams_drain(void);

/* ---- the calling thread and its device --------------------------------- */

int device_current(void);
int device_set(int device); /* -1: no such device */

/* Has the thread a current device, as the driver sees it: has it chosen one, or
 * called the runtime? device_unbind(): it has none from now on. */
int device_bound(void);
void device_unbind(void);

/* Sticky error of a device, 0 if none. */
int device_error(int device);
void device_reset_error(int device);

/*
 * Errors as the runtime keeps them, per host thread: every API function ends
 * with `return api_return(err)`, which remembers a failure for
 * cudaGetLastError and lets a sticky one through.
 */
int api_return(int cuda_error);
int api_last_error(int clear);

/* A host call that is neither op nor wait: costs modelled host time. */
void host_call(const char *name, uint32_t site);

#endif
