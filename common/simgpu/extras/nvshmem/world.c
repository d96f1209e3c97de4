#include "extras/nvshmem/world.h"

#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* calloc */
#include <string.h> /* memset */

#include "core/proc.h"
#include "core/report.h"
#include "simgpu/kernel.h" /* simgpu_outside */

static struct world the_world = {.device = -1};
static int ninit; /* calls of nvshmem_init() not yet finalized */

struct world *world(void)
{
    return &the_world;
}

struct world *world_for(const struct shmem_request *r)
{
    if (the_world.status == NVSHMEM_STATUS_NOT_INITIALIZED)
        request_fault(r, "NVSHMEM is not initialised: call nvshmem_init() "
                         "before, and nvshmem_finalize() after it");
    return &the_world;
}

struct world *world_bind(const struct shmem_request *r)
{
    struct world *const w = world_for(r);
    struct team *const all = &w->team[NVSHMEM_TEAM_WORLD];
    int32_t place;
    if (w->device >= 0)
        return w;
    MUST(r, cudaGetDevice(&w->device));
    MUST(r, cudaStreamCreateWithFlags(&w->stream, cudaStreamNonBlocking));
    place = simgpu_proc_place(w->device);
    w->place = calloc((size_t)all->n, sizeof *w->place);
    if (!w->place)
        simgpu_report_fault(NULL, "out of host memory for %s", r->call);
    FOR(r, MPI_Allgather(&place, 1, MPI_INT32_T, w->place, 1, MPI_INT32_T,
                         all->comm));
    for (int i = 0; i < NVSHMEM_TEAMS_MIN; i++)
        if (w->team[i].n)
            team_add_words(r, &w->team[i]);
    w->status = NVSHMEM_STATUS_IS_INITIALIZED;
    return w;
}

/* ---- init and finalize --------------------------------------------------- */

/* Start MPI unless it has been started. */
static void start_mpi(const struct shmem_request *r)
{
    int done = 0;
    MPI_Initialized(&done);
    if (!done)
        FOR(r, MPI_Init(NULL, NULL));
    the_world.starts_mpi |= !done;
}

static void begin(const struct shmem_request *r, MPI_Comm comm)
{
    MPI_Comm mine;
    FOR(r, MPI_Comm_dup(comm, &mine));
    team_begin(mine);
    the_world.status = NVSHMEM_STATUS_IS_BOOTSTRAPPED;
}

/* A communicator of the PEs, in the order given by the
 * unique id's arguments. */
static MPI_Comm by_uniqueid(const struct shmem_request *r,
                            const nvshmemx_init_attr_t *attr)
{
    const nvshmemx_uniqueid_args_t *const args = &attr->args.uid_args;
    nvshmemx_uniqueid_t first;
    MPI_Comm comm;
    int n;
    start_mpi(r);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    if (!args->id || args->nranks != n || args->myrank < 0 || args->myrank >= n)
        request_fault(r,
                      "rank %d of %d by nvshmemx_set_attr_uniqueid_args(), but "
                      "mpirun started %d processes: all of them have to take "
                      "part",
                      args->myrank, args->nranks, n);
    FOR(r, MPI_Comm_split(MPI_COMM_WORLD, 0, args->myrank, &comm));
    first = *args->id;
    FOR(r, MPI_Bcast(&first, sizeof first, MPI_BYTE, 0, comm));
    if (memcmp(first.internal, args->id->internal, sizeof first.internal) != 0)
        request_fault(r,
                      "PE %d has another unique id than PE 0: one PE calls "
                      "nvshmemx_get_uniqueid() and sends the id to all",
                      args->myrank);
    return comm;
}

static void init(const struct shmem_request *r, unsigned flags,
                 const nvshmemx_init_attr_t *attr)
{
    if (ninit++)
        return;
    if (flags & NVSHMEMX_INIT_WITH_SHMEM)
        request_fault(r, "simgpu has no OpenSHMEM to start with: use "
                         "NVSHMEMX_INIT_WITH_MPI_COMM");
    if (flags & NVSHMEMX_INIT_WITH_MPI_COMM) {
        if (!attr || !attr->mpi_comm)
            request_fault(r, "attributes->mpi_comm is NULL");
        begin(r, *(MPI_Comm *)attr->mpi_comm);
    } else if (flags & NVSHMEMX_INIT_WITH_UNIQUEID) {
        if (!attr)
            request_fault(r, "attributes is NULL");
        MPI_Comm comm = by_uniqueid(r, attr);
        begin(r, comm);
        FOR(r, MPI_Comm_free(&comm));
    } else {
        start_mpi(r);
        begin(r, MPI_COMM_WORLD);
    }
}

static void finalize(const struct shmem_request *r)
{
    struct world *const w = world_for(r);
    if (--ninit)
        return;
    if (w->device >= 0) {
        struct shmem_request barrier = *r;
        barrier.kind = REQUEST_BARRIER;
        request_run(&barrier);
        heap_end();
        MUST(r, cudaStreamDestroy(w->stream));
    }
    FOR(r, MPI_Barrier(w->team[NVSHMEM_TEAM_WORLD].comm));
    team_end();
    free(w->place);
    if (w->starts_mpi)
        FOR(r, MPI_Finalize());
    *w = (struct world){.device = -1};
}

void nvshmem_init(void)
{
    const struct shmem_request r = CALLED("nvshmem_init");
    init(&r, 0, NULL);
}

int nvshmem_init_thread(int requested, int *provided)
{
    const struct shmem_request r = CALLED("nvshmem_init_thread");
    (void)requested;
    init(&r, 0, NULL);
    *provided = NVSHMEM_THREAD_SERIALIZED;
    return 0;
}

int nvshmemx_init_attr(unsigned int flags, nvshmemx_init_attr_t *attributes)
{
    const struct shmem_request r = CALLED("nvshmemx_init_attr");
    init(&r, flags, attributes);
    return 0;
}

int nvshmemx_hostlib_init_attr(unsigned int flags, nvshmemx_init_attr_t *attr)
{
    const struct shmem_request r = CALLED("nvshmemx_hostlib_init_attr");
    init(&r, flags, attr);
    return 0;
}

void nvshmem_finalize(void)
{
    const struct shmem_request r = CALLED("nvshmem_finalize");
    finalize(&r);
}

void nvshmemx_hostlib_finalize(void)
{
    const struct shmem_request r = CALLED("nvshmemx_hostlib_finalize");
    finalize(&r);
}

void nvshmem_global_exit(int status)
{
    MPI_Abort(MPI_COMM_WORLD, status);
    exit(status);
}

void nvshmem_query_thread(int *provided)
{
    *provided = NVSHMEM_THREAD_SERIALIZED;
}

int nvshmemx_init_status(void)
{
    return the_world.status;
}

/* ---- unique ids ---------------------------------------------------------- */

int nvshmemx_get_uniqueid(nvshmemx_uniqueid_t *uniqueid)
{
    const struct proc *const p = simgpu_proc();
    memset(uniqueid->internal, 0, sizeof uniqueid->internal);
    memcpy(uniqueid->internal, &p->id, sizeof p->id);
    return 0;
}

int nvshmemx_set_attr_uniqueid_args(const int myrank, const int nranks,
                                    const nvshmemx_uniqueid_t *uniqueid,
                                    nvshmemx_init_attr_t *attr)
{
    attr->args.uid_args.id = (nvshmemx_uniqueid_v1 *)uniqueid;
    attr->args.uid_args.myrank = myrank;
    attr->args.uid_args.nranks = nranks;
    return 0;
}

int nvshmemx_set_attr_mpi_comm_args(void *mpi_comm,
                                    nvshmemx_init_attr_t *nvshmem_attr)
{
    nvshmem_attr->mpi_comm = mpi_comm;
    return 0;
}

/* ---- properties of a PE -------------------------------------------------- */

int nvshmem_my_pe(void)
{
    const struct shmem_request r = CALLED("nvshmem_my_pe");
    return world_for(&r)->team[NVSHMEM_TEAM_WORLD].me;
}

int nvshmem_n_pes(void)
{
    const struct shmem_request r = CALLED("nvshmem_n_pes");
    return world_for(&r)->team[NVSHMEM_TEAM_WORLD].n;
}

void nvshmem_info_get_version(int *major, int *minor)
{
    *major = NVSHMEM_MAJOR_VERSION;
    *minor = NVSHMEM_MINOR_VERSION;
}

void nvshmem_info_get_name(char *name)
{
    snprintf(name, NVSHMEM_MAX_NAME_LEN, "%s", NVSHMEM_VENDOR_STRING);
}

void nvshmemx_vendor_get_version_info(int *major, int *minor, int *patch)
{
    *major = NVSHMEM_VENDOR_MAJOR_VERSION;
    *minor = NVSHMEM_VENDOR_MINOR_VERSION;
    *patch = NVSHMEM_VENDOR_PATCH_VERSION;
}
