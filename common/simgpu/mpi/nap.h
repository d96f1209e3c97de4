/*
 * nap.h: waiting in MPI without taking a core from other ranks
 *
 * MPICH spins while it waits. Where ranks outnumber cores, as they do on a
 * laptop, that costs a time slice for each message: 35 ms for a barrier of 8
 * ranks on 2 cores, 1 ms this way. So wrappers start the operation, then poll
 * for its completion and nap between two polls.
 *
 * Some calls have no nonblocking form: MPI_Init, MPI_Finalize, and those that
 * create communicators. MPICH waits in them by polling UCX, through the symbol
 * ucp_worker_progress. libcudart defines that symbol too, and comes first in
 * the search order, so each poll that finds nothing to do yields (nap.c).
 * Starting 8 ranks on 2 cores takes a quarter of the CPU time that way.
 */
#ifndef SIMGPU_MPI_NAP_H
#define SIMGPU_MPI_NAP_H

#include <mpi.h>

/* As PMPI_Wait() and PMPI_Waitall(), but asleep. */
int nap_wait(MPI_Request *request, MPI_Status *status);
int nap_waitall(int count, MPI_Request request[], MPI_Status statuses[]);

/*
 * For other ways of polling:
 *
 *     struct nap n = {0};
 *     while ((err = PMPI_Testany(..., &done, ...)) == MPI_SUCCESS && !done)
 *         nap(&n);
 */
struct nap { /* zero to begin with */
    unsigned naps;
};

/* Yield, then sleep for longer and longer: at most 1 ms, and as much again for
 * each 32 ranks. */
void nap(struct nap *n);

#endif
