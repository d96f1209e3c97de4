/* Each call of NCCL that puts something into the graph, on three devices of one
 * process: test_nccl_graph.c says what is recorded. */
#include <cuda_runtime.h>
#include <nccl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEVICES = 3, ROOM = 4096, MESSAGES = 40 /* a channel holds 32 */ };

static ncclComm_t comm[DEVICES], pair[DEVICES];
static cudaStream_t stream[DEVICES], other[DEVICES], third[DEVICES];
static char *in[DEVICES], *out[DEVICES];

static void must(int holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "%s: %s\n", what, ncclGetLastError(NULL));
    exit(EXIT_FAILURE);
}

static void begin(void)
{
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    ncclUniqueId id;
    config.numRmaSig = 2;
    config.numRmaCtx = 2;
    ncclGetUniqueId(&id);
    ncclGroupStart();
    for (int d = 0; d < DEVICES; d++) {
        cudaSetDevice(d);
        cudaStreamCreate(&stream[d]);
        cudaStreamCreate(&other[d]);
        cudaStreamCreate(&third[d]);
        ncclMemAlloc((void **)&in[d], ROOM);
        ncclMemAlloc((void **)&out[d], ROOM);
        ncclCommInitRankConfig(&comm[d], DEVICES, id, d, &config);
    }
    must(ncclGroupEnd() == ncclSuccess, "communicators");
}

static void synchronize(const char *what)
{
    for (int d = 0; d < DEVICES; d++) {
        cudaSetDevice(d);
        must(cudaDeviceSynchronize() == cudaSuccess, what);
    }
}

/* One call on each device, in a group. */
#define ALL(call)                                                              \
    do {                                                                       \
        ncclGroupStart();                                                      \
        for (int d = 0; d < DEVICES; d++)                                      \
            must((call) == ncclSuccess, #call);                                \
        must(ncclGroupEnd() == ncclSuccess, #call);                            \
    } while (0)

/* ---- collectives --------------------------------------------------------- */

static void collectives(void)
{
    ncclRedOp_t op[DEVICES];
    char *scalar;
    cudaSetDevice(1);
    cudaMalloc((void **)&scalar, 64);
    cudaMemset(scalar, 0, 64);
    ALL(ncclAllReduce(in[d] + 4, out[d] + 8, 5, ncclFloat, ncclSum, comm[d],
                      stream[d]));
    ALL(ncclBroadcast(in[d], out[d], 6, ncclHalf, 1, comm[d], stream[d]));
    ALL(ncclBcast(out[d], 7, ncclInt8, 2, comm[d], stream[d]));
    ALL(ncclReduce(in[d], out[d], 8, ncclDouble, ncclMax, 2, comm[d],
                   stream[d]));
    ALL(ncclAllGather(in[d], out[d], 9, ncclInt, comm[d], stream[d]));
    ALL(ncclReduceScatter(in[d], out[d], 10, ncclInt64, ncclMin, comm[d],
                          stream[d]));
    ALL(ncclAlltoAll(in[d], out[d], 11, ncclInt, comm[d], stream[d]));
    ALL(ncclGather(in[d], out[d], 12, ncclUint8, 1, comm[d], stream[d]));
    ALL(ncclScatter(in[d], out[d], 13, ncclUint32, 2, comm[d], stream[d]));
    for (int d = 0; d < DEVICES; d++)
        ncclRedOpCreatePreMulSum(&op[d], scalar + 8, ncclFloat,
                                 ncclScalarDevice, comm[d]);
    ALL(ncclAllReduce(in[d], out[d], 14, ncclFloat, op[d], comm[d], stream[d]));
    ALL(ncclAllReduce(in[d], out[d], 0, ncclFloat, ncclSum, comm[d],
                      stream[d]));
    synchronize("collectives");
}

/* Ranks are combined in their order: of two zeros that are equal, the first
 * stays. */
static void order_of_ranks(void)
{
    const float zero[2][DEVICES] = {{-0.f, 0.f, 0.f}, {0.f, -0.f, -0.f}};
    float max;
    for (int i = 0; i < 2; i++) {
        for (int d = 0; d < DEVICES; d++) {
            cudaSetDevice(d);
            cudaMemcpy(in[d], &zero[i][d], 4, cudaMemcpyHostToDevice);
        }
        ALL(ncclAllReduce(in[d], out[d], 1, ncclFloat, ncclMax, comm[d],
                          stream[d]));
        synchronize("zeros");
        cudaMemcpy(&max, out[0], 4, cudaMemcpyDeviceToHost);
        must(memcmp(&max, &zero[i][0], 4) == 0, "another zero");
    }
}

/* ---- configurations ------------------------------------------------------ */

enum { CONFIGURED = 8 };
static ncclCollConfig_t config[CONFIGURED + 1][DEVICES];
static cudaEvent_t event[CONFIGURED][DEVICES];

/* All but the last have an event. */
static void give_events(void)
{
    for (int d = 0; d < DEVICES; d++) {
        cudaSetDevice(d);
        for (int i = 0; i <= CONFIGURED; i++)
            config[i][d] = (ncclCollConfig_t)NCCL_COLLCONFIG_INITIALIZER;
        for (int i = 0; i < CONFIGURED; i++) {
            cudaEventCreate(&event[i][d]);
            config[i][d].launchCompletionEvent = event[i][d];
        }
    }
}

/* Another stream waits for each event. */
static void await_events(void)
{
    for (int d = 0; d < DEVICES; d++) {
        cudaSetDevice(d);
        for (int i = 0; i < CONFIGURED; i++) {
            cudaStreamWaitEvent(third[d], event[i][d], 0);
            cudaEventDestroy(event[i][d]);
        }
    }
    synchronize("events");
}

static void configured(void)
{
    int current = -1;
    give_events();
    cudaSetDevice(1); // the calls are on others, too
    ALL(ncclAllReduceConfig(in[d], out[d], 3, ncclInt, ncclMax, comm[d],
                            stream[d], &config[0][d]));
    ALL(ncclBroadcastConfig(in[d], out[d], 4, ncclHalf, 1, comm[d], stream[d],
                            &config[1][d]));
    ALL(ncclReduceConfig(in[d], out[d], 5, ncclInt, ncclMin, 2, comm[d],
                         stream[d], &config[2][d]));
    ALL(ncclAllGatherConfig(in[d], out[d], 6, ncclInt8, comm[d], stream[d],
                            &config[3][d]));
    ALL(ncclReduceScatterConfig(in[d], out[d], 7, ncclInt64, ncclProd, comm[d],
                                stream[d], &config[4][d]));
    ALL(ncclAlltoAllConfig(in[d], out[d], 8, ncclInt, comm[d], stream[d],
                           &config[5][d]));
    ALL(ncclGatherConfig(in[d], out[d], 9, ncclInt, 1, comm[d], stream[d],
                         &config[6][d]));
    ALL(ncclScatterConfig(in[d], out[d], 10, ncclInt, 2, comm[d], stream[d],
                          &config[7][d]));
    ALL(ncclAllReduceConfig(in[d], out[d], 11, ncclInt, ncclSum, comm[d],
                            stream[d], &config[8][d]));
    cudaGetDevice(&current);
    must(current == 1, "the current device");
    await_events();
}

/* ---- groups -------------------------------------------------------------- */

/* In the order of its calls a group would wait for itself; three of its streams
 * are joined with the first. */
static void group_of_all(void)
{
    ncclGroupStart();
    for (int d = 0; d < DEVICES; d++) {
        const int next = (d + 1) % DEVICES, before = (d + 2) % DEVICES;
        ncclSend(in[d] + 16, 21, ncclInt8, next, comm[d], stream[d]);
        ncclRecv(out[d] + 24, 21, ncclInt8, before, comm[d], other[d]);
        ncclAllReduce(in[d], out[d] + 64, 3, ncclInt, ncclSum, comm[d],
                      third[d]);
        ncclSend(in[d] + 48, 2, ncclInt, d, comm[d], other[d]);
        ncclRecv(out[d] + 96, 2, ncclInt, d, comm[d], stream[d]);
        ncclAllGather(in[d], out[d] + 128, 1, ncclInt, comm[d], stream[d]);
    }
    must(ncclGroupEnd() == ncclSuccess, "a group of all");
    synchronize("a group of all");
}

/* Two communicators in a group: an operation of each. */
static void group_of_two(void)
{
    ncclGroupStart();
    for (int d = 0; d < DEVICES; d++)
        ncclCommSplit(comm[d], d == 2, d, &pair[d], NULL);
    must(ncclGroupEnd() == ncclSuccess, "a split");
    ncclGroupStart();
    for (int d = 0; d < DEVICES; d++) {
        ncclAllReduce(in[d], out[d], 2, ncclInt, ncclSum, pair[d], stream[d]);
        ncclAllReduce(in[d], out[d], 3, ncclInt, ncclSum, comm[d], stream[d]);
    }
    must(ncclGroupEnd() == ncclSuccess, "a group of two communicators");
    synchronize("a group of two communicators");
}

/* Of equal keys, the rank decides; ranks without a color are in none. */
static void order_of_split(void)
{
    const int key[DEVICES] = {5, 5, 1}, rank[DEVICES] = {1, 2, 0};
    ncclComm_t part[DEVICES];
    int n = 0, r = -1;
    ALL(ncclCommSplit(comm[d], 4, key[d], &part[d], NULL));
    for (int d = 0; d < DEVICES; d++) {
        ncclCommCount(part[d], &n);
        ncclCommUserRank(part[d], &r);
        must(n == DEVICES && r == rank[d], "the order of keys");
    }
    ALL(ncclBroadcast(in[d], out[d], 3, ncclInt, 0, part[d], stream[d]));
    synchronize("a collective of another order");
    ALL(ncclCommDestroy(part[d]));
    ALL(ncclCommSplit(comm[d], d == 1 ? NCCL_SPLIT_NOCOLOR : 0, -d, &part[d],
                      NULL));
    must(part[1] == NULL, "a rank without a color");
    for (int d = 0; d < DEVICES; d += 2) {
        ncclCommCount(part[d], &n);
        ncclCommUserRank(part[d], &r);
        must(n == 2 && r == (d == 0), "the others");
        ncclCommDestroy(part[d]);
    }
}

/* ---- messages ------------------------------------------------------------ */

/* Message i of a device, at a place of its own. */
static int message(int d, int i)
{
    return 1000 * d + i;
}

/* More than a channel holds, to two ranks, before anything is received; they
 * arrive in order. */
static void messages(void)
{
    int sent[2 * MESSAGES], received[2 * MESSAGES];
    for (int d = 0; d < DEVICES; d++) {
        for (int i = 0; i < 2 * MESSAGES; i++)
            sent[i] = message(d, i);
        cudaSetDevice(d);
        cudaMemcpy(in[d], sent, sizeof sent, cudaMemcpyHostToDevice);
    }
    ncclGroupStart();
    for (int d = 0; d < DEVICES; d++)
        for (int i = 0; i < 2 * MESSAGES; i++)
            ncclSend(in[d] + 4 * i, 1, ncclInt, (d + 1 + i % 2) % DEVICES,
                     comm[d], stream[d]);
    for (int d = 0; d < DEVICES; d++)
        for (int i = 0; i < 2 * MESSAGES; i++)
            ncclRecv(out[d] + 4 * i, 1, ncclInt, (d + 2 - i % 2) % DEVICES,
                     comm[d], stream[d]);
    must(ncclGroupEnd() == ncclSuccess, "many messages");
    synchronize("many messages");
    for (int d = 0; d < DEVICES; d++) {
        cudaSetDevice(d);
        cudaMemcpy(received, out[d], sizeof received, cudaMemcpyDeviceToHost);
        for (int i = 0; i < 2 * MESSAGES; i++)
            must(received[i] == message((d + 2 - i % 2) % DEVICES, i),
                 "another message");
    }
}

/* Memory of the program's own, which is registered: from its middle. */
static void registered(void)
{
    static int from[512], to[512];
    cudaSetDevice(0);
    cudaHostRegister(from, sizeof from, cudaHostRegisterDefault);
    cudaHostRegister(to, sizeof to, cudaHostRegisterDefault);
    for (int i = 0; i < 512; i++)
        from[i] = i;
    ncclGroupStart();
    ncclSend(from + 2, 300, ncclInt, 1, comm[0], stream[0]);
    ncclRecv(out[1], 300, ncclInt, 0, comm[1], stream[1]);
    must(ncclGroupEnd() == ncclSuccess, "a send");
    ncclGroupStart();
    ncclSend(out[1], 300, ncclInt, 0, comm[1], stream[1]);
    ncclRecv(to + 1, 300, ncclInt, 1, comm[0], stream[0]);
    must(ncclGroupEnd() == ncclSuccess, "a receive");
    synchronize("registered memory");
    must(to[0] == 0 && to[301] == 0, "only what is received");
    must(memcmp(to + 1, from + 2, 1200) == 0, "what is sent is received");
}

/* ---- one-sided messages -------------------------------------------------- */

static void puts_and_waits(void)
{
    ncclWindow_t from[DEVICES], to[DEVICES];
    ALL(ncclCommWindowRegister(comm[d], in[d], ROOM, &from[d],
                               NCCL_WIN_COLL_SYMMETRIC));
    ALL(ncclCommWindowRegister(comm[d], out[d], ROOM, &to[d],
                               NCCL_WIN_COLL_SYMMETRIC));
    for (int k = 0; k < 2; k++)
        must(ncclPutSignal(in[0] + 8, 31, ncclInt, 1, to[0], 16, k, 0, 0,
                           comm[0], stream[0]) == ncclSuccess,
             "a put");
    ncclSignal(1, 1, 1, 0, comm[0], stream[0]);
    ncclSignal(1, 0, 0, 0, comm[2], stream[2]);
    ncclPutSignal(in[0], 0, ncclInt, 2, to[0], 0, 0, 0, 0, comm[0], stream[0]);
    ncclWaitSignalDesc_t three[] = {{1, 0, 0, 0}, {1, 0, 1, 1}, {1, 2, 0, 0}};
    must(ncclWaitSignal(3, three, comm[1], stream[1]) == ncclSuccess,
         "three waits");
    ncclWaitSignalDesc_t one = {1, 0, 1, 0};
    ncclWaitSignal(1, &one, comm[1], stream[1]);
    one = (ncclWaitSignalDesc_t){1, 0, 0, 0};
    ncclWaitSignal(1, &one, comm[2], stream[2]);
    synchronize("signals");
    ncclGroupStart(); // collectives come first, and messages last
    for (int d = 0; d < DEVICES; d++) {
        const int next = (d + 1) % DEVICES, before = (d + 2) % DEVICES;
        one = (ncclWaitSignalDesc_t){1, before, 1, 1};
        ncclSend(in[d], 6, ncclInt, next, comm[d], stream[d]);
        ncclRecv(out[d], 6, ncclInt, before, comm[d], stream[d]);
        ncclSignal(next, 1, 1, 0, comm[d], stream[d]);
        ncclWaitSignal(1, &one, comm[d], stream[d]);
        ncclAllReduce(in[d], out[d], 6, ncclInt, ncclSum, comm[d], stream[d]);
    }
    must(ncclGroupEnd() == ncclSuccess, "a group with signals");
    synchronize("a group with signals");
    ALL(ncclCommWindowDeregister(comm[d], to[d]));
    ALL(ncclCommWindowDeregister(comm[d], from[d]));
}

/* Each rank's block comes from the root, and goes to another. */
static void blocks(void)
{
    int sent[DEVICES], got[DEVICES];
    for (int d = 0; d < DEVICES; d++)
        sent[d] = 10 + d;
    cudaSetDevice(1);
    cudaMemcpy(in[1], sent, sizeof sent, cudaMemcpyHostToDevice);
    ALL(ncclScatter(in[d], out[d], 1, ncclInt, 1, comm[d], stream[d]));
    ALL(ncclGather(out[d], in[d], 1, ncclInt, 2, comm[d], stream[d]));
    synchronize("blocks");
    cudaMemcpy(got, in[2], sizeof got, cudaMemcpyDeviceToHost);
    must(memcmp(got, sent, sizeof got) == 0, "other blocks");
}

int main(void)
{
    begin();
    collectives();
    order_of_ranks();
    group_of_all();
    group_of_two();
    order_of_split();
    messages();
    registered();
    puts_and_waits();
    configured();
    blocks();
    ALL(ncclCommDestroy(comm[d]));
    ALL(ncclCommDestroy(pair[d]));
}
