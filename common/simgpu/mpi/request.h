/*
 * request.h: MPI's non-blocking collectives as open requests
 */
#ifndef SIMGPU_MPI_REQUEST_H
#define SIMGPU_MPI_REQUEST_H

#include "mpi/call.h"

/* A collective has begun, with result err. Until a wait or a test finds it
 * complete, MPI may read `sent` bytes and write `received` ones. Returns err.
 */
int request_collective(const struct mpi_call *c, int err, MPI_Request request,
                       const void *sendbuf, size_t sent, void *recvbuf,
                       size_t received);

#endif
