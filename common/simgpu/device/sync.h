/*
 * sync.h: what orders a running kernel before and after others
 *
 * A kernel that sets a flag and a kernel that waits for the flag are ordered by
 * it, in the middle of both. Their nodes in the graph therefore have parts
 * (graph/record/record.h). A *release* ends the kernel's current part and
 * records that part next to the word (core/stream/flag.h); an *acquire* that
 * reads the word begins a part that follows the recorded one.
 *
 *     rank 0   K: [ writes data | release flag ][ ...          ]
 *                                      \
 *     rank 1   L: [ ...        polls    ][ acquired: reads data ]
 *
 * - A store or exchange with release order is a release. So is any write of a
 *   word that may be polled (volatile, or atomic at system scope) in a kernel
 *   that has called __threadfence_system() before.
 * - A load with acquire order is an acquire. A volatile load, or an atomic at
 *   system scope, becomes one at the next __threadfence_system().
 * - Plain loads and stores, weaker fences and atomics of narrower scope make no
 *   edges between kernels. They may order kernels of one device, which the
 *   check for hazards takes into account (graph/hazard/hazard_excuse.h).
 *
 * Parts belong to the kernel, not to its threads: simgpu runs the threads one
 * after the other, and assumes that a release covers what the other threads
 * have done before. That can miss a mistake within a kernel; it never reports a
 * mistake that isn't there.
 *
 * An acquire, in contrast, counts for its block, and for those that look at
 * something afterwards: see behind.h.
 *
 * A word that a thread polls is recorded once, when the polling has stopped;
 * otherwise the graph would depend on how often the thread polled.
 */
#ifndef SIMGPU_DEVICE_SYNC_H
#define SIMGPU_DEVICE_SYNC_H

#include "core/stream/op.h"
#include "device/poll.h"

/* Call these around a kernel's run on this worker. */
void sync_begin(struct op *op);
void sync_end(void);

/* The same for another thread that runs blocks of the kernel. */
void *sync_shared(void);
void sync_adopt(void *shared);

/* Called when the running thread does anything but
 * poll: its latest reads count. */
void sync_commit(void);

/* Check the word. True if the thread may continue, because the condition holds
 * or is unknown. */
int sync_holds(struct poll *p);

/* A counter that grows when a thread does anything but find words unchanged. */
uint64_t sync_activity(void);

/*
 * Begin a part aside of the kernel (graph_aside()). It follows everything that
 * the kernel has done and the n parts in `after`, at most SYNC_AFTER. Parts of
 * different peers have different queues, as a NIC has a queue for each peer.
 * *slot is set to the part's queue among the stream's parts aside. Amend the
 * part, with sync_op(), before anything else happens.
 */
enum { SYNC_AFTER = 128 };
struct graph_point sync_aside(const char *name, unsigned peer,
                              const struct graph_point *after, size_t n,
                              uint64_t latency_ps, unsigned *slot);
struct op *sync_op(void);

/* The end of what the kernel has done so far. */
struct graph_point sync_here(void);

/* Order what the kernel does next after a part aside,
 * of this or another kernel. */
void sync_follow(struct graph_point aside);

/* Add n to a 64-bit word of any rank, latency_ps after the end of a part of the
 * running kernel. Other additions to the word may come before or after. */
void sync_grow(void *word, uint64_t n, struct graph_point by,
               uint64_t latency_ps);

/* The compiler calls this before each volatile access. */
void sync_volatile_read(const void *p, unsigned nbytes, const void *pc);
void sync_volatile_write(void *p, unsigned nbytes, const void *pc);

#endif
