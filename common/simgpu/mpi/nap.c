#define _GNU_SOURCE
#include "mpi/nap.h"

#include <dlfcn.h>  /* dlsym */
#include <sched.h>  /* sched_yield */
#include <unistd.h> /* usleep */

#include "core/control.h"
#include "core/proc.h"

#pragma weak PMPI_Test
#pragma weak PMPI_Testall

/* A nap is a yield at first, then a sleep, twice as long after every LONGER
 * sleeps: about a tenth of the wait so far. The longest grows with the ranks:
 * the polls of hundreds would take the cores that they wait for. */
enum {
    EAGER = 20,
    YIELDS = 50,
    SHORT_US = 20,
    LONGER = 8,
    LONG_US = 1000,
    MAX_DOUBLINGS = 10,
    CROWD = 32, /* ranks, for which LONG_US is added once more */
};

static unsigned (*progress)(void *); /* UCX's own */
static __thread unsigned idle;       /* polls that found nothing, since a nap */

void nap(struct nap *n)
{
    idle = 0;
    if (n->naps++ < YIELDS) {
        sched_yield();
        return;
    }
    const unsigned doublings = (n->naps - YIELDS) / LONGER;
    const unsigned most = LONG_US * (1 + simgpu_proc()->nranks / CROWD);
    const unsigned us =
        doublings < MAX_DOUBLINGS ? (unsigned)SHORT_US << doublings : most;
    usleep(us < most ? us : most);
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

/* UCX's function of this name, with its type: see nap.h. */
unsigned ucp_worker_progress(void *worker)
{
    if (!progress)
        progress = (unsigned (*)(void *))dlsym(RTLD_NEXT, __func__);
    const unsigned done = progress(worker);
    if (done && control_own())
        control_progress(); // bytes arrived: not a hang, however slow
    idle = done ? 0 : idle + 1;
    if (idle > EAGER + YIELDS)
        usleep(SHORT_US);
    else if (idle > EAGER)
        sched_yield();
    return done;
}
