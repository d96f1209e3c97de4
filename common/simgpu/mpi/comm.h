/*
 * comm.h: names for communicators and messages on which all their ranks agree
 *
 * No message is needed to agree. A communicator's identity is computed from its
 * parent's identity, the number of communicators created from that parent so
 * far, and the world rank of its first member. A collective's key is computed
 * from the identity and a count; a message's key from (communicator, source,
 * destination, tag) and a count, since messages with the same envelope don't
 * overtake each other. A communicator created by a function that is not wrapped
 * has no identity: its calls are recorded, but order nothing.
 */
#ifndef SIMGPU_MPI_COMM_H
#define SIMGPU_MPI_COMM_H

#include <mpi.h>
#include <stdint.h>

/* The key of this rank's next collective on comm; 0 without an identity. */
uint64_t comm_next_key(MPI_Comm comm);

/*
 * The key of the next message from source to dest (ranks of comm) with this
 * tag; 0 without an identity. The sender calls this when it sends, the receiver
 * when its receive is matched; each keeps its own count.
 */
uint64_t comm_message_key(MPI_Comm comm, int source, int dest, int tag,
                          int receiver);

/* Give a communicator that was created from parent its identity.
 * made may be MPI_COMM_NULL. */
void comm_made(MPI_Comm parent, MPI_Comm made);

#endif
