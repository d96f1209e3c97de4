/* links: -lnvshmem_host
 * prog_shmem_faults.cu: a mistake in a use of NVSHMEM, by its number
 *
 * Without one, how many there are; "sizes" is for two PEs. shmem.txt has what
 * is said of each.
 */
#include <mpi.h>
#include <nvshmem.h>
#include <nvshmemx.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int me;
static int *x; /* 8, symmetric */
static uint64_t *sig;

static void begin()
{
    nvshmem_init();
    me = nvshmem_my_pe();
    x = (int *)nvshmem_calloc(8, sizeof *x);
    sig = (uint64_t *)nvshmem_calloc(1, sizeof *sig);
}

/* ---- in kernels ---------------------------------------------------------- */

enum { WAITS, STREAMS, COMPARES, ODD_WORD, SHORT_WORDS, BEHIND, NO_PE };

__global__ void kernel(int mistake, int *x, uint64_t *sig)
{
    switch (mistake) {
    case WAITS: nvshmem_int_wait_until(x, 6, 0); break;
    case STREAMS: nvshmemx_int_put_on_stream(x, x, 1, 0, 0); break;
    case COMPARES: nvshmem_int_test(x, -1, 0); break;
    case ODD_WORD:
        nvshmem_int_wait_until((int *)((char *)x + 2), NVSHMEM_CMP_EQ, 0);
        break;
    case SHORT_WORDS:
        nvshmem_short_test((short *)((char *)x + 1), NVSHMEM_CMP_EQ, 0);
        break;
    case BEHIND: nvshmem_int_test_all(x, 9, NULL, NVSHMEM_CMP_EQ, 0); break;
    default: nvshmem_int_p(x, 1, 1); break;
    }
    (void)sig;
}

static void run(int mistake)
{
    begin();
    kernel<<<1, 1>>>(mistake, x, sig);
    cudaDeviceSynchronize();
}

/* ---- teams --------------------------------------------------------------- */

static nvshmem_team_t all_teams()
{
    nvshmem_team_t team = NVSHMEM_TEAM_INVALID;
    begin();
    for (int i = 0; i < 1000; i++)
        nvshmem_team_split_strided(NVSHMEM_TEAM_WORLD, 0, 1, 1, NULL, 0, &team);
    return team;
}

static nvshmem_team_t destroyed()
{
    nvshmem_team_t team;
    begin();
    nvshmem_team_split_strided(NVSHMEM_TEAM_WORLD, 0, 1, 1, NULL, 0, &team);
    nvshmem_team_destroy(team);
    return team;
}

static void start(unsigned flags, int rank, int nranks)
{
    nvshmemx_init_attr_t attr = NVSHMEMX_INIT_ATTR_INITIALIZER;
    nvshmemx_uniqueid_t id = NVSHMEMX_UNIQUEID_INITIALIZER;
    nvshmemx_get_uniqueid(&id);
    nvshmemx_set_attr_uniqueid_args(rank, nranks, &id, &attr);
    nvshmemx_init_attr(flags, &attr);
}

/* ---- mistakes ------------------------------------------------------------ */

struct mistake {
    const char *name;
    void (*make)();
};
#define DO(WHAT)                                                               \
    {                                                                          \
#WHAT, [] { WHAT; }                                                    \
    }
#define AT_WORK(WHAT)                                                          \
    {                                                                          \
#WHAT, [] {                                                            \
            begin();                                                           \
            WHAT;                                                              \
        }       \
    }

static const struct mistake mistakes[] = {
    DO(nvshmem_malloc(4)),
    DO(nvshmem_n_pes()),
    DO(nvshmem_finalize()),
    DO(nvshmemx_init_attr(NVSHMEMX_INIT_WITH_SHMEM, NULL)),
    DO(nvshmemx_init_attr(NVSHMEMX_INIT_WITH_MPI_COMM, NULL)),
    DO(nvshmemx_init_attr(NVSHMEMX_INIT_WITH_UNIQUEID, NULL)),
    DO(nvshmemx_hostlib_init_attr(NVSHMEMX_INIT_WITH_SHMEM, NULL)),
    DO(start(NVSHMEMX_INIT_WITH_MPI_COMM, 0, 1)),
    DO(start(NVSHMEMX_INIT_WITH_UNIQUEID, 0, 2)),
    DO(start(NVSHMEMX_INIT_WITH_UNIQUEID, 1, 1)),
    DO(start(NVSHMEMX_INIT_WITH_UNIQUEID, -1, 1)),
    DO(run(WAITS)),
    DO(run(STREAMS)),
    DO(run(COMPARES)),
    DO(run(ODD_WORD)),
    DO(run(SHORT_WORDS)),
    DO(run(BEHIND)),
    DO(run(NO_PE)),
    AT_WORK(nvshmem_align(24, 4)),
    AT_WORK(nvshmem_align(1 << 30, 4)),
    AT_WORK(nvshmem_free(x + 1)),
    AT_WORK(nvshmem_free(&me)),
    AT_WORK(nvshmem_free(x); nvshmem_free(x)),
    AT_WORK(nvshmem_free(x); nvshmem_int_p(x, 1, 0)),
    AT_WORK(nvshmem_int_p(&me, 1, 0)),
    AT_WORK(nvshmem_int_p(x + 8, 1, 0)),
    AT_WORK(nvshmem_int_put(x + 1, x, 8, 0)),
    AT_WORK(nvshmem_int_get(x, x + 1, 8, 0)),
    AT_WORK(nvshmem_int_iput(x, x, 7, 1, 3, 0)),
    AT_WORK(nvshmem_int_put(x, x, 1, 1)),
    AT_WORK(nvshmem_int_put(x, x, 1, -1)),
    AT_WORK(nvshmem_ptr(x, 1)),
    AT_WORK(nvshmem_ptr(x, -1)),
    AT_WORK(nvshmem_int_atomic_inc((int *)((char *)x + 2), 0)),
    AT_WORK(nvshmem_int_p((int *)((char *)x + 1), 1, 0)),
    AT_WORK(nvshmemx_signal_op(sig, 1, 8, 0)),
    AT_WORK(nvshmemx_signal_op(sig + 1, 1, NVSHMEM_SIGNAL_SET, 0)),
    AT_WORK(nvshmemx_signal_op((uint64_t *)((char *)sig + 4), 1,
                               NVSHMEM_SIGNAL_SET, 0)),
    AT_WORK(nvshmem_int_put_signal(x, x, 1, sig, 1, 11, 0)),
    AT_WORK(nvshmem_signal_fetch((uint64_t *)&me)),
    AT_WORK(nvshmem_int_wait_until(x, NVSHMEM_CMP_EQ, 0)),
    AT_WORK(nvshmem_int_test_any(x, 1, NULL, NVSHMEM_CMP_EQ, 0)),
    AT_WORK(nvshmemx_int_wait_until_on_stream(x, 6, 0, 0);
            cudaDeviceSynchronize()),
    AT_WORK(nvshmemx_int_put_block(x, x, 1, 0)),
    AT_WORK(nvshmemx_int_put_warp(x, x, 1, 0)),
    AT_WORK(nvshmem_int_broadcast(NVSHMEM_TEAM_WORLD, x, x, 1, 1)),
    AT_WORK(nvshmem_int_broadcast(NVSHMEM_TEAM_WORLD, x, x, 1, -1)),
    AT_WORK(nvshmem_barrier(NVSHMEM_TEAM_INVALID)),
    AT_WORK(nvshmem_barrier(64)),
    AT_WORK(nvshmem_barrier(-2)),
    AT_WORK(nvshmem_team_destroy(NVSHMEM_TEAM_MC_SHARED)),
    AT_WORK(nvshmem_team_get_config(NVSHMEM_TEAMS_MIN, NULL)),
    DO(nvshmem_barrier(destroyed())),
    DO(all_teams()),
};
enum { MISTAKES = sizeof mistakes / sizeof *mistakes };

int main(int argc, char **argv)
{
    const int i = argc > 1 ? atoi(argv[1]) : -1;
    if (argc > 1 && strcmp(argv[1], "sizes") == 0) {
        nvshmem_init();
        nvshmem_malloc(nvshmem_my_pe() ? 8 : 4);
    }
    if (i < 0) {
        printf("%d\n", (int)MISTAKES);
        return 0;
    }
    printf("%s\n", mistakes[i].name);
    fflush(stdout);
    mistakes[i].make();
    printf("no mistake\n");
    fflush(stdout);
    _Exit(0);
}
