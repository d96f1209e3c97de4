/*
 * fence.h: a position in a stream
 *
 * A fence is a stream and a sequence number. It has passed when the op with
 * that number has completed. Events, the rules of the legacy default stream,
 * and host synchronisation are all built on fences.
 */
#ifndef SIMGPU_CORE_STREAM_FENCE_H
#define SIMGPU_CORE_STREAM_FENCE_H

#include <stdint.h>

struct stream;

struct fence { /* plain data; stream NULL: passed */
    struct stream *stream;
    uint64_t seq;
    uint32_t node; /* the op's node, in this process's segment */
};

int fence_passed(struct fence f);

/* For a fence that has passed: true if it is on this device, and its op, or an
 * earlier op of its stream, failed or followed a failed op of the device. */
int fence_failed(struct fence f, int device);

/* Note that the fence is waited for: under the late schedule, ops up to it may
 * start, and so may the ops that they depend on. */
void fence_demand(struct fence f);

/* Sleep until the fence has passed, for `call` at `site`; records
 * nothing in the graph. */
void fence_wait(struct fence f, const char *call, uint32_t site);

/* Called by the worker of s: the op with this number has completed. */
void fence_signal(struct stream *s, uint64_t seq);

/*
 * Wait on the host until the fences have passed. The host is then ordered after
 * the ops that they follow: a GRAPH_HOST node that depends on them is recorded.
 */
void simgpu_fence_join(const struct fence *f, int n, const char *call,
                       uint32_t site);

/*
 * If all fences have passed, do as simgpu_fence_join() and return 1. Otherwise
 * return 0 and record nothing: how often a program polls depends on the speed
 * of this machine, and modelled times must not.
 */
int simgpu_fence_poll(const struct fence *f, int n, const char *call,
                      uint32_t site);

/* True between a failed poll of the calling thread and its next successful
 * wait; until then, reading the clock costs no modelled time either. */
int fence_is_polling(void);

#endif
