/*
 * lent.h: memory that a non-blocking call of MPI or NCCL uses
 *
 * From MPI_Isend() on, until a wait or a test finds the message complete, MPI
 * may read the buffer at any time; from MPI_Irecv() on, it may write it. A
 * collective such as MPI_Iallreduce() has a buffer for each. The graph has one
 * access of the host for each message: a send's when it begins, a receive's
 * when it is complete. An operation that is enqueued in between, and that the
 * host waits for before it waits for the message, is in order with both:
 *
 *     MPI_Isend(p)   cudaMemcpyAsync(p, ...)   cudaStreamSynchronize   MPI_Wait
 *           [------------ lent to MPI, must not be written ------------]
 *
 * A call on a non-blocking communicator of NCCL is such a message until the
 * program has asked for its state (nccl/unpolled.h).
 *
 * So what operations touch is compared with what was lent when they were
 * enqueued. Only operations of the thread that began the message count, since
 * it is not known in which order others enqueue theirs, and only up to the next
 * host function, which may wait for the message itself, or wait for a value.
 */
#ifndef SIMGPU_CORE_STREAM_LENT_H
#define SIMGPU_CORE_STREAM_LENT_H

#include <stddef.h>
#include <stdint.h>

#include "graph/record/record.h"

/*
 * MPI, or NCCL, begins to read or write (enum graph_touch) these bytes, by this
 * call of the calling thread. It may "until" something happens, which the
 * string tells, and how to make sure of that. Returns a number for
 * simgpu_lent_end().
 */
uint64_t simgpu_lent_begin(const struct graph_access *a, const char *call,
                           const char *until);

/* A call has found the message complete. 0: nothing was lent. */
void simgpu_lent_end(uint64_t lent);

/* Host code has written what was lent. Returns true if no operation was noted
 * that disturbs it; from then on, none is. */
int lent_is_new(uint64_t lent);

/* The moment at which the calling thread enqueues an operation, for
 * lent_compare(); 0 if nothing is lent. */
uint64_t lent_moment(void);

/* A host function, or a wait for a value, is about to be enqueued. */
void simgpu_lent_excuse(void);

/* An operation of this name, enqueued at that moment, touches these bytes. Each
 * message that an operation disturbs is noted once. */
void lent_compare(const struct graph_node *n, const char *name, uint64_t moment,
                  const struct graph_access *a, size_t naccesses);

/* The call at this site frees the allocation. */
void simgpu_lent_free(uint64_t alloc, const char *call, uint32_t site);

#endif
