/*
 * nap.h: waiting in MPI without taking a core from those that are waited for
 *
 * MPICH spins while it waits. Where ranks outnumber cores, as they do on a
 * laptop, that costs a time slice for each message: 35 ms for a barrier of 8 ranks
 * on 2 cores, 1 ms this way. So wrappers begin what they wait for and ask
 * whether it is complete, and between two questions they nap:
 *
 *     struct nap n = {0};
 *     while (PMPI_Test(&request, &done, status) == MPI_SUCCESS && !done)
 *         nap(&n);
 */
#ifndef SIMGPU_MPI_NAP_H
#define SIMGPU_MPI_NAP_H

struct nap { /* zero to begin with */
    unsigned naps;
};

/* Let others run: longer, the longer it takes, at most 1 ms. */
void nap(struct nap *n);

#endif
