#define _GNU_SOURCE
#include "mpi/nap.h"

#include <sched.h>  /* sched_yield */
#include <unistd.h> /* usleep */

#include "core/control.h"
#include "core/peer.h"
#include "core/proc.h"
#include "mpi/next.h"

#pragma weak PMPI_Test
#pragma weak PMPI_Testall
#pragma weak PMPI_Comm_group
#pragma weak PMPI_Group_size
#pragma weak PMPI_Group_translate_ranks
#pragma weak PMPI_Group_free

/*
 * A nap is at first a yield, then a sleep that doubles after every LONGER
 * sleeps, which is about a tenth of the wait so far. The limit grows with the
 * number of ranks: hundreds of polling ranks would use up the cores that they
 * are waiting for.
 */
enum {
    EAGER = 20,
    YIELDS = 50,
    SHORT_US = 20,
    LONGER = 8,
    LONG_US = 1000,
    MAX_DOUBLINGS = 10,
    CROWD = 32, /* LONG_US is added to the limit per 32 ranks */
};

static unsigned (*progress)(void *); /* UCX's function */
static __thread unsigned idle;       /* polls in vain since the last nap */

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

int nap_any_dead(MPI_Comm comm, int peer)
{
    MPI_Group world, group;
    int n, found = 0;
    if (!peer_any_dead() || PMPI_Comm_group(comm, &group) != MPI_SUCCESS)
        return 0;
    PMPI_Comm_group(MPI_COMM_WORLD, &world);
    PMPI_Group_size(group, &n);
    for (int i = peer < 0 ? 0 : peer; i < (peer < 0 ? n : peer + 1); i++) {
        int rank = MPI_UNDEFINED;
        PMPI_Group_translate_ranks(group, 1, &i, world, &rank);
        const struct peer *const p =
            rank == MPI_UNDEFINED ? NULL : peer_find((uint32_t)rank);
        found |= p && simgpu_peer_dead(p);
    }
    PMPI_Group_free(&group);
    PMPI_Group_free(&world);
    return found;
}

/* Wait until the request is complete, or, unless comm is MPI_COMM_NULL, one of
 * its ranks has died: nap_any_dead(). */
static int await(MPI_Request *request, MPI_Status *status, MPI_Comm comm,
                 int peer)
{
    int err, done = 0;
    struct nap n = {0};
    while ((err = PMPI_Test(request, &done, status)) == MPI_SUCCESS && !done) {
        if (comm != MPI_COMM_NULL && nap_any_dead(comm, peer))
            return NAP_DEAD; // the request stays: MPICH may still use it
        nap(&n);
    }
    return err;
}

int nap_wait(MPI_Request *request, MPI_Status *status)
{
    return await(request, status, MPI_COMM_NULL, -1);
}

int nap_wait_living(MPI_Request *request, MPI_Comm comm, int peer)
{
    return await(request, MPI_STATUS_IGNORE, comm, peer);
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

/* Replaces UCX's function of the same name: see nap.h. */
unsigned ucp_worker_progress(void *worker)
{
    if (!progress)
        progress = (unsigned (*)(void *))next_function(__func__, "libucp.so.0");
    const unsigned done = progress(worker);
    if (done && control_own())
        // bytes have arrived: this may be slow, but is not a hang
        control_progress();
    idle = done ? 0 : idle + 1;
    if (idle > EAGER + YIELDS)
        usleep(SHORT_US);
    else if (idle > EAGER)
        sched_yield();
    return done;
}
