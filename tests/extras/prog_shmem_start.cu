/* NVSHMEM: ways to start. An argument says which. links: -lnvshmem_host */
#include <mpi.h>
#include <nvshmem.h>
#include <nvshmemx.h>
#include <stdio.h>
#include <string.h>

static int rank, nranks, pe; // pe: the number that this process is to have

/* By MPI's communicator, in the opposite order. */
static void by_mpi()
{
    nvshmemx_init_attr_t attr = NVSHMEMX_INIT_ATTR_INITIALIZER;
    MPI_Comm comm;
    pe = nranks - 1 - rank;
    MPI_Comm_split(MPI_COMM_WORLD, 0, pe, &comm);
    attr.mpi_comm = &comm;
    nvshmemx_init_attr(NVSHMEMX_INIT_WITH_MPI_COMM, &attr);
    MPI_Comm_free(&comm);
}

/* By a unique id; wrong: each has its own. */
static void by_id(int wrong)
{
    nvshmemx_init_attr_t attr = NVSHMEMX_INIT_ATTR_INITIALIZER;
    nvshmemx_uniqueid_t id = NVSHMEMX_UNIQUEID_INITIALIZER;
    pe = (rank + 1) % nranks;
    if (rank == 0 || wrong)
        nvshmemx_get_uniqueid(&id);
    if (!wrong)
        MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
    nvshmemx_set_attr_uniqueid_args(pe, nranks, &id, &attr);
    nvshmemx_init_attr(NVSHMEMX_INIT_WITH_UNIQUEID, &attr);
}

int main(int argc, char **argv)
{
    const char *const way = argc > 1 ? argv[1] : "";
    if (strcmp(way, "never") == 0)
        return nvshmem_my_pe();
    if (strcmp(way, "plain") != 0) {
        MPI_Init(&argc, &argv);
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        MPI_Comm_size(MPI_COMM_WORLD, &nranks);
    }
    if (strcmp(way, "mpi") == 0)
        by_mpi();
    else if (strcmp(way, "plain") == 0)
        nvshmem_init();
    else
        by_id(strcmp(way, "ids") == 0);
    int right = strcmp(way, "plain") == 0 || nvshmem_my_pe() == pe;
    cudaSetDevice(nvshmem_team_my_pe(NVSHMEMX_TEAM_NODE));
    int *const x = (int *)nvshmem_calloc(1, sizeof *x);
    nvshmem_int_atomic_add(x, nvshmem_my_pe() + 1, 0);
    nvshmem_barrier_all();
    const int n = nvshmem_n_pes();
    right &= nvshmem_int_g(x, 0) == n * (n + 1) / 2;
    nvshmem_barrier_all();
    nvshmem_free(x);
    nvshmem_finalize();
    right &= nvshmemx_init_status() == NVSHMEM_STATUS_NOT_INITIALIZED;
    if (strcmp(way, "plain") != 0)
        MPI_Finalize();
    printf("%s\n", right ? "right" : "wrong");
    return !right;
}
