/*
 * connect.h: connections at first use
 *
 * NCCL connects ranks when a call first needs it, on the host: the first
 * collective of an algorithm connects each rank with its neighbours (since
 * 2.22; NCCL_RUNTIME_CONNECT=0 does it when the communicator is made), and the
 * first message between two ranks connects these. The call returns when the
 * other ends have come, too. So a first call blocks the host, as later ones
 * don't, and a program that crosses it with calls of MPI hangs.
 *
 * Here a first call returns at once, and the wait is owed: the host thread
 * waits at its next call of MPI, before which NCCL would have blocked it for
 * good. So crossed programs hang here, too, with a report of the call that
 * connects; and a rank that aborts a communicator, or looks for a hang by
 * itself, still can. Nothing is recorded: connecting takes no modelled time,
 * and orders nothing.
 *
 * In doubt a rank waits for fewer ranks than NCCL's: for the neighbours of the
 * first channel, not for ranks of its own process, not with splitShare, and not
 * for one-sided messages. A non-blocking communicator waits for none.
 */
#ifndef SIMGPU_NCCL_CONNECT_H
#define SIMGPU_NCCL_CONNECT_H

#include "nccl/call.h"

/* Connect what the calls of a group need first. */
void connect_calls(const struct call *calls, int n);

/* The communicator ends, and what is owed to it. */
void connect_forget(const struct ncclComm *c);

#endif
