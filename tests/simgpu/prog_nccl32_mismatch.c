/* Rank 1 of 3, all of one process, calls NCCL otherwise than the others, in the
 * way that the argument says: by its number in `ways`, or "count" for how many
 * there are. test_nccl_mismatch.c has what is reported. */
#include <cuda_runtime.h>
#include <nccl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEVICES = 3, ROOM = 4096 };

static ncclComm_t comm[DEVICES];
static cudaStream_t stream[DEVICES];
static char *in[DEVICES], *out[DEVICES];

static void begin(const char *name)
{
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    ncclUniqueId id;
    config.commName = name;
    config.numRmaCtx = 2;
    config.numRmaSig = 3;
    ncclGetUniqueId(&id);
    ncclGroupStart();
    for (int d = 0; d < DEVICES; d++) {
        cudaSetDevice(d);
        cudaStreamCreate(&stream[d]);
        ncclMemAlloc((void **)&in[d], ROOM);
        ncclMemAlloc((void **)&out[d], ROOM);
        ncclCommInitRankConfig(&comm[d], DEVICES, id, d, &config);
    }
    ncclGroupEnd();
}

static void end(void)
{
    for (int d = 0; d < DEVICES; d++)
        cudaStreamSynchronize(stream[d]);
}

/* Each rank's call, where `odd` is true of rank 1. */
#define ALL(call)                                                              \
    do {                                                                       \
        ncclGroupStart();                                                      \
        for (int d = 0; d < DEVICES; d++) {                                    \
            const int odd = d == 1;                                            \
            (void)odd, call;                                                   \
        }                                                                      \
        ncclGroupEnd();                                                        \
        end();                                                                 \
    } while (0)

/* ---- calls --------------------------------------------------------------- */

static ncclResult_t all_reduce(int d, size_t count, int type, int op)
{
    return ncclAllReduce(in[d], out[d], count, (ncclDataType_t)type,
                         (ncclRedOp_t)op, comm[d], stream[d]);
}

static ncclResult_t all_gather(int d)
{
    return ncclAllGather(in[d], out[d], 4, ncclInt, comm[d], stream[d]);
}

static ncclResult_t reduce_scatter(int d)
{
    return ncclReduceScatter(in[d], out[d], 4, ncclInt, ncclSum, comm[d],
                             stream[d]);
}

static ncclResult_t broadcast(int d, int root)
{
    return ncclBroadcast(in[d], out[d], 4, ncclInt, root, comm[d], stream[d]);
}

static ncclResult_t reduce(int d)
{
    return ncclReduce(in[d], out[d], 4, ncclInt, ncclSum, 0, comm[d],
                      stream[d]);
}

static ncclResult_t all_to_all(int d)
{
    return ncclAlltoAll(in[d], out[d], 4, ncclInt, comm[d], stream[d]);
}

static ncclResult_t gather(int d)
{
    return ncclGather(in[d], out[d], 4, ncclInt, 0, comm[d], stream[d]);
}

static ncclResult_t scatter(int d)
{
    return ncclScatter(in[d], out[d], 4, ncclInt, 0, comm[d], stream[d]);
}

/* ---- what differs -------------------------------------------------------- */

static void count(void)
{
    ALL(all_reduce(d, 4, ncclInt, ncclSum));
    ALL(all_reduce(d, 4 + odd, ncclInt, ncclSum));
}

static void types(void)
{
    const char *const way = getenv("WAY");
    const int type = 2 * (way ? atoi(way) : 0);
    ALL(all_reduce(d, 4, type + odd, ncclSum));
}

static void operations(void)
{
    const char *const way = getenv("WAY");
    const int op = 2 * (way ? atoi(way) : 0);
    ALL(all_reduce(d, 4, ncclFloat, op + odd));
}

static void premultiplied(void)
{
    ncclRedOp_t op;
    float half = 0.5f;
    for (int d = 0; d < DEVICES; d++)
        ncclRedOpCreatePreMulSum(&op, &half, ncclFloat, ncclScalarHostImmediate,
                                 comm[d]);
    ALL(all_reduce(d, 4, ncclFloat, odd ? (int)op : ncclAvg));
}

static void roots(void)
{
    ALL(broadcast(d, 1 + odd));
}

static void kind(void)
{
    ALL(odd ? all_gather(d) : reduce_scatter(d));
}

static void kind_with_root(void)
{
    ALL(odd ? broadcast(d, 0) : reduce(d));
}

static void kind_of_messages(void)
{
    ALL(odd ? all_to_all(d) : gather(d));
}

static void kind_from_root(void)
{
    ALL(odd ? scatter(d) : all_to_all(d));
}

static void split(void)
{
    static ncclComm_t part[DEVICES];
    for (int d = 0; d < DEVICES; d += 2)
        all_reduce(d, 4, ncclInt, ncclSum);
    ALL(odd ? ncclCommSplit(comm[d], 0, d, &part[d], NULL) : ncclSuccess);
}

static void window(void)
{
    static ncclWindow_t w[DEVICES];
    ALL(ncclCommWindowRegister(comm[d], in[d], odd ? ROOM / 2 : ROOM, &w[d],
                               NCCL_WIN_COLL_SYMMETRIC));
}

static void message(void)
{
    ncclGroupStart();
    ncclSend(in[0], 5, ncclInt, 1, comm[0], stream[0]);
    ncclRecv(out[1], 6, ncclInt, 0, comm[1], stream[1]);
    ncclGroupEnd();
    end();
}

/* ---- what is waited for -------------------------------------------------- */

static void collective_of_two(void)
{
    ALL(all_reduce(d, 4, ncclInt, ncclSum));
    ALL(odd ? ncclSuccess : all_reduce(d, 7, ncclInt, ncclSum));
}

static void send_to_nobody(void)
{
    ncclSend(in[0], 5, ncclInt, 2, comm[0], stream[0]);
    ncclSend(in[0], 6, ncclInt, 1, comm[0], stream[0]);
    end();
}

static void receive_from_nobody(void)
{
    ncclGroupStart();
    ncclSend(in[2], 5, ncclInt, 1, comm[2], stream[2]);
    ncclRecv(out[1], 5, ncclInt, 2, comm[1], stream[1]);
    ncclGroupEnd();
    ncclRecv(out[1], 8, ncclInt, 2, comm[1], stream[1]);
    end();
}

static void signals(void)
{
    ncclWaitSignalDesc_t two = {2, 0, 2, 1};
    ncclSignal(1, 2, 1, 0, comm[0], stream[0]);
    ncclWaitSignal(1, &two, comm[1], stream[1]);
    end();
}

/* ---- a rank gives up, and another one does not notice -------------------- */

static void waits_for_aborted(void)
{
    all_reduce(0, 4, ncclInt, ncclSum);
    ncclCommAbort(comm[1]);
    cudaStreamSynchronize(stream[0]);
}

static void waits_for_revoked(void)
{
    ncclSend(in[0], 5, ncclInt, 1, comm[0], stream[0]);
    ncclCommRevoke(comm[1], 0);
    cudaStreamSynchronize(stream[0]);
}

static void destroys_with_aborted(void)
{
    all_reduce(0, 4, ncclInt, ncclSum);
    ncclCommAbort(comm[1]);
    ncclCommDestroy(comm[0]);
}

/* ---- communicators that are not made ------------------------------------- */

/* Ranks 0 and 2 call, of three. */
static void join_of_two(void)
{
    static ncclComm_t made[DEVICES];
    ncclUniqueId id;
    ncclGetUniqueId(&id);
    ncclGroupStart();
    for (int d = 0; d < DEVICES; d += 2) {
        cudaSetDevice(d);
        ncclCommInitRank(&made[d], DEVICES, id, d);
    }
    ncclGroupEnd();
}

static void split_of_two(void)
{
    static ncclComm_t part[DEVICES];
    ALL(odd ? ncclSuccess : ncclCommSplit(comm[d], 0, d, &part[d], NULL));
}

static void window_of_two(void)
{
    static ncclWindow_t w[DEVICES];
    ALL(odd ? ncclSuccess
            : ncclCommWindowRegister(comm[d], in[d], ROOM, &w[d],
                                     NCCL_WIN_COLL_SYMMETRIC));
}

/* One of the two that stay: the first makes the communicator, the other one
 * waits for it. */
static void shrink_by_first(void)
{
    ncclComm_t few;
    ncclCommShrink(comm[1], (int[]){0}, 1, &few, NULL, 0);
}

static void shrink_by_second(void)
{
    ncclComm_t few;
    ncclCommShrink(comm[2], (int[]){0}, 1, &few, NULL, 0);
}

static void revoke_by_one(void)
{
    static ncclComm_t part;
    ncclCommRevoke(comm[1], 0);
    printf("%d\n", (int)ncclCommSplit(comm[1], 0, 0, &part, NULL));
    printf("%s\n", ncclGetLastError(NULL));
}

/* Of two ids, in another order. */
static void join_by_other_ids(void)
{
    static ncclComm_t made[DEVICES];
    ncclUniqueId ids[2], swapped[2];
    ncclGetUniqueId(&ids[0]);
    ncclGetUniqueId(&ids[1]);
    swapped[0] = ids[0];
    swapped[1] = ids[0];
    ncclGroupStart();
    for (int d = 0; d < DEVICES; d++) {
        cudaSetDevice(d);
        ncclCommInitRankScalable(&made[d], DEVICES, d, 2,
                                 d == 1 ? swapped : ids, NULL);
    }
    printf("%d\n", (int)ncclGroupEnd());
    printf("%s\n", ncclGetLastError(NULL));
    for (int d = 0; d < DEVICES; d++)
        printf("%d", made[d] == NULL);
    printf("\n");
}

static const struct {
    void (*make)(void);
    const char *name; /* of the communicator, or NULL */
} ways[] = {{count, "named"},
            {types, NULL},
            {operations, NULL},
            {premultiplied, NULL},
            {roots, NULL},
            {kind, NULL},
            {kind_with_root, NULL},
            {kind_of_messages, NULL},
            {kind_from_root, NULL},
            {split, NULL},
            {window, NULL},
            {message, NULL},
            {collective_of_two, NULL},
            {collective_of_two, "named"},
            {send_to_nobody, NULL},
            {receive_from_nobody, NULL},
            {signals, NULL},
            {waits_for_aborted, NULL},
            {waits_for_revoked, NULL},
            {destroys_with_aborted, NULL},
            {join_of_two, NULL},
            {split_of_two, NULL},
            {window_of_two, NULL},
            {shrink_by_first, NULL},
            {shrink_by_second, NULL},
            {revoke_by_one, NULL},
            {join_by_other_ids, NULL}};

int main(int argc, char **argv)
{
    const char *const way = argc > 1 ? argv[1] : "count";
    if (strcmp(way, "count") == 0)
        return printf("%zu\n", sizeof ways / sizeof *ways) < 0;
    begin(ways[atoi(way)].name);
    ways[atoi(way)].make();
    printf("no difference\n");
    return 0;
}
