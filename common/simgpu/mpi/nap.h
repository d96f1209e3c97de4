/*
 * nap.h: waiting in MPI without taking a core from other ranks
 *
 * MPICH spins while it waits. Where there are more ranks than cores, as on a
 * laptop, each message then costs a time slice: a barrier of 8 ranks on 2 cores
 * takes 35 ms, and 1 ms with naps. Wrappers therefore start the operation, poll
 * for its completion, and nap between two polls.
 *
 * Some calls have no non-blocking form: MPI_Init, MPI_Finalize, and those that
 * create communicators. MPICH waits in them by polling UCX through the symbol
 * ucp_worker_progress. libcudart defines that symbol, too, and precedes UCX in
 * the search order, so each poll that finds nothing to do yields (nap.c). This
 * makes starting 8 ranks on 2 cores take a quarter of the CPU time.
 */
#ifndef SIMGPU_MPI_NAP_H
#define SIMGPU_MPI_NAP_H

#include <mpi.h>

/* Like PMPI_Wait() and PMPI_Waitall(), but asleep while waiting. */
int nap_wait(MPI_Request *request, MPI_Status *status);
int nap_waitall(int count, MPI_Request request[], MPI_Status statuses[]);

/*
 * The same for a request of a communicator that needs rank `peer` of it, or all
 * its ranks (CALL_ALL). Returns NAP_DEAD if one of them is known to have died:
 * the request is then given up, since MPICH doesn't notice.
 */
enum { NAP_DEAD = MPIX_ERR_PROC_FAILED };
int nap_wait_living(MPI_Request *request, MPI_Comm comm, int peer);

/* True if rank `peer`, or any rank for a negative one, is known to have died.
 */
int nap_any_dead(MPI_Comm comm, int peer);

/*
 * For other ways of polling:
 *
 *     struct nap n = {0};
 *     while ((err = PMPI_Testany(..., &done, ...)) == MPI_SUCCESS && !done)
 *         nap(&n);
 */
struct nap { /* zero it before the first nap */
    unsigned naps;
};

/* Yield, or after some yields sleep for longer and longer: at most 1 ms, plus 1
 * ms for each 32 ranks. */
void nap(struct nap *n);

#endif
