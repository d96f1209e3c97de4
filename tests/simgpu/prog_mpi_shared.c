/* Memory that ranks of a node share. The argument is how many ranks a node of
 * the machine has: with fewer than all, they cannot share memory. */
#include <cuda_runtime.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "rule.h"

enum { COUNT = 1000 };
static int rank, nranks;

/* Each rank writes its part, and reads all parts. */
static void check_parts(MPI_Win win, const double *own, int apart)
{
    MPI_Aint nbytes;
    int unit;
    double *part = NULL, *last = NULL;
    for (int r = 0; r < nranks; r++) {
        const MPI_Aint count = r == 1 ? 0 : COUNT + r;
        RULE(MPI_Win_shared_query(win, r, &nbytes, &unit, &part) == 0 &&
                 nbytes == count * (MPI_Aint)sizeof *part && unit == 8 && part,
             "a rank asks for each part");
        RULE(r != rank || part == own, "its own is where it was allocated");
        RULE(!last || apart || part == last, "parts follow one another");
        int right = 0;
        for (int i = 0; i < count; i++)
            right += part[i] == r * 10000 + i;
        RULE(right == count, "and hold what their ranks wrote");
        last = part + count;
    }
}

static void check_window(MPI_Info info, int apart)
{
    MPI_Win win;
    MPI_Aint nbytes;
    double *own = NULL, *first = NULL;
    int unit, found, *flavor;
    const int count = rank == 1 ? 0 : COUNT + rank;
    RULE(MPI_Win_allocate_shared(count * (MPI_Aint)sizeof *own, sizeof *own,
                                 info, MPI_COMM_WORLD, &own, &win) == 0 &&
             own,
         "ranks allocate memory that they share");
    MPI_Win_lock_all(MPI_MODE_NOCHECK, win);
    for (int i = 0; i < count; i++)
        own[i] = rank * 10000 + i;
    MPI_Win_sync(win);
    MPI_Barrier(MPI_COMM_WORLD);
    check_parts(win, own, apart);
    MPI_Win_unlock_all(win);
    RULE(MPI_Win_shared_query(win, MPI_PROC_NULL, &nbytes, &unit, &first) ==
                 0 &&
             nbytes == COUNT * sizeof *own && *first == 0,
         "the first part that is not empty");
    RULE(MPI_Win_get_attr(win, MPI_WIN_CREATE_FLAVOR, &flavor, &found) == 0 &&
             found && *flavor == MPI_WIN_FLAVOR_SHARED,
         "the window's flavour");
    MPI_Win_fence(0, win);
    const double sent = 100 + rank;
    double got = 0;
    const int next = rank < 2 ? 2 : (rank + 1) % nranks;
    if (rank != 1) // which has nothing
        MPI_Put(&sent, 1, MPI_DOUBLE, next, 0, 1, MPI_DOUBLE, win);
    MPI_Win_fence(0, win);
    const int before = rank == 2 ? 0 : (rank + nranks - 1) % nranks;
    if (rank != 1)
        got = own[0];
    RULE(rank == 1 || got == 100 + before, "a put arrives in it, too");
    MPI_Get(&got, 1, MPI_DOUBLE, next, 0, 1, MPI_DOUBLE, win);
    MPI_Win_fence(0, win);
    RULE(got == 100 + (rank == 1 ? 0 : rank), "and a get brings it");
    RULE(MPI_Win_free(&win) == 0, "and it is freed");
}

/* CUDA copies from and to it as with any host memory. */
static void check_copies(void)
{
    MPI_Win win;
    float *own, *device;
    MPI_Win_allocate_shared(COUNT * sizeof *own, sizeof *own, MPI_INFO_NULL,
                            MPI_COMM_WORLD, &own, &win);
    cudaMalloc((void **)&device, COUNT * sizeof *own);
    for (int i = 0; i < COUNT; i++)
        own[i] = (float)(rank + i);
    RULE(cudaMemcpy(device, own, COUNT * sizeof *own, cudaMemcpyHostToDevice) ==
             cudaSuccess,
         "to the device");
    memset(own, 0, COUNT * sizeof *own);
    RULE(cudaMemcpy(own, device, COUNT * sizeof *own, cudaMemcpyDeviceToHost) ==
                 cudaSuccess &&
             own[7] == (float)(rank + 7),
         "and back");
    cudaFree(device);
    MPI_Win_free(&win);
}

static void check_errors(void)
{
    MPI_Win win;
    MPI_Aint nbytes;
    int unit, class = 0;
    float *own;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    RULE(MPI_Win_allocate_shared(-1, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &own,
                                 &win) != 0,
         "a negative size");
    RULE(MPI_Win_allocate_shared(8, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &own,
                                 &win) == 0,
         "all is well again");
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    MPI_Error_class(MPI_Win_shared_query(win, nranks, &nbytes, &unit, &own),
                    &class);
    RULE(class == MPI_ERR_RANK, "a rank that is not there");
    MPI_Win_free(&win);
}

static void check_nodes(void)
{
    MPI_Win win;
    MPI_Comm node;
    int *own = NULL, class = 0;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Error_class(MPI_Win_allocate_shared(8, 4, MPI_INFO_NULL, MPI_COMM_WORLD,
                                            &own, &win),
                    &class);
    RULE(class == MPI_ERR_RMA_SHARED, "ranks of two nodes share nothing");
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL,
                        &node);
    RULE(MPI_Win_allocate_shared(8, 4, MPI_INFO_NULL, node, &own, &win) == 0 &&
             own,
         "those of one node do");
    *own = rank;
    MPI_Win_free(&win);
    MPI_Comm_free(&node);
}

int main(int argc, char **argv)
{
    MPI_Info info;
    const int per_node = argc > 1 ? atoi(argv[1]) : 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nranks);
    if (per_node < nranks) {
        check_nodes();
    } else {
        MPI_Info_create(&info);
        MPI_Info_set(info, "alloc_shared_noncontig", "true");
        check_window(MPI_INFO_NULL, 0);
        check_window(info, 1);
        MPI_Info_free(&info);
        check_copies();
        check_errors();
    }
    MPI_Finalize();
    return rule_status();
}
