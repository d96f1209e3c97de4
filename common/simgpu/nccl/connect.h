/*
 * connect.h: connections at first use
 *
 * NCCL connects ranks on the host, when a call first needs the connection. The
 * first collective of an algorithm connects each rank with its neighbours
 * (since 2.22; with NCCL_RUNTIME_CONNECT=0 this happens when the communicator
 * is created), and the first message between two ranks connects those two. The
 * call returns once the other ends have connected, too. A first call can
 * therefore block the host although later ones don't, and a program whose ranks
 * order such a call and an MPI call differently hangs.
 *
 * On simgpu a first call returns at once, and its wait is postponed to the host
 * thread's next MPI call: by then NCCL would have blocked the thread for good.
 * Such programs hang here, too, with a report that names the call that
 * connects. A rank that aborts the communicator, or that looks for hangs
 * itself, still gets to run. Connections are not recorded in the graph: they
 * take no modelled time and order nothing.
 *
 * A rank waits for fewer ranks than NCCL would, never for more: only for the
 * neighbours of the first channel, not for ranks of its own process, not with
 * splitShare, and not for one-sided messages. A non-blocking communicator waits
 * for no rank.
 */
#ifndef SIMGPU_NCCL_CONNECT_H
#define SIMGPU_NCCL_CONNECT_H

#include "nccl/call.h"

/* Connect the ranks that a group's calls need. */
void connect_calls(const struct nccl_call *calls, int n);

/* Drop a communicator's needs, before it ends. */
void connect_forget(const struct ncclComm *c);

#endif
