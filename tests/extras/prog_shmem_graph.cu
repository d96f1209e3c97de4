/* links: -lnvshmem_host
 * prog_shmem_graph.cu: host calls of NVSHMEM, once each, by PE 0 of 2 where one
 * PE suffices; test_shmem_graph.c says what is recorded
 */
#include <nvshmem.h>
#include <nvshmemx.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROOM = 64 };

static int me;
static int *x, *y;
static uint64_t *sig;
static cudaStream_t stream;

static void must(int holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "PE %d: %s\n", me, what);
    exit(EXIT_FAILURE);
}

static void moves()
{
    nvshmem_int_put(y + 1, x + 2, 3, 1);
    nvshmem_int_put_nbi(y + 1, x + 2, 4, 1);
    nvshmem_quiet();
    nvshmem_int_get(y + 3, x + 4, 5, 1);
    nvshmem_int_get_nbi(y + 3, x + 4, 6, 1);
    nvshmem_fence();
    nvshmem_putmem(y, x, 7, 1);
    nvshmem_getmem(y, x, 9, 1);
    nvshmem_put16(y, x, 5, 1);
    nvshmem_get64(y, x, 2, 1);
    nvshmem_int_iput(y, x, 2, 3, 4, 1);
    nvshmem_int_iget(y, x, 3, 2, 4, 1);
    nvshmem_int_p(y + 5, 6, 1);
    must(nvshmem_int_g(y + 5, 1) == 6, "what was put");
    nvshmem_int_put(y, x, 0, 1);
    nvshmemx_int_put_on_stream(y + 1, x + 2, 8, 1, stream);
    nvshmemx_int_get_on_stream(y + 1, x + 2, 9, 1, stream);
    nvshmemx_int_p_on_stream(y + 7, 3, 1, stream);
    must(nvshmemx_int_g_on_stream(y + 7, 1, stream) == 3, "a word of a stream");
    nvshmemx_quiet_on_stream(stream);
    cudaStreamSynchronize(stream);
}

static void words()
{
    int *const n = y + 8;
    nvshmem_int_atomic_set(n, 5, 1);
    nvshmem_int_atomic_inc(n, 1);
    must(nvshmem_int_atomic_fetch_add(n, 4, 1) == 6, "inc");
    must(nvshmem_int_atomic_swap(n, 3, 1) == 10, "add");
    must(nvshmem_int_atomic_compare_swap(n, 3, 12, 1) == 3, "swap");
    must(nvshmem_int_atomic_compare_swap(n, 3, 13, 1) == 12, "no swap");
    nvshmem_uint_atomic_and((unsigned *)n, 14, 1);
    must(nvshmem_int_atomic_fetch(n, 1) == 12, "and");
    nvshmem_int_put_signal(y, x, 2, sig, 6, NVSHMEM_SIGNAL_SET, 1);
    nvshmem_int_put_signal_nbi(y, x, 3, sig, 7, NVSHMEM_SIGNAL_ADD, 1);
    nvshmem_quiet();
    nvshmemx_signal_op(sig, 8, NVSHMEM_SIGNAL_ADD, 1);
    nvshmemx_signal_op_on_stream(sig, 9, NVSHMEM_SIGNAL_ADD, 1, stream);
    cudaStreamSynchronize(stream);
}

static void signals()
{
    if (me == 1) {
        nvshmemx_signal_wait_until_on_stream(sig, NVSHMEM_CMP_EQ, 30, stream);
        nvshmemx_int_wait_until_on_stream(y + 8, NVSHMEM_CMP_EQ, 12, stream);
        cudaStreamSynchronize(stream);
        must(nvshmem_signal_fetch(sig) == 30, "all signals");
    }
    nvshmem_barrier_all();
}

static void collectives()
{
    nvshmem_sync_all();
    nvshmem_int_broadcast(NVSHMEM_TEAM_WORLD, y, x, 3, 1);
    nvshmem_int_fcollect(NVSHMEM_TEAM_WORLD, y, x, 4);
    nvshmem_int_alltoall(NVSHMEM_TEAM_WORLD, y, x, 5);
    nvshmem_int_sum_reduce(NVSHMEM_TEAM_WORLD, y, x, 7);
    nvshmem_int_sum_reducescatter(NVSHMEM_TEAM_WORLD, y, x, 4);
    nvshmemx_int_max_reduce_on_stream(NVSHMEM_TEAM_WORLD, y, x, 6, stream);
    nvshmemx_barrier_all_on_stream(stream);
    cudaStreamSynchronize(stream);
}

static int split(int start, int stride, int size)
{
    nvshmem_team_t t;
    return nvshmem_team_split_strided(NVSHMEM_TEAM_WORLD, start, stride, size,
                                      NULL, 0, &t);
}

static void teams()
{
    const nvshmem_team_t all = NVSHMEM_TEAM_WORLD, no = NVSHMEM_TEAM_INVALID;
    nvshmem_team_t t, u;
    must(nvshmem_team_translate_pe(all, 2, all) == -1 &&
             nvshmem_team_translate_pe(all, -1, all) == -1 &&
             nvshmem_team_translate_pe(no, 0, all) == -1 &&
             nvshmem_team_translate_pe(all, 0, no) == -1,
         "PEs and teams that there are not");
    must(split(2, 1, 1) == -1 && split(-1, 1, 1) == -1 &&
             split(0, 1, 0) == -1 && split(0, 0, 2) == -1 &&
             split(0, 2, 2) == -1 && split(1, -2, 2) == -1,
         "ranges that there are not");
    must(nvshmem_team_split_2d(all, 0, NULL, 0, &t, NULL, 0, &u) == -1,
         "a row of none");
    must(nvshmem_team_split_strided(all, 1, 0, 1, NULL, 0, &t) == 0, "one PE");
    must(nvshmem_team_my_pe(t) == me - 1 &&
             nvshmem_team_n_pes(t) == (me ? 1 : -1) &&
             nvshmem_team_translate_pe(all, 1, t) == me - 1 &&
             nvshmem_team_translate_pe(t, 0, all) == (me ? 1 : -1) &&
             nvshmem_team_translate_pe(all, 0, t) == -1,
         "the team of PE 1");
    nvshmem_team_destroy(t);
}

int main()
{
    nvshmem_init();
    me = nvshmem_my_pe();
    cudaSetDevice(me);
    x = (int *)nvshmem_calloc(ROOM, sizeof *x);
    y = (int *)nvshmem_calloc(ROOM, sizeof *y);
    sig = (uint64_t *)nvshmem_calloc(1, sizeof *sig);
    cudaStreamCreate(&stream);
    if (me == 0) {
        moves();
        words();
    }
    signals();
    collectives();
    teams();
    nvshmem_free(sig);
    nvshmem_free(x);
    nvshmem_finalize();
    return 0;
}
