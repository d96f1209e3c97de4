/*
 * message.h: sends and receives of a group
 *
 * A channel has room for HUB_DEPTH messages that are posted and not received. A
 * group may hold more: what doesn't fit stays in the group's *outbox*, and
 * every operation of the group that waits for a message posts from it as
 * entries become free. So each side of an exchange of any length gets on.
 */
#ifndef SIMGPU_NCCL_MESSAGE_H
#define SIMGPU_NCCL_MESSAGE_H

#include "core/op.h"
#include "nccl/call.h"

struct gate;   /* of a group (execute.c) */
struct outbox; /* of a group's calls of one communicator */

struct nccl_op {
    struct op op;
    struct call call;
    uint64_t seq;      /* of the collective, or the message's number */
    struct gate *gate; /* a communicator's first operation has it, */
    int posts;         /* and begins to post the sends */
    struct outbox *outbox;
    // Copies, mapped by peers, of host memory that they cannot map.
    const void *user_send;
    void *user_recv;
    size_t sent, received;
    struct profiler_task *profiled; /* NULL: no plugin listens */
};

/* An outbox that n operations share; the last of them to leave it frees it. */
struct outbox *outbox_new(struct ncclComm *comm, int n);
void outbox_leave(struct outbox *b);

/* Put a send into it, in the order of calls. */
void outbox_add(struct outbox *b, struct nccl_op *send);

/* On the worker. All return -1 if the communicator is lost. Post what fits; */
int outbox_post(struct outbox *b);
/* wait for the message and copy it; */
int message_receive(struct nccl_op *o);
/* wait until the message has been received. */
int message_finish(struct nccl_op *o);

#endif
