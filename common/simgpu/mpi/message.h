/*
 * message.h: recording the two ends of a message
 */
#ifndef SIMGPU_MPI_MESSAGE_H
#define SIMGPU_MPI_MESSAGE_H

#include "mpi/call.h"

/* in bytes; close to MPICH's limit within a node */
enum { MESSAGE_EAGER = 8192 };

/* Call it before a send leaves. rendezvous means that the
 * sender waits for the receiver. */
void message_send(struct mpi_call *c, const void *buf, size_t nbytes, int dest,
                  int tag, int rendezvous);

/* Call it after a receive has been matched. Does nothing
 * for a cancelled receive. */
void message_receive(struct mpi_call *c, void *buf, size_t nbytes,
                     const MPI_Status *status);

#endif
