/*
 * world.c: beginning and end, time, and communicators made from others
 */
#include <mpi.h>
#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* setenv */

#include "core/clock.h"  /* clock_host_ps */
#include "core/stream.h" /* host_call */
#include "mpi/call.h"
#include "mpi/comm.h" /* comm_made */
#include "mpi/nap.h"

#pragma weak PMPI_Init
#pragma weak PMPI_Init_thread
#pragma weak PMPI_Finalize
#pragma weak PMPI_Comm_size
#pragma weak PMPI_Comm_rank
#pragma weak PMPI_Iallgather
#pragma weak PMPI_Get_processor_name
#pragma weak PMPI_Comm_dup
#pragma weak PMPI_Comm_dup_with_info
#pragma weak PMPI_Comm_split
#pragma weak PMPI_Comm_split_type
#pragma weak PMPI_Comm_create
#pragma weak PMPI_Cart_create
#pragma weak PMPI_Cart_sub

/* All processes of the job learn of each other. */
static void meet(void)
{
    enum { MAX_RANKS = 4096 };
    static struct proc_id ids[MAX_RANKS];
    int n;
    PMPI_Comm_size(MPI_COMM_WORLD, &n);
    if (n > MAX_RANKS)
        proc_fault(NULL, "%d ranks: simgpu runs at most %d", n, MAX_RANKS);
    MPI_Request request;
    PMPI_Iallgather(&proc()->id, sizeof *ids, MPI_BYTE, ids, sizeof *ids,
                    MPI_BYTE, MPI_COMM_WORLD, &request);
    nap_wait(&request, MPI_STATUS_IGNORE);
    proc_meet(ids, (uint32_t)n);
}

/*
 * MPICH's UCX keeps files in /dev/shm for as long as a process lives, and a
 * killed one leaves them. It has other ways between processes of a host.
 */
static void leave_no_files(void)
{
    setenv("UCX_TLS", "^posix", 0);
}

int MPI_Init(int *argc, char ***argv)
{
    leave_no_files();
    const int err = PMPI_Init(argc, argv);
    if (err == MPI_SUCCESS)
        meet();
    return err;
}

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    leave_no_files();
    const int err = PMPI_Init_thread(argc, argv, required, provided);
    if (err == MPI_SUCCESS)
        meet();
    return err;
}

int MPI_Finalize(void)
{
    struct call c = CALL_BEGIN("MPI_Finalize", MPI_COMM_WORLD);
    call_collective(&c, GRAPH_OP_BARRIER, 0, 0);
    return call_end(&c, PMPI_Finalize());
}

double MPI_Wtime(void)
{
    host_call("MPI_Wtime", proc_site(__builtin_return_address(0)));
    return clock_host_ps() * 1e-12;
}

double MPI_Wtick(void)
{
    return 1e-12;
}

/* On a machine of several modelled nodes each has a name of its own. */
int MPI_Get_processor_name(char *name, int *length)
{
    const struct proc *const p = proc();
    if (topo_nnodes(p->topo) == 1)
        return PMPI_Get_processor_name(name, length);
    *length = snprintf(name, MPI_MAX_PROCESSOR_NAME, "node%d", p->node);
    return MPI_SUCCESS;
}

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *made)
{
    struct call c = CALL_BEGIN("MPI_Comm_dup", comm);
    call_collective(&c, GRAPH_OP_BARRIER, 0, 0);
    const int err = call_end(&c, PMPI_Comm_dup(comm, made));
    if (err == MPI_SUCCESS)
        comm_made(comm, *made);
    return err;
}

int MPI_Comm_dup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm *made)
{
    struct call c = CALL_BEGIN("MPI_Comm_dup_with_info", comm);
    call_collective(&c, GRAPH_OP_BARRIER, 0, 0);
    const int err = call_end(&c, PMPI_Comm_dup_with_info(comm, info, made));
    if (err == MPI_SUCCESS)
        comm_made(comm, *made);
    return err;
}

int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm *made)
{
    struct call c = CALL_BEGIN("MPI_Comm_split", comm);
    call_collective(&c, GRAPH_OP_BARRIER, 0, 0);
    const int err = call_end(&c, PMPI_Comm_split(comm, color, key, made));
    if (err == MPI_SUCCESS)
        comm_made(comm, *made);
    return err;
}

/* MPI_COMM_TYPE_SHARED is a node, and nodes are modelled: all our processes
 * share one host. */
int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info,
                        MPI_Comm *made)
{
    struct call c = CALL_BEGIN("MPI_Comm_split_type", comm);
    call_collective(&c, GRAPH_OP_BARRIER, 0, 0);
    const int err = type == MPI_COMM_TYPE_SHARED
                        ? PMPI_Comm_split(comm, proc()->node, key, made)
                        : PMPI_Comm_split_type(comm, type, key, info, made);
    call_end(&c, err);
    if (err == MPI_SUCCESS)
        comm_made(comm, *made);
    return err;
}

int MPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm *made)
{
    struct call c = CALL_BEGIN("MPI_Comm_create", comm);
    call_collective(&c, GRAPH_OP_BARRIER, 0, 0);
    const int err = call_end(&c, PMPI_Comm_create(comm, group, made));
    if (err == MPI_SUCCESS)
        comm_made(comm, *made);
    return err;
}

int MPI_Cart_create(MPI_Comm comm, int ndims, const int dims[],
                    const int periods[], int reorder, MPI_Comm *made)
{
    struct call c = CALL_BEGIN("MPI_Cart_create", comm);
    call_collective(&c, GRAPH_OP_BARRIER, 0, 0);
    const int err = call_end(
        &c, PMPI_Cart_create(comm, ndims, dims, periods, reorder, made));
    if (err == MPI_SUCCESS)
        comm_made(comm, *made);
    return err;
}

int MPI_Cart_sub(MPI_Comm comm, const int remain[], MPI_Comm *made)
{
    struct call c = CALL_BEGIN("MPI_Cart_sub", comm);
    call_collective(&c, GRAPH_OP_BARRIER, 0, 0);
    const int err = call_end(&c, PMPI_Cart_sub(comm, remain, made));
    if (err == MPI_SUCCESS)
        comm_made(comm, *made);
    return err;
}
