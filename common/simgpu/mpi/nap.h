/*
 * nap.h: waiting in MPI without taking a core from those that are waited for
 *
 * MPICH spins while it waits. Where ranks outnumber cores, as they do on a
 * laptop, that costs a time slice for each message: 35 ms for a barrier of 8 ranks
 * on 2 cores, 1 ms this way. So wrappers begin what they wait for and ask
 * whether it is complete, and between two questions they nap.
 */
#ifndef SIMGPU_MPI_NAP_H
#define SIMGPU_MPI_NAP_H

#include <mpi.h>

/* As PMPI_Wait() and PMPI_Waitall(), asleep. */
int nap_wait(MPI_Request *request, MPI_Status *status);
int nap_waitall(int count, MPI_Request request[], MPI_Status statuses[]);

/*
 * For questions of other kinds:
 *
 *     struct nap n = {0};
 *     while ((err = PMPI_Testany(..., &done, ...)) == MPI_SUCCESS && !done)
 *         nap(&n);
 */
struct nap { /* zero to begin with */
    unsigned naps;
};

/* Let others run: longer, the longer it takes, at most 1 ms. */
void nap(struct nap *n);

#endif
