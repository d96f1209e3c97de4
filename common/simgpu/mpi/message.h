/*
 * message.h: recording the two ends of a message
 */
#ifndef SIMGPU_MPI_MESSAGE_H
#define SIMGPU_MPI_MESSAGE_H

#include "mpi/call.h"

enum { MESSAGE_EAGER = 8192 }; /* bytes; MPICH's limit inside a node is near */

/* Before a send leaves. rendezvous: its sender waits for the receiver. */
void message_send(struct call *c, const void *buf, size_t nbytes, int dest,
                  int tag, int rendezvous);

/* After a receive has been matched. Does nothing for a cancelled one. */
void message_receive(struct call *c, void *buf, size_t nbytes,
                     const MPI_Status *status);

#endif
