/* links: -lnvshmem_host
 * prog_shmem_peers.cu: PE 1 of 2 calls NVSHMEM otherwise than PE 0, in the way
 * that the argument says
 *
 * Without one, how many there are. test_shmem.c has what is said of each.
 */
#include <mpi.h>
#include <nvshmem.h>
#include <nvshmemx.h>
#include <stdio.h>
#include <stdlib.h>

static int odd; // this is PE 1
static int *x;  // 8, symmetric
static nvshmem_team_t team;

static void start_as(int rank, int nranks, int same)
{
    nvshmemx_init_attr_t attr = NVSHMEMX_INIT_ATTR_INITIALIZER;
    nvshmemx_uniqueid_t id = NVSHMEMX_UNIQUEID_INITIALIZER;
    nvshmemx_get_uniqueid(&id);
    if (same)
        MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
    nvshmemx_set_attr_uniqueid_args(rank, nranks, &id, &attr);
    nvshmemx_init_attr(NVSHMEMX_INIT_WITH_UNIQUEID, &attr);
}

static void begin()
{
    nvshmem_init();
    x = (int *)nvshmem_calloc(8, sizeof *x);
}

#define WORLD NVSHMEM_TEAM_WORLD
#define START(WHAT)                                                            \
    {                                                                          \
#WHAT, [] { WHAT; }                                                    \
    }
#define WAY(WHAT)                                                              \
    {                                                                          \
#WHAT, [] {                                                            \
            begin();                                                           \
            WHAT;                                                              \
        }       \
    }

static const struct way {
    const char *name;
    void (*make)();
} ways[] = {
    START(start_as(odd, 2, 0)),
    START(start_as(odd, 2 + odd, 1)),
    START(start_as(2 * odd, 2, 1)),
    WAY(odd ? nvshmem_sync_all() : nvshmem_barrier_all()),
    WAY(odd ? nvshmem_int_max_reduce(WORLD, x, x, 1)
            : nvshmem_int_min_reduce(WORLD, x, x, 1)),
    WAY(odd ? nvshmem_float_sum_reduce(WORLD, (float *)x, (float *)x, 1)
            : nvshmem_int_sum_reduce(WORLD, x, x, 1)),
    WAY(nvshmem_int_broadcast(WORLD, x, x, 1, odd)),
    WAY(nvshmem_int_fcollect(WORLD, x, x, 1 + odd)),
    WAY(nvshmem_int_broadcast(WORLD, x, x, 1, 2)),
    WAY(nvshmem_team_split_strided(WORLD, odd, 1, 1, NULL, 0, &team)),
    WAY(nvshmem_team_split_strided(WORLD, 0, 1 + odd, 1, NULL, 0, &team)),
    WAY(nvshmem_team_split_strided(WORLD, 0, 1, 1 + odd, NULL, 0, &team)),
    WAY(nvshmem_team_split_2d(WORLD, 1 + odd, NULL, 0, &team, NULL, 0, &team)),
    WAY(nvshmem_int_p(x, 1, 2)),
};

int main(int argc, char **argv)
{
    if (argc == 1)
        return printf("%zu\n", sizeof ways / sizeof *ways) < 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &odd);
    const struct way *const w = &ways[atoi(argv[1])];
    if (!odd)
        printf("%s\n", w->name);
    fflush(stdout);
    w->make();
    nvshmem_finalize();
    printf("no difference\n");
    MPI_Finalize();
}
