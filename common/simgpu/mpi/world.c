/*
 * world.c: MPI_Init and MPI_Finalize, time, and communicators created from
 * others
 */
#include <errno.h> /* errno */
#include <mpi.h>
#include <stdio.h>    /* snprintf */
#include <stdlib.h>   /* setenv */
#include <sys/shm.h>  /* shmget */
#include <sys/stat.h> /* S_IRUSR */

#include "core/check.h"
#include "core/clock.h"
#include "core/host.h"
#include "core/limit.h"
#include "core/peer.h"
#include "core/report.h"
#include "core/site.h"
#include "mpi/call.h"
#include "mpi/comm.h" /* comm_made */
#include "mpi/nap.h"

#pragma weak PMPI_Init
#pragma weak PMPI_Init_thread
#pragma weak PMPI_Finalize
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

/* Exchange the ids of all processes of the job. */
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
    nap_wait(&request, MPI_STATUS_IGNORE);
    for (int i = 0; i < n; i++)
        if (!simgpu_peer_attach(&ids[i]))
            simgpu_report_fault(NULL, "cannot reach rank %d (process %d): %m%s",
                                i, ids[i].pid,
                                simgpu_limit_hint(errno, hint, sizeof hint));
    free(ids);
    check_keep_graphs();
}

/* Some containers have no System V shared memory. */
static int has_sysv(void)
{
    const int id = shmget(IPC_PRIVATE, 1, IPC_CREAT | S_IRUSR | S_IWUSR);
    return id >= 0 && shmctl(id, IPC_RMID, NULL) == 0;
}

/*
 * Settings of MPICH and its libraries for many ranks on one host.
 *
 * UCX: System V shared memory alone, which goes with the process: of POSIX
 * shared memory, a process that is killed leaves its files in /dev/shm. Asking
 * each network interface what it can do would take a third of MPI_Init, and so
 * would buffers for 512 messages, where there are never more than a few. Above
 * 16 KiB, a message waits for its receiver: later versions keep 80 KB, which
 * hides deadlocks.
 *
 * libfabric, where MPICH is built with it instead of UCX: TCP. What it prefers
 * of itself, as Ubuntu 22.04's does sockets, delivers a rank's last message
 * only when that rank calls MPI again. Its own limit is 128 KiB.
 *
 * MPICH: no shared memory of its own. It keeps a file in /dev/shm for a moment,
 * and its barriers in MPI_Init spin without yielding.
 *
 * hwloc: nothing but the number of processors. To find all caches, and PCI
 * devices on a virtual machine, takes longer than the rest of MPI_Init, and
 * MPICH would only use it to bind ranks, or for shared memory of its own.
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

/*
 * Once all ranks have called it, they no longer wait for each other but for
 * mpirun: how long a busy machine keeps that waiting says nothing about the
 * program. So only the barrier counts as a wait, which can be a hang.
 */
int MPI_Finalize(void)
{
    struct call c = CALL_BEGIN("MPI_Finalize", MPI_COMM_WORLD);
    call_collective(&c, TOPO_OP_BARRIER, 0, 0);
    const int err = call_asleep(&c, PMPI_Ibarrier(MPI_COMM_WORLD, &c.request));
    return err == MPI_SUCCESS ? PMPI_Finalize() : err;
}

double MPI_Wtime(void)
{
    simgpu_host_call("MPI_Wtime", simgpu_site(__builtin_return_address(0)));
    return clock_host_ps() * 1e-12;
}

double MPI_Wtick(void)
{
    return 1e-12;
}

/* Each node of a modelled machine has a name of its own. */
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
    struct call c = CALL_BEGIN("MPI_Comm_dup", comm);
    call_collective(&c, TOPO_OP_BARRIER, 0, 0);
    const int err = call_end(&c, PMPI_Comm_dup(comm, made));
    if (err == MPI_SUCCESS)
        comm_made(comm, *made);
    return err;
}

int MPI_Comm_dup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm *made)
{
    struct call c = CALL_BEGIN("MPI_Comm_dup_with_info", comm);
    call_collective(&c, TOPO_OP_BARRIER, 0, 0);
    const int err = call_end(&c, PMPI_Comm_dup_with_info(comm, info, made));
    if (err == MPI_SUCCESS)
        comm_made(comm, *made);
    return err;
}

int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm *made)
{
    struct call c = CALL_BEGIN("MPI_Comm_split", comm);
    call_collective(&c, TOPO_OP_BARRIER, 0, 0);
    const int err = call_end(&c, PMPI_Comm_split(comm, color, key, made));
    if (err == MPI_SUCCESS)
        comm_made(comm, *made);
    return err;
}

/* MPI_COMM_TYPE_SHARED is a modelled node: all processes really share one
 * host. */
int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info,
                        MPI_Comm *made)
{
    struct call c = CALL_BEGIN("MPI_Comm_split_type", comm);
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
    struct call c = CALL_BEGIN("MPI_Comm_create", comm);
    call_collective(&c, TOPO_OP_BARRIER, 0, 0);
    const int err = call_end(&c, PMPI_Comm_create(comm, group, made));
    if (err == MPI_SUCCESS)
        comm_made(comm, *made);
    return err;
}

int MPI_Cart_create(MPI_Comm comm, int ndims, const int dims[],
                    const int periods[], int reorder, MPI_Comm *made)
{
    struct call c = CALL_BEGIN("MPI_Cart_create", comm);
    call_collective(&c, TOPO_OP_BARRIER, 0, 0);
    const int err = call_end(
        &c, PMPI_Cart_create(comm, ndims, dims, periods, reorder, made));
    if (err == MPI_SUCCESS)
        comm_made(comm, *made);
    return err;
}

int MPI_Cart_sub(MPI_Comm comm, const int remain[], MPI_Comm *made)
{
    struct call c = CALL_BEGIN("MPI_Cart_sub", comm);
    call_collective(&c, TOPO_OP_BARRIER, 0, 0);
    const int err = call_end(&c, PMPI_Cart_sub(comm, remain, made));
    if (err == MPI_SUCCESS)
        comm_made(comm, *made);
    return err;
}
