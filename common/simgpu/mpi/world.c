/*
 * world.c: MPI_Init and MPI_Finalize, time, and communicators created from
 * other communicators
 */
#include <errno.h> /* errno */
#include <mpi.h>
#include <stdio.h>    /* snprintf */
#include <stdlib.h>   /* setenv */
#include <sys/shm.h>  /* shmget */
#include <sys/stat.h> /* S_IRUSR */

#include "core/clock/clock.h"
#include "core/clock/reading.h"
#include "core/host.h"
#include "core/limit.h"
#include "core/peer.h"
#include "core/report.h"
#include "core/site.h"
#include "core/watch/check.h"
#include "core/watch/keeper.h"
#include "mpi/call.h"
#include "mpi/comm.h" /* comm_made */
#include "mpi/nap.h"
#include "mpi/open.h"

#pragma weak PMPI_Init
#pragma weak PMPI_Init_thread
#pragma weak PMPI_Finalize
#pragma weak PMPI_Abort
#pragma weak PMPI_Comm_size
#pragma weak PMPI_Comm_rank
#pragma weak PMPI_Iallgather
#pragma weak PMPI_Ibarrier
#pragma weak PMPI_Get_processor_name
#pragma weak PMPI_Comm_dup
#pragma weak PMPI_Comm_dup_with_info
#pragma weak PMPI_Comm_split
#pragma weak PMPI_Comm_split_type
#pragma weak PMPI_Comm_create
#pragma weak PMPI_Cart_create
#pragma weak PMPI_Cart_sub

/* Exchange process ids with all ranks of the job. */
static void meet(void)
{
    enum { MAX_RANKS = 4096 };
    char hint[LIMIT_HINT];
    int n;
    PMPI_Comm_size(MPI_COMM_WORLD, &n);
    if (n > MAX_RANKS)
        simgpu_report_fault(NULL, "%d ranks: simgpu runs at most %d", n,
                            MAX_RANKS);
    struct proc_id *const ids =
        simgpu_need(calloc((size_t)n, sizeof *ids), "%d ranks", n);
    MPI_Request request;
    PMPI_Iallgather(&simgpu_proc()->id, sizeof *ids, MPI_BYTE, ids, sizeof *ids,
                    MPI_BYTE, MPI_COMM_WORLD, &request);
    atomic_store(&control_own()->in_mpi, 1);
    nap_wait(&request, MPI_STATUS_IGNORE);
    for (int i = 0; i < n; i++)
        if (!simgpu_peer_attach(&ids[i]))
            simgpu_report_fault(NULL, "cannot reach rank %d (process %d): %m%s",
                                i, ids[i].pid,
                                simgpu_limit_hint(errno, hint, sizeof hint));
    free(ids);
    check_keep_graphs();
    if (keeper_is_there())
        clock_keep_graphs();
}

/* Some containers have no System V shared memory. */
static int has_sysv(void)
{
    const int id = shmget(IPC_PRIVATE, 1, IPC_CREAT | S_IRUSR | S_IWUSR);
    return id >= 0 && shmctl(id, IPC_RMID, NULL) == 0;
}

/*
 * Configure MPICH and its libraries for many ranks on one host.
 *
 * UCX: use System V shared memory only, which disappears with the process. With
 * POSIX shared memory, a killed process would leave its files in /dev/shm.
 * Don't ask each network interface for its capabilities, which takes a third of
 * MPI_Init, and don't allocate buffers for 512 messages, which takes another
 * third; there are never more than a few. A message of more than 16 KiB waits
 * for its receiver: later versions of UCX buffer 80 KB, which hides deadlocks.
 *
 * libfabric, if MPICH is built with it instead of UCX: use TCP. Its default,
 * such as `sockets` on Ubuntu 22.04, may deliver a rank's last message only
 * when that rank calls MPI again. Its own limit for buffered messages is 128
 * KiB.
 *
 * MPICH: no shared memory of its own. MPICH would create a file in /dev/shm for
 * a moment, and its barriers in MPI_Init would spin without yielding.
 *
 * hwloc: detect only the number of processors. Finding all caches, and PCI
 * devices on a virtual machine, takes longer than the rest of MPI_Init; MPICH
 * would use them only to bind ranks, or for its own shared memory.
 */
static void set_mpich(void)
{
    setenv("UCX_TLS", has_sysv() ? "sysv,self" : "^posix", 0);
    setenv("UCX_SYSV_RX_BUFS_GROW", "32", 0);
    setenv("UCX_RNDV_THRESH", "16384", 0);
    setenv("FI_PROVIDER", "tcp", 0);
    setenv("FI_OFI_RXM_SAR_LIMIT", "16384", 0);
    setenv("MPIR_CVAR_NOLOCAL", "1", 0);
    setenv("HWLOC_COMPONENTS", "no_os,stop", 0);
}

static void check_linked(const char *call, const void *its_own)
{
    if (!its_own)
        simgpu_report_fault(NULL,
                            "%s: the program is not linked with MPICH; build "
                            "it by simnvcc -ccbin mpicxx, or add "
                            "-Wl,--no-as-needed -lmpich",
                            call);
}

int MPI_Init(int *argc, char ***argv)
{
    check_linked("MPI_Init", (const void *)PMPI_Init);
    set_mpich();
    const int err = PMPI_Init(argc, argv);
    if (err == MPI_SUCCESS)
        meet();
    return err;
}

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    check_linked("MPI_Init_thread", (const void *)PMPI_Init_thread);
    set_mpich();
    const int err = PMPI_Init_thread(argc, argv, required, provided);
    if (err == MPI_SUCCESS)
        meet();
    return err;
}

/* Both answer for this library, whose MPI calls take device pointers: the MPI
 * library below was built without CUDA. */

int MPIX_Query_cuda_support(void)
{
    return 1;
}

int MPIX_GPU_query_support(int type, int *is_supported)
{
    enum { CUDA = 0 }; /* MPIX_GPU_SUPPORT_CUDA, which MPICH 3 lacks */
    *is_supported = type == CUDA;
    return MPI_SUCCESS;
}

/*
 * Only the barrier counts as a wait, which can be a hang. Once all ranks have
 * called MPI_Finalize, they wait for mpirun rather than for each other, and how
 * long mpirun takes on a busy machine is not the program's fault. Ranks that
 * have outlived another one can't end MPI, in which that one still counts: they
 * leave without (core/watch/keeper.h).
 */
int MPI_Finalize(void)
{
    struct mpi_call c = CALL_BEGIN("MPI_Finalize", MPI_COMM_WORLD);
    open_end();
    call_collective(&c, TOPO_OP_BARRIER, 0, 0);
    int err = PMPI_Ibarrier(MPI_COMM_WORLD, &c.request);
    if (err == MPI_SUCCESS)
        err = nap_wait_living(&c.request, MPI_COMM_WORLD, CALL_ALL);
    call_end(&c, err);
    if (err != MPI_SUCCESS && err != NAP_DEAD)
        return err;
    atomic_store(&control_own()->in_mpi, 0);
    return err == NAP_DEAD ? MPI_SUCCESS : PMPI_Finalize();
}

/* mpirun then kills the ranks, which the sentry must not report. */
int MPI_Abort(MPI_Comm comm, int status)
{
    simgpu_proc();
    atomic_store(&control_own()->ends_job, 1);
    return PMPI_Abort(comm, status);
}

double MPI_Wtime(void)
{
    return simgpu_clock_read("MPI_Wtime",
                             simgpu_site(__builtin_return_address(0))) *
           1e-12;
}

double MPI_Wtick(void)
{
    return 1e-12;
}

/* Each node of a modelled machine has its own name. */
int MPI_Get_processor_name(char *name, int *length)
{
    const struct proc *const p = simgpu_proc();
    if (topo_nnodes(p->topo) == 1)
        return PMPI_Get_processor_name(name, length);
    *length = snprintf(name, MPI_MAX_PROCESSOR_NAME, "node%d", p->node);
    return MPI_SUCCESS;
}

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *made)
{
    struct mpi_call c = CALL_BEGIN("MPI_Comm_dup", comm);
    call_collective(&c, TOPO_OP_BARRIER, 0, 0);
    const int err = call_end(&c, PMPI_Comm_dup(comm, made));
    if (err == MPI_SUCCESS)
        comm_made(comm, *made);
    return err;
}

int MPI_Comm_dup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm *made)
{
    struct mpi_call c = CALL_BEGIN("MPI_Comm_dup_with_info", comm);
    call_collective(&c, TOPO_OP_BARRIER, 0, 0);
    const int err = call_end(&c, PMPI_Comm_dup_with_info(comm, info, made));
    if (err == MPI_SUCCESS)
        comm_made(comm, *made);
    return err;
}

int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm *made)
{
    struct mpi_call c = CALL_BEGIN("MPI_Comm_split", comm);
    call_collective(&c, TOPO_OP_BARRIER, 0, 0);
    const int err = call_end(&c, PMPI_Comm_split(comm, color, key, made));
    if (err == MPI_SUCCESS)
        comm_made(comm, *made);
    return err;
}

/* Ranks of a modelled node get a communicator for MPI_COMM_TYPE_SHARED; in
 * reality, all processes share one host. */
int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info,
                        MPI_Comm *made)
{
    struct mpi_call c = CALL_BEGIN("MPI_Comm_split_type", comm);
    call_collective(&c, TOPO_OP_BARRIER, 0, 0);
    const int err = type == MPI_COMM_TYPE_SHARED
                        ? PMPI_Comm_split(comm, simgpu_proc()->node, key, made)
                        : PMPI_Comm_split_type(comm, type, key, info, made);
    call_end(&c, err);
    if (err == MPI_SUCCESS)
        comm_made(comm, *made);
    return err;
}

int MPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm *made)
{
    struct mpi_call c = CALL_BEGIN("MPI_Comm_create", comm);
    call_collective(&c, TOPO_OP_BARRIER, 0, 0);
    const int err = call_end(&c, PMPI_Comm_create(comm, group, made));
    if (err == MPI_SUCCESS)
        comm_made(comm, *made);
    return err;
}

int MPI_Cart_create(MPI_Comm comm, int ndims, const int dims[],
                    const int periods[], int reorder, MPI_Comm *made)
{
    struct mpi_call c = CALL_BEGIN("MPI_Cart_create", comm);
    call_collective(&c, TOPO_OP_BARRIER, 0, 0);
    const int err = call_end(
        &c, PMPI_Cart_create(comm, ndims, dims, periods, reorder, made));
    if (err == MPI_SUCCESS)
        comm_made(comm, *made);
    return err;
}

int MPI_Cart_sub(MPI_Comm comm, const int remain[], MPI_Comm *made)
{
    struct mpi_call c = CALL_BEGIN("MPI_Cart_sub", comm);
    call_collective(&c, TOPO_OP_BARRIER, 0, 0);
    const int err = call_end(&c, PMPI_Cart_sub(comm, remain, made));
    if (err == MPI_SUCCESS)
        comm_made(comm, *made);
    return err;
}
