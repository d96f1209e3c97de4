/*
 * prog_nccl32_texts.c: what NCCL says of wrong calls, and its parameters
 *
 * A line for each call: its result, and the text of its error. messages.txt
 * has what is expected.
 */
#include <cuda_runtime.h>
#include <limits.h>
#include <nccl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static ncclComm_t comm;
static float *d;

static void say(const char *call, ncclResult_t result)
{
    printf("%s: %d %s\n", call, (int)result,
           result == ncclSuccess ? "" : ncclGetLastError(comm));
}
#define SAY(call) say(#call, call)

/* ---- constants ----------------------------------------------------------- */

static void results(void)
{
    for (int i = -1; i <= ncclNumResults; i++)
        printf("result %d: %s\n", i, ncclGetErrorString((ncclResult_t)i));
}

static void parameters(void)
{
    const char **keys;
    int n;
    ncclParamGetAllParameterKeys(&keys, &n);
    for (int i = 0; i < n; i++) {
        const char *value = "?";
        int length = -1;
        long long number = -1;
        ncclParamHandle_t h;
        ncclParamGetParameter(keys[i], &value, &length);
        ncclParamBind(&h, keys[i]);
        const ncclResult_t err = ncclParamGetI64(h, (int64_t *)&number);
        printf("%s \"%s\" %d %d %lld\n", keys[i], value, length, (int)err,
               number);
    }
}

/* ---- parameters ---------------------------------------------------------- */

/* What each getter makes of a setting: its bits, or a dash. */
static void getters(const char *setting)
{
    ncclParamHandle_t h;
    int64_t x[8] = {0};
    ncclParamBind(&h, "NCCL_IB_TIMEOUT");
    setenv("NCCL_IB_TIMEOUT", setting, 1);
    const ncclResult_t err[] = {ncclParamGetI8(h, (int8_t *)&x[0]),
                                ncclParamGetI16(h, (int16_t *)&x[1]),
                                ncclParamGetI32(h, (int32_t *)&x[2]),
                                ncclParamGetI64(h, &x[3]),
                                ncclParamGetU8(h, (uint8_t *)&x[4]),
                                ncclParamGetU16(h, (uint16_t *)&x[5]),
                                ncclParamGetU32(h, (uint32_t *)&x[6]),
                                ncclParamGetU64(h, (uint64_t *)&x[7])};
    printf("\"%s\":", setting);
    for (int i = 0; i < 8; i++)
        if (err[i])
            printf(" -");
        else
            printf(" %llx", (unsigned long long)x[i]);
    printf("\n");
    unsetenv("NCCL_IB_TIMEOUT");
}

static void numbers(void)
{
    static const char *const settings[] = {"",
                                           "12x",
                                           "0x10",
                                           "-1",
                                           "127",
                                           "128",
                                           "-128",
                                           "-129",
                                           "255",
                                           "256",
                                           "32767",
                                           "32768",
                                           "-32768",
                                           "-32769",
                                           "65535",
                                           "65536",
                                           "2147483647",
                                           "2147483648",
                                           "-2147483648",
                                           "-2147483649",
                                           "4294967295",
                                           "4294967296",
                                           "9223372036854775807",
                                           "9223372036854775808"};
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        getters(settings[i]);
}

static void bytes(void)
{
    ncclParamHandle_t text, number;
    const char *said = NULL;
    char out[16];
    int n = -1;
    int8_t small;
    SAY(ncclParamBind(&text, "NCCL_ALGO"));
    SAY(ncclParamBind(&number, "NCCL_IB_TIMEOUT"));
    setenv("NCCL_ALGO", "RING", 1);
    SAY(ncclParamGet(text, out, 5, &n));
    printf("%d bytes: %s\n", n, out);
    SAY(ncclParamGet(text, out, 4, &n));
    SAY(ncclParamGet(number, out, 8, NULL));
    SAY(ncclParamGet(number, out, 7, &n));
    SAY(ncclParamGet(number, out, -1, &n));
    SAY(ncclParamGet(number, NULL, 8, &n));
    SAY(ncclParamGetI8(text, &small));
    SAY(ncclParamGetI8(number, NULL));
    SAY(ncclParamGetI8(NULL, &small));
    SAY(ncclParamGetStr(text, NULL));
    SAY(ncclParamGetStr(NULL, &said));
    SAY(ncclParamGetStr(text, &said));
    printf("%s\n", said);
    SAY(ncclParamBind(NULL, "NCCL_ALGO"));
    SAY(ncclParamBind(&text, NULL));
    SAY(ncclParamBind(&text, "NCCL_"));
    SAY(ncclParamGetParameter("NCCL_ALGO", NULL, &n));
    SAY(ncclParamGetParameter("ALGO", &said, &n));
    SAY(ncclParamGetParameter("NCCL_ALGO", &said, NULL));
    const char **keys;
    SAY(ncclParamGetAllParameterKeys(NULL, &n));
    SAY(ncclParamGetAllParameterKeys(&keys, NULL));
    unsetenv("NCCL_ALGO");
}

/* ---- configurations ------------------------------------------------------ */

static void init(const char *name, ncclConfig_t config, int value)
{
    ncclUniqueId id;
    ncclComm_t c = NULL;
    ncclGetUniqueId(&id);
    const ncclResult_t err = ncclCommInitRankConfig(&c, 1, id, 0, &config);
    printf("%s %d: %d %s\n", name, value, (int)err,
           err == ncclSuccess ? "" : ncclGetLastError(NULL));
    ncclCommDestroy(c);
}

/* Values beyond and at the limits of each member. */
static void configurations(void)
{
    static const struct {
        const char *name;
        size_t offset;
        int values[4];
    } members[] = {
#define MEMBER(name, ...)                                                      \
    {                                                                          \
#name, offsetof(ncclConfig_t, name),                                   \
        {                                                                      \
            __VA_ARGS__                                                        \
        }                                                                      \
    }
        MEMBER(blocking, -1, 1, 2, 3),
        MEMBER(cgaClusterSize, -1, 0, 1, INT_MAX),
        MEMBER(minCTAs, -1, 0, 1, 2),
        MEMBER(maxCTAs, -1, 0, 1, INT_MAX),
        MEMBER(splitShare, -1, 0, 1, 2),
        MEMBER(trafficClass, -1, 0, 1, INT_MAX),
        MEMBER(collnetEnable, -1, 0, 1, 2),
        MEMBER(CTAPolicy, -1, 0, 3, 4),
        MEMBER(shrinkShare, -1, 0, 1, 2),
        MEMBER(nvlsCTAs, -1, 0, 1, INT_MAX),
        MEMBER(nChannelsPerNetPeer, -1, 0, 1, INT_MAX),
        MEMBER(nvlinkCentricSched, -1, 0, 1, 2),
        MEMBER(graphUsageMode, -1, 0, 2, 3),
        MEMBER(numRmaCtx, 0, 1, 64, 65),
        MEMBER(numRmaSig, 0, 1, 64, 65),
        MEMBER(maxP2pPeers, -1, 0, 1, INT_MAX),
        MEMBER(rmaEagerInit, -1, 0, 1, 2),
        MEMBER(hostCftMode, 0, 1, 3, 4),
        MEMBER(nvlsHostMode, -1, 0, 1, 2),
#undef MEMBER
    };
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        for (int k = 0; k < 4; k++) {
            ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
            memcpy((char *)&config + members[i].offset, &members[i].values[k],
                   sizeof(int));
            init(members[i].name, config, members[i].values[k]);
        }
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    config.numRmaCtx = 4;
    config.numRmaSig = 16;
    init("signals", config, 64);
    config.numRmaSig = 17;
    init("signals", config, 68);
    config.numRmaCtx = config.numRmaSig = NCCL_CONFIG_UNDEF_INT;
    config.minCTAs = config.maxCTAs = 4;
    init("min = max", config, 4);
    config.minCTAs = 5;
    init("min > max", config, 5);
    config.magic = 0;
    init("magic", config, 0);
}

/* ---- communicators ------------------------------------------------------- */

static void memory_of(ncclComm_t c)
{
    for (int stat = -1; stat <= ncclStatGpuMemTotal + 1; stat++) {
        uint64_t value = 7;
        const ncclResult_t err =
            ncclCommMemStats(c, (ncclCommMemStat_t)stat, &value);
        printf("statistic %d: %d %llu\n", stat, (int)err,
               (unsigned long long)value);
    }
}

/* Below the limit of a communicator of one rank. */
static void limits(void)
{
    ncclConfig_t limited = NCCL_CONFIG_INITIALIZER;
    ncclUniqueId id;
    ncclComm_t one = NULL;
    limited.maxCTAs = 4;
    SAY(ncclGetUniqueId(&id));
    SAY(ncclCommInitRankConfig(&one, 1, id, 0, &limited));
    for (int most = 4; most <= 5; most++) {
        ncclCollConfig_t config = NCCL_COLLCONFIG_INITIALIZER;
        config.maxCTAs = most;
        SAY(ncclAllReduceConfig(d, d, 1, ncclFloat, ncclSum, one, 0, &config));
    }
    SAY(ncclCommDestroy(one));
}

/* Memory of this many bytes holds so many whole granules. */
static void allocating(size_t nbytes, size_t granules)
{
    void *p = NULL;
    const size_t all = granules * NCCL_WIN_REQUIRED_ALIGNMENT;
    printf("%zu bytes: %d", nbytes, ncclMemAlloc(&p, nbytes));
    printf(" %d", cudaMemset(p, 0, all));
    printf(" %d", cudaMemset(p, 0, all + 1));
    printf(" %d", ncclMemFree(p));
    printf(" %d\n", ncclMemFree(p));
}

static void granules(void)
{
    const size_t one = NCCL_WIN_REQUIRED_ALIGNMENT;
    allocating(0, 0);
    allocating(1, 1);
    allocating(one, 1);
    allocating(one + 1, 2);
}

static void suspending(void)
{
    ncclComm_t two[2];
    SAY(ncclCommMemStats(comm, ncclStatGpuMemTotal, NULL));
    SAY(ncclCommResume(comm));
    SAY(ncclCommSuspend(comm, 0));
    SAY(ncclCommSuspend(comm, NCCL_SUSPEND_MEM));
    SAY(ncclCommSuspend(comm, NCCL_SUSPEND_MEM));
    SAY(ncclAllReduce(d, d, 1, ncclFloat, ncclSum, comm, 0));
    memory_of(comm);
    SAY(ncclCommResume(comm));
    ncclCommInitAll(two, 2, NULL);
    memory_of(two[0]);
    ncclCommDestroy(two[0]);
    ncclCommDestroy(two[1]);
}

static void operations(void)
{
    ncclRedOp_t op;
    float one = 1;
    SAY(ncclRedOpCreatePreMulSum(NULL, &one, ncclFloat, ncclScalarHostImmediate,
                                 comm));
    SAY(ncclRedOpCreatePreMulSum(&op, NULL, ncclFloat, ncclScalarHostImmediate,
                                 comm));
    SAY(ncclRedOpCreatePreMulSum(&op, &one, ncclNumTypes,
                                 ncclScalarHostImmediate, comm));
    SAY(ncclRedOpCreatePreMulSum(&op, &one, ncclFloat, (ncclScalarResidence_t)2,
                                 comm));
    SAY(ncclRedOpDestroy((ncclRedOp_t)(ncclNumOps - 1), comm));
    SAY(ncclRedOpDestroy(ncclNumOps, comm));
    SAY(ncclRedOpDestroy((ncclRedOp_t)-1, comm));
    int n = 0;
    while (n < 100000 && ncclRedOpCreatePreMulSum(&op, &one, ncclFloat,
                                                  ncclScalarHostImmediate,
                                                  comm) == ncclSuccess)
        n++;
    printf("%d operations: %s\n", n, ncclGetLastError(comm));
    for (int i = 0; i < n; i++)
        ncclRedOpDestroy((ncclRedOp_t)(ncclNumOps + i), comm);
    const ncclRedOp_t last = (ncclRedOp_t)(ncclNumOps + n - 1);
    SAY(ncclRedOpDestroy(last, comm)); // a second time
    SAY(ncclRedOpDestroy((ncclRedOp_t)(last + 1), comm));
    SAY(ncclRedOpCreatePreMulSum(&op, &one, ncclFloat, ncclScalarHostImmediate,
                                 comm));
    SAY(ncclRedOpDestroy(op, comm));
}

static void calls(void)
{
    ncclUniqueId id;
    int n;
    SAY(ncclGetVersion(NULL));
    SAY(ncclGetUniqueId(NULL));
    ncclGetUniqueId(&id);
    SAY(ncclCommInitRank(NULL, 1, id, 0));
    SAY(ncclCommCount(NULL, &n));
    SAY(ncclCommCount(comm, NULL));
    SAY(ncclCommUserRank(comm, NULL));
    SAY(ncclCommCuDevice(comm, NULL));
    SAY(ncclCommGetAsyncError(comm, NULL));
    SAY(ncclBroadcast(d, d, 1, ncclFloat, 1, comm, 0));
    SAY(ncclBroadcast(d, d, 1, ncclFloat, -1, comm, 0));
    SAY(ncclReduce(d, d, 1, ncclFloat, ncclSum, 1, comm, 0));
    SAY(ncclGather(d, d, 1, ncclFloat, 1, comm, 0));
    SAY(ncclScatter(d, d, 1, ncclFloat, 1, comm, 0));
    SAY(ncclAllReduce(d, d, 1, ncclNumTypes, ncclSum, comm, 0));
    SAY(ncclAllReduce(d, d, 1, ncclFloat, ncclNumOps, comm, 0));
    SAY(ncclAllReduce(d, d, 1, ncclFloat, (ncclRedOp_t)-1, comm, 0));
    SAY(ncclAllReduce(d, d, 1, ncclFloat, ncclSum, NULL, 0));
    SAY(ncclSend(d, 1, ncclFloat, 1, comm, 0));
    SAY(ncclRecv(d, 1, ncclFloat, -1, comm, 0));
    SAY(ncclGroupEnd());
    SAY(ncclCommWindowRegister(comm, d, 4, NULL, 0));
    SAY(ncclCommRegister(comm, d, 4, NULL));
    SAY(ncclMemAlloc(NULL, 4));
}

static void encryption(void)
{
    ncclEncryptionConfig_t config = NCCL_ENCRYPTION_CONFIG_INITIALIZER;
    SAY(ncclSetEncryption(NULL));
    config.mode = 7;
    SAY(ncclSetEncryption(&config));
    config.mode = NCCL_ENCRYPTION_MODE_PSK;
    SAY(ncclSetEncryption(&config));
    config.psk = "";
    SAY(ncclSetEncryption(&config));
    config.size--;
    SAY(ncclSetEncryption(&config));
}

int main(void)
{
    ncclUniqueId id;
    results();
    parameters();
    numbers();
    bytes();
    configurations();
    ncclGetUniqueId(&id);
    SAY(ncclCommInitRank(&comm, 1, id, 0));
    cudaMalloc((void **)&d, 4096);
    calls();
    operations();
    limits();
    granules();
    suspending();
    encryption();
    cudaDeviceSynchronize();
    SAY(ncclCommDestroy(comm));
    return 0;
}
