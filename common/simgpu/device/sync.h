/*
 * sync.h: what orders a running kernel before and after others
 *
 * A kernel that sets a flag and one that waits for it are ordered by it, in the
 * middle of both. Their nodes in the graph have parts (graph/record.h): a
 * *release* ends the kernel's part so far and records that part next to the
 * word (core/flag.h); an *acquire* that reads the word begins a part that
 * follows the recorded one.
 *
 *     rank 0   K: [ writes data | release flag ][ ...          ]
 *                                      \
 *     rank 1   L: [ ...        polls    ][ acquired: reads data ]
 *
 * - A store or exchange with release order is a release. So is any write of a
 * word that may be polled (volatile, or atomic at system scope) in a kernel
 * that has called __threadfence_system() before.
 * - A load with acquire order is an acquire. A volatile load, or an atomic at
 * system scope, becomes one at the next __threadfence_system().
 * - A plain load or store, a weaker fence and an atomic of narrower scope make
 * no edges between kernels. Those of one device may be ordered by them, which
 * the check for hazards takes into account (graph/hazard_excuse.h).
 *
 * Parts belong to the kernel, not to its threads: simgpu runs these one after
 * the other, and a release is taken to cover what the others have done before.
 * That can miss a mistake within a kernel; it never reports one that isn't
 * there.
 *
 * A word that a thread polls counts once, when the polling has stopped;
 * otherwise the graph would depend on how often it looked.
 */
#ifndef SIMGPU_DEVICE_SYNC_H
#define SIMGPU_DEVICE_SYNC_H

#include "core/op.h"
#include "device/run.h"

/* Around a kernel's run on this worker. */
void sync_begin(struct op *op);
void sync_end(void);

/* The same for another thread that runs blocks of the kernel. */
void *sync_shared(void);
void sync_adopt(void *shared);

/* The running thread does something other than poll: what it saw last
 * counts. */
void sync_commit(void);

/* Look at the word. True if the thread may continue: the condition holds, or is
 * unknown. */
int sync_holds(struct poll *p);

/* Grows when a thread does anything but find words unchanged. */
uint64_t sync_activity(void);

/*
 * Begin a part aside of the kernel (graph_aside()): it follows all that the
 * kernel has done and the n parts `after`, at most SYNC_AFTER. *slot: the queue
 * of the stream's asides that it is in. Amend it, with sync_op(), before
 * anything else happens.
 */
enum { SYNC_AFTER = 8 * OP_ASIDES };
struct graph_point sync_aside(const char *name, const struct graph_point *after,
                              size_t n, uint64_t latency_ps, unsigned *slot);
struct op *sync_op(void);

/* The end of what the kernel has done so far. */
struct graph_point sync_here(void);

/* What follows in the kernel comes after this part aside, of any kernel. */
void sync_follow(struct graph_point aside);

/* Add n to a 64-bit word of any rank at the end of a part of the running
 * kernel, latency_ps after it; others may add to it before or after. */
void sync_grow(void *word, uint64_t n, struct graph_point by,
               uint64_t latency_ps);

/* The compiler announces a volatile access, before it happens. */
void sync_volatile_read(const void *p, unsigned nbytes, const void *pc);
void sync_volatile_write(void *p, unsigned nbytes, const void *pc);

#endif
