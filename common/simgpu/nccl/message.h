/*
 * message.h: sends and receives of a group
 *
 * A channel can hold HUB_DEPTH messages that are posted but not yet received. A
 * group may have more: the others stay in the group's *outbox*, and every
 * operation of the group that waits for a message posts from the outbox as
 * entries become free. Two ranks can therefore exchange any number of messages
 * without blocking each other.
 */
#ifndef SIMGPU_NCCL_MESSAGE_H
#define SIMGPU_NCCL_MESSAGE_H

#include "core/stream/op.h"
#include "nccl/call.h"

struct gate;   /* shared by a group's operations (execute.c) */
struct outbox; /* the sends of a group on one communicator */

struct nccl_op {
    struct op op;
    struct nccl_call call;
    uint64_t seq;      /* number of the collective, or of the message */
    struct gate *gate; /* set for a communicator's first operation, */
    int posts;         /* which also starts to post the sends */
    struct outbox *outbox;
    // copies, which peers can map, of host memory that they cannot
    const void *user_send;
    void *user_recv;
    size_t sent, received;
    struct profiler_task *profiled; /* NULL: no plugin is loaded */
};

/* Create an outbox that n operations share; the last one to leave frees it. */
struct outbox *outbox_new(struct ncclComm *comm, int n);
void outbox_leave(struct outbox *b);

/* Append a send; call it in the order of calls. */
void outbox_add(struct outbox *b, struct nccl_op *send);

/* On the worker; all return -1 if the communicator is lost. Post what fits; */
int outbox_post(struct outbox *b);
/* wait for the message and copy it; */
int message_receive(struct nccl_op *o);
/* wait until the message has been received. */
int message_finish(struct nccl_op *o);

#endif
