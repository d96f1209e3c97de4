#include "mpi/nap.h"

#include <sched.h>  /* sched_yield */
#include <unistd.h> /* usleep */

#pragma weak PMPI_Test
#pragma weak PMPI_Testall

enum { YIELDS = 50, SHORT_US = 20, LONGER = 30, LONG_US = 1000 };

void nap(struct nap *n)
{
    if (n->naps++ < YIELDS) {
        sched_yield();
        return;
    }
    const unsigned us = SHORT_US + (n->naps - YIELDS) * SHORT_US / LONGER;
    usleep(us < LONG_US ? us : LONG_US);
}

int nap_wait(MPI_Request *request, MPI_Status *status)
{
    int err, done = 0;
    struct nap n = {0};
    while ((err = PMPI_Test(request, &done, status)) == MPI_SUCCESS && !done)
        nap(&n);
    return err;
}

int nap_waitall(int count, MPI_Request request[], MPI_Status statuses[])
{
    int err, done = 0;
    struct nap n = {0};
    while ((err = PMPI_Testall(count, request, &done, statuses)) ==
               MPI_SUCCESS &&
           !done)
        nap(&n);
    return err;
}
