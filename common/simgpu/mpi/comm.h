/*
 * comm.h: names for communicators and messages on which all their ranks agree
 *
 * A communicator's identity is derived, without any message, from its parent's,
 * the number of communicators created from that parent so far, and the world
 * rank of its first member; a collective's key from the identity and a count; a
 * message's from (communicator, source, destination, tag) and a count, since
 * messages of one envelope don't overtake each other. A communicator created by
 * a function that is not wrapped has no identity: its calls are recorded, but
 * order nothing.
 */
#ifndef SIMGPU_MPI_COMM_H
#define SIMGPU_MPI_COMM_H

#include <mpi.h>
#include <stdint.h>

/* Key of this rank's next collective on comm; 0 without identity. */
uint64_t comm_next_key(MPI_Comm comm);

/*
 * Key of the next message from source to dest (ranks of comm) with this tag.
 * The sender asks when it sends, the receiver when its receive is matched;
 * each counts for itself. 0 without identity.
 */
uint64_t comm_message_key(MPI_Comm comm, int source, int dest, int tag,
                          int receiver);

/* Give a communicator created from parent its identity. MPI_COMM_NULL is
 * allowed. */
void comm_made(MPI_Comm parent, MPI_Comm made);

#endif
