/* Configurations, of today and of older headers; parameters; encryption. */
#include <cuda_runtime.h>
#include <nccl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "rule.h"

enum { COUNT = 1000 };

/* ncclConfig_t of NCCL 2.14: programs go on passing it. */
struct config_of_214 {
    size_t size;
    unsigned int magic, version;
    int blocking;
};

static ncclResult_t init(ncclConfig_t *config, ncclComm_t *comm)
{
    ncclUniqueId id;
    ncclGetUniqueId(&id);
    *comm = NULL;
    return ncclCommInitRankConfig(comm, 1, id, 0, config);
}

static int accepts(ncclConfig_t config)
{
    ncclComm_t comm;
    const ncclResult_t err = init(&config, &comm);
    ncclCommDestroy(comm);
    return err == ncclSuccess;
}

#define WITH(member, value)                                                    \
    accepts((config = fresh, config.member = (value), config))

static void check_members(void)
{
    const ncclConfig_t fresh = NCCL_CONFIG_INITIALIZER;
    ncclConfig_t config = fresh;
    RULE(accepts(fresh), "an initialised configuration is accepted");
    RULE(WITH(minCTAs, 2) && WITH(maxCTAs, 4) && WITH(commName, "tensor") &&
             WITH(CTAPolicy, NCCL_CTA_POLICY_ZERO) && WITH(graphUsageMode, 2) &&
             WITH(numRmaSig, 8) && WITH(nvlsHostMode, ncclNvlsHostModeDisable),
         "and so are its members' values");
    RULE(!WITH(magic, 1) && !WITH(minCTAs, 0) && !WITH(CTAPolicy, 4) &&
             !WITH(graphUsageMode, 3) && !WITH(numRmaCtx, 0) &&
             !WITH(rmaEagerInit, 2) && !WITH(hostCftMode, 4),
         "but not those that NCCL refuses");
    config = fresh;
    config.minCTAs = 8;
    config.maxCTAs = 4;
    RULE(!accepts(config), "nor limits that cross");
}

static void check_older(void)
{
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    struct config_of_214 old = {sizeof old, NCCL_API_MAGIC,
                                NCCL_VERSION(2, 14, 3), 1};
    ncclComm_t comm;
    // what lies behind the older struct is not looked at
    memset(&config, 0x55, sizeof config);
    memcpy(&config, &old, sizeof old);
    RULE(accepts(config), "the struct of NCCL 2.14 is accepted");
    ncclConfig_t of_228 = NCCL_CONFIG_INITIALIZER;
    of_228.size = offsetof(ncclConfig_t, graphUsageMode);
    of_228.version = NCCL_VERSION(2, 28, 9);
    of_228.graphUsageMode = 99;
    RULE(accepts(of_228), "and that of 2.28, without the newer members");
    // the version alone says which members the program knows
    config.size = sizeof config;
    RULE(accepts(config), "even if its size says otherwise");
    of_228.size = 8;
    RULE(init(&of_228, &comm) == ncclInvalidArgument,
         "but not one without its magic number");
}

static int sums(ncclComm_t comm, const ncclCollConfig_t *config)
{
    float h[COUNT], *d;
    for (int i = 0; i < COUNT; i++)
        h[i] = (float)i;
    cudaMalloc((void **)&d, sizeof h);
    cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
    const ncclResult_t err =
        ncclAllReduceConfig(d, d, COUNT, ncclFloat, ncclSum, comm, 0, config);
    cudaDeviceSynchronize();
    memset(h, 0, sizeof h);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    cudaFree(d);
    return err == ncclSuccess && h[COUNT - 1] == COUNT - 1;
}

static void check_collectives(void)
{
    ncclCollConfig_t config = NCCL_COLLCONFIG_INITIALIZER;
    ncclConfig_t limited = NCCL_CONFIG_INITIALIZER;
    ncclComm_t comm;
    cudaEvent_t event;
    float *d;
    limited.maxCTAs = 4;
    init(&limited, &comm);
    cudaMalloc((void **)&d, COUNT * sizeof *d);
    RULE(sums(comm, NULL) && sums(comm, &config),
         "a collective takes a configuration, or none");
    RULE(ncclBroadcastConfig(d, d, COUNT, ncclFloat, 0, comm, 0, &config) ==
                 ncclSuccess &&
             ncclReduceConfig(d, d, COUNT, ncclFloat, ncclSum, 0, comm, 0,
                              &config) == ncclSuccess &&
             ncclAllGatherConfig(d, d, COUNT, ncclFloat, comm, 0, &config) ==
                 ncclSuccess &&
             ncclReduceScatterConfig(d, d, COUNT, ncclFloat, ncclSum, comm, 0,
                                     &config) == ncclSuccess &&
             ncclAlltoAllConfig(d, d + COUNT / 2, COUNT / 2, ncclFloat, comm, 0,
                                &config) == ncclSuccess &&
             ncclGatherConfig(d, d, COUNT, ncclFloat, 0, comm, 0, &config) ==
                 ncclSuccess &&
             ncclScatterConfig(d, d, COUNT, ncclFloat, 0, comm, 0, &config) ==
                 ncclSuccess,
         "so do all others");
    cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
    config.launchCompletionEvent = event;
    config.algSelection = "ring,tree";
    config.maxCTAs = 4;
    RULE(sums(comm, &config) && cudaEventQuery(event) == cudaSuccess,
         "its event is recorded");
    config.maxCTAs = 5;
    RULE(!sums(comm, &config), "it stays below the communicator's limit");
    config.maxCTAs = 4;
    config.algSelection = "rnig";
    RULE(!sums(comm, &config), "it names algorithms");
    config.forceAlgSelection = 0;
    RULE(sums(comm, &config), "unless they are only wished for");
    config.magic = 0;
    RULE(!sums(comm, &config), "it is initialised");
    cudaEventDestroy(event);
    cudaFree(d);
    ncclCommDestroy(comm);
}

static void check_params(void)
{
    ncclParamHandle_t h = NULL;
    const char *text = NULL, **keys = NULL;
    int number = 0, n = 0;
    int8_t small;
    uint64_t big = 0;
    setenv("NCCL_IB_TIMEOUT", "22", 1);
    RULE(ncclParamBind(&h, "NCCL_IB_TIMEOUT") == ncclSuccess && h &&
             ncclParamGetI32(h, &number) == ncclSuccess && number == 22 &&
             ncclParamGetU64(h, &big) == ncclSuccess && big == 22,
         "a parameter is what the environment says");
    unsetenv("NCCL_IB_TIMEOUT");
    RULE(ncclParamGetI32(h, &number) == ncclSuccess && number == 20 &&
             ncclParamGetStr(h, &text) == ncclSuccess &&
             strcmp(text, "20") == 0,
         "or its default");
    setenv("NCCL_IB_TIMEOUT", "300", 1);
    RULE(ncclParamGetI8(h, &small) == ncclInvalidArgument,
         "numbers that don't fit are refused");
    RULE(ncclParamBind(&h, "NCCL_NO_SUCH_THING") == ncclInvalidArgument,
         "and so are keys that nobody knows");
    setenv("NCCL_ALGO", "RING", 1);
    RULE(ncclParamGetParameter("NCCL_ALGO", &text, &n) == ncclSuccess &&
             strcmp(text, "RING") == 0 && n == 4,
         "a text is found by its key");
    unsetenv("NCCL_ALGO");
    RULE(ncclParamGetAllParameterKeys(&keys, &n) == ncclSuccess && n > 20 &&
             ncclParamBind(&h, keys[n - 1]) == ncclSuccess,
         "all keys are listed");
    char bytes[4];
    RULE(ncclParamBind(&h, "NCCL_IB_TIMEOUT") == ncclSuccess &&
             ncclParamGet(h, bytes, sizeof bytes, &n) == ncclInvalidArgument &&
             ncclParamGet(h, &big, sizeof big, &n) == ncclSuccess && n == 8 &&
             big == 300,
         "and read as bytes");
    unsetenv("NCCL_IB_TIMEOUT");
    ncclParamDumpAll();
}

/* Two ranks, the second of which is encrypted as it says. */
static ncclResult_t meet(const ncclEncryptionConfig_t *second)
{
    ncclComm_t comms[2] = {NULL, NULL};
    ncclUniqueId id;
    ncclGetUniqueId(&id);
    ncclGroupStart();
    cudaSetDevice(0);
    ncclCommInitRank(&comms[0], 2, id, 0);
    RULE(ncclSetEncryption(second) == ncclSuccess, "encryption is taken");
    cudaSetDevice(1);
    ncclCommInitRank(&comms[1], 2, id, 1);
    const ncclResult_t met = ncclGroupEnd();
    for (int i = 0; i < 2 && met == ncclSuccess; i++)
        ncclCommDestroy(comms[i]);
    cudaSetDevice(0);
    return met;
}

static void check_encryption(void)
{
    ncclEncryptionConfig_t config = NCCL_ENCRYPTION_CONFIG_INITIALIZER;
    RULE(meet(&config) == ncclSuccess, "none is what there is without a word");
    config.mode = NCCL_ENCRYPTION_MODE_PSK;
    RULE(ncclSetEncryption(&config) == ncclInvalidArgument, "needs a key");
    config.psk = "secret";
    RULE(meet(&config) == ncclSystemError,
         "ranks with different keys do not meet");
    config.magic = 0;
    RULE(ncclSetEncryption(&config) == ncclInvalidArgument,
         "its configuration is initialised");
}

int main(void)
{
    check_members();
    check_older();
    check_collectives();
    check_params();
    check_encryption();
    return rule_status();
}
