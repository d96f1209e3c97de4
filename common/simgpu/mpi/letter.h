/*
 * letter.h: messages that are received as another type than they were sent
 *
 * MPI moves the bytes of a message and doesn't look at their type. A message of
 * MPI_FLOAT that is received as MPI_INT arrives as nonsense, and one of
 * MPI_DOUBLE as twice as many of MPI_FLOAT. The sender notes the type on its
 * control page, and the receiver compares.
 *
 * By the standard, types must be equal. This is more lenient: only types that
 * differ in size, or of which one is floating point and the other is not, are
 * found; characters, MPI_BYTE and MPI_PACKED go with any type. Derived types
 * are not compared. A sender that is many messages ahead overwrites its notes:
 * a difference is then missed.
 */
#ifndef SIMGPU_MPI_LETTER_H
#define SIMGPU_MPI_LETTER_H

#include "mpi/call.h"

/* The call c, of type c->type, sends message `key`; 0: unknown. */
void letter_sent(const struct mpi_call *c, uint64_t key);

/* The call c has received the message: warn, once for each line, if the types
 * differ. */
void letter_received(const struct mpi_call *c, uint64_t key);

#endif
