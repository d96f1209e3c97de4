/*
 * unpolled.h: work of non-blocking communicators that nothing has asked about
 *
 * With config.blocking = 0 a call returns ncclInProgress before its work is in
 * the stream. Until ncclCommGetAsyncError() has returned ncclSuccess, a wait
 * for the stream may not include the work, and what is enqueued after the call
 * may run before it:
 *
 *     ncclAllReduce(p, s)     cudaMemcpyAsync(p, s)     ncclCommGetAsyncError
 *            [--------- lent to NCCL, must not be touched ---------]
 *
 * Operations that the calling thread enqueues in between, and that touch the
 * call's buffers, are races (core/stream/lent.h). Work that is never asked
 * about is recorded as a mistake when the process ends with status 0, and named
 * in the report of a hang.
 */
#ifndef SIMGPU_NCCL_UNPOLLED_H
#define SIMGPU_NCCL_UNPOLLED_H

#include "nccl/call.h"

struct unpolled;

/* These n calls, or the creation of a communicator by this call, have been
 * postponed. */
struct unpolled *unpolled_calls(const struct nccl_call *calls, int n);
struct unpolled *unpolled_setup(const char *call, uint32_t site);

/* The program has asked, or has dropped the work. Sets *work to NULL, which it
 * may be already. */
void unpolled_end(struct unpolled **work);

#endif
