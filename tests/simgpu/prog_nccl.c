/* Rules of NCCL, one device per process, with MPI. */
#include <cuda_runtime.h>
#include <math.h>
#include <mpi.h>
#include <nccl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "rule.h"

static int rank, nranks;
static ncclComm_t comm;
static cudaStream_t stream;

enum { N = 20000 }; /* elements: more than one rank does alone */

static void *device(size_t nbytes)
{
    void *p = NULL;
    cudaMalloc(&p, nbytes ? nbytes : 1);
    return p;
}

static void put(void *d, const void *h, size_t nbytes)
{
    cudaMemcpy(d, h, nbytes, cudaMemcpyHostToDevice);
    cudaDeviceSynchronize();
}

static void get(void *h, const void *d, size_t nbytes)
{
    cudaStreamSynchronize(stream);
    cudaMemcpy(h, d, nbytes, cudaMemcpyDeviceToHost);
}

/* Element i of rank r: small, so that results are exact in float. */
static int value(int r, int i)
{
    return (i * 7 + r * 3) % 5 + 1;
}

static double reduced(ncclRedOp_t op, int i)
{
    double acc = value(0, i);
    for (int r = 1; r < nranks; r++) {
        const double v = value(r, i);
        acc = op == ncclProd  ? acc * v
              : op == ncclMax ? fmax(acc, v)
              : op == ncclMin ? fmin(acc, v)
                              : acc + v;
    }
    return acc;
}

static void check_all_reduce(size_t count)
{
    static float h[N];
    static int32_t k[N];
    float *const d = device(N * sizeof *d);
    int32_t *const di = device(N * sizeof *di);
    for (ncclRedOp_t op = ncclSum; op <= ncclAvg; op++) {
        for (size_t i = 0; i < count; i++)
            k[i] = value(rank, (int)i), h[i] = (float)k[i];
        put(d, h, count * 4);
        put(di, k, count * 4);
        ncclAllReduce(d, d, count, ncclFloat, op, comm, stream);
        ncclAllReduce(di, di, count, ncclInt32, op, comm, stream);
        get(h, d, count * 4);
        get(k, di, count * 4);
        int right = 1;
        for (size_t i = 0; i < count; i++) {
            const double want = reduced(op, (int)i);
            const double mean = want / nranks;
            right &=
                op == ncclAvg ? fabs(h[i] - mean) < 1e-5 : h[i] == (float)want;
            right &= k[i] == (op == ncclAvg ? (int)want / nranks : (int)want);
        }
        RULE(right, "all-reduce in place is right in float and int32");
    }
    cudaFree(d);
    cudaFree(di);
}

/* Floats whose sum depends on the order. */
static void check_bits(void)
{
    enum { M = 300000 }; // several pieces, the last one partial
    const size_t nbytes = M * sizeof(float);
    float *const h = malloc(nbytes), *const first = malloc(nbytes);
    float *const send = device(nbytes), *const recv = device(nbytes);
    int same = 1, equal = 1;
    for (int round = 0; round < 6; round++) {
        float *const out = round % 2 ? send : recv;
        for (int i = 0; i < M; i++)
            h[i] = (float)((i * 37 + rank * 101) % 1009) * 1.1f +
                   (float)(rank == i % nranks) * 3e7f;
        put(send, h, nbytes);
        ncclAllReduce(send, out, M, ncclFloat, ncclSum, comm, stream);
        get(h, out, nbytes);
        if (round == 0)
            memcpy(first, h, nbytes);
        same &= memcmp(first, h, nbytes) == 0;
        MPI_Bcast(first, (int)nbytes, MPI_BYTE, 0, MPI_COMM_WORLD);
        equal &= memcmp(first, h, nbytes) == 0;
    }
    RULE(same, "an all-reduce gives the same bits every time, in place too");
    RULE(equal, "and to all ranks");
    cudaFree(send);
    cudaFree(recv);
    free(h);
    free(first);
}

static void check_types(void)
{
    static const size_t size[] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2, 1, 1};
    // 1.0 in each type; the sum over ranks is nranks, exact in all for <= 8
    static const uint64_t one[] = {
        1,      1,    1,   1, 1, 1, 0x3c00, 0x3f800000, 0x3ff0000000000000,
        0x3f80, 0x38, 0x3c};
    static const uint64_t two[] = {
        2,      2,    2,   2, 2, 2, 0x4000, 0x40000000, 0x4000000000000000,
        0x4000, 0x40, 0x40};
    char h[64 * 8], *const d = device(sizeof h);
    for (int t = 0; t < ncclNumTypes && nranks == 2; t++) {
        for (int i = 0; i < 64; i++)
            memcpy(h + (size_t)i * size[t], &one[t], size[t]);
        put(d, h, 64 * size[t]);
        ncclAllReduce(d, d, 64, (ncclDataType_t)t, ncclSum, comm, stream);
        get(h, d, 64 * size[t]);
        RULE(memcmp(h + 63 * size[t], &two[t], size[t]) == 0,
             "1 + 1 = 2 in every type");
    }
    cudaFree(d);
}

/* Both sums lie halfway between two numbers of the type: even + 1, which rounds
 * down to even, and odd + 1, which rounds up to next. */
static void check_rounding(void)
{
    static const struct {
        ncclDataType_t type;
        size_t size;
        uint16_t one, even, odd, next;
    } types[] = {
        {ncclFloat16, 2, 0x3c00, 0x6800, 0x6801, 0x6802},  // 2048, 2050, 2052
        {ncclBfloat16, 2, 0x3f80, 0x4380, 0x4381, 0x4382}, // 256, 258, 260
        {ncclFloat8e4m3, 1, 0x38, 0x58, 0x59, 0x5a},       // 16, 18, 20
        {ncclFloat8e5m2, 1, 0x3c, 0x48, 0x49, 0x4a},       // 8, 10, 12
    };
    char h[4], *const d = device(sizeof h);
    for (size_t t = 0; t < sizeof types / sizeof *types && nranks == 2; t++) {
        const size_t size = types[t].size;
        memcpy(h, rank ? &types[t].one : &types[t].even, size);
        memcpy(h + size, rank ? &types[t].one : &types[t].odd, size);
        put(d, h, 2 * size);
        ncclAllReduce(d, d, 2, types[t].type, ncclSum, comm, stream);
        get(h, d, 2 * size);
        RULE(memcmp(h, &types[t].even, size) == 0 &&
                 memcmp(h + size, &types[t].next, size) == 0,
             "a sum halfway between two numbers rounds to the even one");
    }
    cudaFree(d);
}

/* A NaN on one rank is no maximum or minimum; a sum of an fp8 type that is too
 * large becomes its largest number. */
static void check_specials(void)
{
    static const ncclDataType_t narrow[] = {ncclFloat8e4m3, ncclFloat8e5m2};
    static const unsigned char largest[] = {0x7e, 0x7b};
    float h[2], *const d = device(sizeof h);
    for (ncclRedOp_t op = ncclMax; op <= ncclMin && nranks == 2; op++) {
        h[0] = rank == 0 ? NAN : 3;
        h[1] = rank == 1 ? NAN : 3;
        put(d, h, sizeof h);
        ncclAllReduce(d, d, 2, ncclFloat, op, comm, stream);
        get(h, d, sizeof h);
        RULE(h[0] == 3 && h[1] == 3, "whichever rank has a NaN, it is dropped");
    }
    for (int t = 0; t < 2 && nranks == 2; t++) {
        unsigned char sum;
        put(d, &largest[t], 1);
        ncclAllReduce(d, d, 1, narrow[t], ncclSum, comm, stream);
        get(&sum, d, 1);
        RULE(sum == largest[t], "sums of fp8 types saturate");
    }
    cudaFree(d);
}

/* Ranks that differ in a collective of nothing differ in nothing. */
static void check_nothing(void)
{
    float *const d = device(sizeof *d);
    RULE((rank == 0 ? ncclAllReduce(d, d, 0, ncclFloat, ncclSum, comm, stream)
                    : ncclBroadcast(d, d, 0, ncclInt, 0, comm, stream)) ==
             ncclSuccess,
         "collectives of no elements are not matched");
    cudaStreamSynchronize(stream);
    cudaFree(d);
}

static void check_others(void)
{
    enum { B = 1001 };
    const int root = nranks - 1;
    int *const h = malloc(sizeof(int) * B * (size_t)nranks);
    int *const all = device(sizeof(int) * B * (size_t)nranks);
    int *const mine = device(sizeof(int) * B);
    int right;
#define FILL(n)                                                                \
    for (int i = 0; i < (n); i++)                                              \
    h[i] = value(rank, i)
    FILL(B);
    put(mine, h, sizeof(int) * B);
    ncclAllGather(mine, all, B, ncclInt32, comm, stream);
    get(h, all, sizeof(int) * B * (size_t)nranks);
    right = 1;
    for (int r = 0; r < nranks; r++)
        for (int i = 0; i < B; i++)
            right &= h[r * B + i] == value(r, i);
    RULE(right, "all-gather puts rank i's data into block i");

    FILL(B * nranks);
    put(all, h, sizeof(int) * B * (size_t)nranks);
    ncclReduceScatter(all, all + rank * B, B, ncclInt32, ncclSum, comm, stream);
    get(h, all + rank * B, sizeof(int) * B);
    right = 1;
    for (int i = 0; i < B; i++)
        right &= h[i] == (int)reduced(ncclSum, rank * B + i);
    RULE(right, "reduce-scatter in place gives rank i block i");

    FILL(B);
    put(mine, h, sizeof(int) * B);
    ncclBroadcast(mine, mine, B, ncclInt32, root, comm, stream);
    get(h, mine, sizeof(int) * B);
    right = 1;
    for (int i = 0; i < B; i++)
        right &= h[i] == value(root, i);
    RULE(right, "broadcast gives every rank the root's data");

    FILL(B);
    put(mine, h, sizeof(int) * B);
    ncclReduce(mine, all, B, ncclInt32, ncclMax, root, comm, stream);
    get(h, all, sizeof(int) * B);
    right = 1;
    for (int i = 0; i < B && rank == root; i++)
        right &= h[i] == (int)reduced(ncclMax, i);
    RULE(right, "reduce gives the root the result");

    FILL(B * nranks);
    int *const from = device(sizeof(int) * B * (size_t)nranks);
    put(from, h, sizeof(int) * B * (size_t)nranks);
    ncclAlltoAll(from, all, B, ncclInt32, comm, stream);
    get(h, all, sizeof(int) * B * (size_t)nranks);
    right = 1;
    for (int r = 0; r < nranks; r++)
        for (int i = 0; i < B; i++)
            right &= h[r * B + i] == value(r, rank * B + i);
    RULE(right, "all-to-all gives rank i block i of every rank");

    ncclGather(from, all, B, ncclInt32, root, comm, stream);
    get(h, all, sizeof(int) * B * (size_t)nranks);
    right = 1;
    for (int r = 0; r < nranks && rank == root; r++)
        for (int i = 0; i < B; i++)
            right &= h[r * B + i] == value(r, i);
    RULE(right, "gather collects blocks at the root");

    ncclScatter(from, mine, B, ncclInt32, root, comm, stream);
    get(h, mine, sizeof(int) * B);
    right = 1;
    for (int i = 0; i < B; i++)
        right &= h[i] == value(root, rank * B + i);
    RULE(right, "scatter deals the root's blocks");
    cudaFree(all);
    cudaFree(mine);
    cudaFree(from);
    free(h);
}

static void check_messages(void)
{
    enum { B = 5000 };
    const int right_one = (rank + 1) % nranks;
    const int left_one = (rank - 1 + nranks) % nranks;
    int h[B], *const out = device(sizeof h), *const in = device(sizeof h);
    for (int round = 0; round < 50; round++) {
        for (int i = 0; i < B; i++)
            h[i] = rank * 100 + round;
        put(out, h, sizeof h);
        ncclGroupStart();
        ncclSend(out, B, ncclInt32, right_one, comm, stream);
        ncclRecv(in, B, ncclInt32, left_one, comm, stream);
        ncclGroupEnd();
        get(h, in, sizeof h);
        if (h[0] != left_one * 100 + round || h[B - 1] != h[0])
            break;
        if (round == 49)
            RULE(1, "messages go round a ring, in order");
    }
    RULE(h[0] == left_one * 100 + 49, "none of them is lost");
    RULE(ncclSend(out, 1, ncclInt32, rank, comm, stream) == ncclInvalidUsage,
         "a send to itself without a receive is refused");
    ncclGroupStart();
    ncclSend(out, B, ncclInt32, rank, comm, stream);
    ncclRecv(in, B, ncclInt32, rank, comm, stream);
    RULE(ncclGroupEnd() == ncclSuccess, "with its receive in a group it isn't");
    get(h, in, sizeof h);
    RULE(h[7] == rank * 100 + 49, "and it arrives");
    cudaFree(out);
    cudaFree(in);
}

static void check_errors(void)
{
    float *const d = device(64);
    int n;
    RULE(ncclGroupEnd() == ncclInvalidUsage, "no end without a start");
    RULE(ncclAllReduce(d, d, 4, ncclFloat, ncclSum, NULL, stream) ==
             ncclInvalidArgument,
         "no communicator, no collective");
    RULE(ncclAllReduce(d, d, 4, (ncclDataType_t)77, ncclSum, comm, stream) ==
             ncclInvalidArgument,
         "no type");
    RULE(ncclBroadcast(d, d, 4, ncclFloat, nranks, comm, stream) ==
             ncclInvalidArgument,
         "no root out of range");
    RULE(ncclAllReduce(d, d, 0, ncclFloat, ncclSum, comm, stream) ==
             ncclSuccess,
         "zero elements are nothing to do");
    RULE(ncclCommCount(comm, &n) == ncclSuccess && n == nranks,
         "a communicator knows its size");
    RULE(strlen(ncclGetErrorString(ncclInvalidUsage)) > 0, "errors have texts");
    cudaFree(d);
}

static void check_split(void)
{
    ncclComm_t half = NULL, none = NULL;
    int n = 0, r = -1;
    float h = (float)rank, *const d = device(sizeof h);
    RULE(ncclCommSplit(comm, rank % 2, -rank, &half, NULL) == ncclSuccess,
         "a communicator splits by color");
    ncclCommCount(half, &n);
    ncclCommUserRank(half, &r);
    const int members = (nranks + 1 - rank % 2) / 2;
    RULE(n == members, "into those of one color");
    RULE(r == members - 1 - rank / 2, "ordered by key");
    put(d, &h, sizeof h);
    ncclAllReduce(d, d, 1, ncclFloat, ncclSum, half, stream);
    get(&h, d, sizeof h);
    float want = 0;
    for (int i = rank % 2; i < nranks; i += 2)
        want += (float)i;
    RULE(h == want, "its collectives are of its members");
    RULE(ncclCommDestroy(half) == ncclSuccess, "it is destroyed");
    RULE(ncclCommSplit(comm, NCCL_SPLIT_NOCOLOR, 0, &none, NULL) ==
                 ncclSuccess &&
             none == NULL,
         "no color, no communicator");
    cudaFree(d);
}

static void check_premul(void)
{
    ncclRedOp_t op;
    float scale = 0.5f, h = 4, *const d = device(sizeof h);
    RULE(ncclRedOpCreatePreMulSum(&op, &scale, ncclFloat,
                                  ncclScalarHostImmediate, comm) == ncclSuccess,
         "a user-defined operation");
    put(d, &h, sizeof h);
    ncclAllReduce(d, d, 1, ncclFloat, op, comm, stream);
    get(&h, d, sizeof h);
    RULE(h == 2.0f * (float)nranks, "scales its inputs");
    RULE(ncclAllReduce(d, d, 1, ncclInt32, op, comm, stream) ==
             ncclInvalidArgument,
         "and is of one type");
    RULE(ncclRedOpDestroy(op, comm) == ncclSuccess, "and is destroyed");
    cudaFree(d);
}

int main(int argc, char **argv)
{
    ncclUniqueId id;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nranks);
    setvbuf(stdout, NULL, _IOLBF, 0);
    cudaSetDevice(rank);
    cudaStreamCreate(&stream);
    if (rank == 0)
        ncclGetUniqueId(&id);
    MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
    RULE(ncclCommInitRank(&comm, nranks, id, rank) == ncclSuccess,
         "all ranks join");
    check_all_reduce(N);
    check_all_reduce(3);
    check_bits();
    check_types();
    check_rounding();
    check_specials();
    check_nothing();
    check_others();
    if (nranks > 1)
        check_messages();
    check_errors();
    check_split();
    check_premul();
    RULE(ncclCommDestroy(comm) == ncclSuccess, "the communicator is destroyed");
    MPI_Finalize();
    return rule_status();
}
