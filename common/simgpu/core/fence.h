/*
 * fence.h: a position in a stream
 *
 * A fence is (stream, sequence number). It has passed when the op with that
 * number has completed. Events, the legacy default stream's rules and host
 * synchronisation are all built on fences.
 */
#ifndef SIMGPU_CORE_FENCE_H
#define SIMGPU_CORE_FENCE_H

#include <stdint.h>

struct stream;

struct fence { /* plain data; stream NULL: passed */
    struct stream *stream;
    uint64_t seq;
    uint32_t node; /* of the op, in this process's segment */
};

int fence_passed(struct fence f);

/* Of a fence that has passed: it is this device's, and its op or one before it
 * in the stream failed, or followed one of the device that did. */
int fence_failed(struct fence f, int device);

/* The fence is waited for: under the late schedule, ops up to it may start, and
 * so may those that they depend on. */
void fence_demand(struct fence f);

/* Sleep until the fence has passed, for `call` at `site`, without a trace in
 * the graph. */
void fence_wait(struct fence f, const char *call, uint32_t site);

/* From the worker of s: the op with this number has completed. */
void fence_signal(struct stream *s, uint64_t seq);

/*
 * The host waits until the fences have passed, and is ordered after what they
 * follow: a GRAPH_HOST node that depends on them is recorded.
 */
void simgpu_fence_join(const struct fence *f, int n, const char *call,
                       uint32_t site);

/*
 * If all have passed: as simgpu_fence_join(), and 1. Otherwise 0, and nothing
 * is recorded: how often a program has to ask depends on the speed of this
 * machine, which modelled times must not.
 */
int fence_poll(const struct fence *f, int n, const char *call, uint32_t site);

/* True from a poll of the calling thread that failed until a wait of its that
 * ended: reading the clock meanwhile is to cost nothing either. */
int fence_is_polling(void);

#endif
