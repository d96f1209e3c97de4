/*
 * param.c: NCCL's parameters, as programs query them
 *
 * A parameter's key is the name of its environment variable. The table has
 * those that NCCL documents, with NCCL's defaults; -2 means that NCCL decides.
 */
#include <errno.h>    /* errno */
#include <inttypes.h> /* PRId64 */
#include <stdio.h>    /* snprintf */
#include <stdlib.h>   /* getenv */
#include <string.h>   /* strcmp */

#include "base/mix.h"
#include "nccl/comm.h"

struct ncclParamHandle {
    const char *key;
    int is_text;
    int64_t number; /* default of a number; a text's is "" */
};

// clang-format off
static struct ncclParamHandle params[] = {
    {"NCCL_ALGO", 1, 0},               {"NCCL_BUFFSIZE", 0, -2},
    {"NCCL_CGA_CLUSTER_SIZE", 0, -2},  {"NCCL_CHECK_POINTERS", 0, 0},
    {"NCCL_COLLNET_ENABLE", 0, -2},    {"NCCL_COMM_BLOCKING", 0, -2},
    {"NCCL_CONF_FILE", 1, 0},          {"NCCL_CROSS_NIC", 0, 2},
    {"NCCL_CTA_POLICY", 1, 0},         {"NCCL_CUMEM_ENABLE", 0, -2},
    {"NCCL_CUMEM_HOST_ENABLE", 0, -1}, {"NCCL_DEBUG", 1, 0},
    {"NCCL_DEBUG_FILE", 1, 0},         {"NCCL_DEBUG_SUBSYS", 1, 0},
    {"NCCL_DMABUF_ENABLE", 0, 1},      {"NCCL_GRAPH_MIXING_SUPPORT", 0, 1},
    {"NCCL_GRAPH_REGISTER", 0, 1},     {"NCCL_HOSTID", 1, 0},
    {"NCCL_IB_DISABLE", 0, 0},         {"NCCL_IB_GID_INDEX", 0, -1},
    {"NCCL_IB_HCA", 1, 0},             {"NCCL_IB_QPS_PER_CONNECTION", 0, 1},
    {"NCCL_IB_RETRY_CNT", 0, 7},       {"NCCL_IB_TIMEOUT", 0, 20},
    {"NCCL_LAUNCH_MODE", 1, 0},        {"NCCL_LOCAL_REGISTER", 0, 1},
    {"NCCL_MAX_CTAS", 0, -2},          {"NCCL_MAX_NCHANNELS", 0, -2},
    {"NCCL_MIN_CTAS", 0, -2},          {"NCCL_MIN_NCHANNELS", 0, -2},
    {"NCCL_NET", 1, 0},                {"NCCL_NET_GDR_LEVEL", 1, 0},
    {"NCCL_NET_GDR_READ", 0, -2},      {"NCCL_NET_PLUGIN", 1, 0},
    {"NCCL_NTHREADS", 0, -2},          {"NCCL_NVB_DISABLE", 0, 0},
    {"NCCL_NVLS_ENABLE", 0, 2},        {"NCCL_P2P_DISABLE", 0, 0},
    {"NCCL_P2P_LEVEL", 1, 0},          {"NCCL_PROFILER_PLUGIN", 1, 0},
    {"NCCL_PROTO", 1, 0},              {"NCCL_PXN_DISABLE", 0, 0},
    {"NCCL_RUNTIME_CONNECT", 0, 1},    {"NCCL_SET_THREAD_NAME", 0, 0},
    {"NCCL_SHM_DISABLE", 0, 0},        {"NCCL_SOCKET_FAMILY", 1, 0},
    {"NCCL_SOCKET_IFNAME", 1, 0},      {"NCCL_SOCKET_NTHREADS", 0, -2},
    {"NCCL_TOPO_DUMP_FILE", 1, 0},     {"NCCL_TOPO_FILE", 1, 0},
    {"NCCL_TUNER_PLUGIN", 1, 0},
};
// clang-format on
enum { PARAMS = sizeof params / sizeof *params, TEXT = 4096 };

/* ---- values -------------------------------------------------------------- */

static ncclResult_t check(const struct ncclParamHandle *h, const void *out,
                          const char *call)
{
    if (h < params || h >= params + PARAMS)
        return nccl_error(ncclInvalidArgument,
                          "%s : the handle is not that of a parameter", call);
    return out ? ncclSuccess
               : nccl_error(ncclInvalidArgument, "%s : out argument is NULL",
                            call);
}

/* The number in the environment or, as in NCCL, the default if that is not a
 * number. */
static int64_t number_of(const struct ncclParamHandle *h)
{
    const char *const text = getenv(h->key);
    char *end;
    if (!text || !*text)
        return h->number;
    errno = 0;
    const int64_t value = strtoll(text, &end, 0);
    return errno || *end ? h->number : value;
}

static const char *text_of(const struct ncclParamHandle *h, char *out)
{
    const char *const text = getenv(h->key);
    if (h->is_text)
        snprintf(out, TEXT, "%s", text ? text : "");
    else
        snprintf(out, TEXT, "%" PRId64, number_of(h));
    return out;
}

static ncclResult_t find(const char *key, const char *call,
                         struct ncclParamHandle **out)
{
    for (int i = 0; key && i < PARAMS; i++)
        if (strcmp(params[i].key, key) == 0) {
            *out = &params[i];
            return ncclSuccess;
        }
    return nccl_error(ncclInvalidArgument, "%s : no parameter has the key %s",
                      call, key ? key : "NULL");
}

/* Store a number of `bits` bits to out. */
static ncclResult_t get(const struct ncclParamHandle *h, void *out,
                        const char *call, int bits, int is_signed)
{
    const ncclResult_t err = check(h, out, call);
    if (err != ncclSuccess)
        return err;
    if (h->is_text)
        return nccl_error(ncclInvalidArgument, "%s : %s is not a number", call,
                          h->key);
    const int64_t value = number_of(h);
    const int64_t most =
        bits == 64 ? INT64_MAX : (INT64_C(1) << (bits - is_signed)) - 1;
    const int64_t least = !is_signed ? 0 : bits == 64 ? INT64_MIN : -most - 1;
    if (value < least || value > most)
        return nccl_error(ncclInvalidArgument,
                          "%s : %s is %" PRId64 ", which does not fit", call,
                          h->key, value);
    memcpy(out, &value, (size_t)bits / 8); // little-endian, as CUDA's hosts are
    return ncclSuccess;
}

/* ---- by handle ----------------------------------------------------------- */

ncclResult_t pncclParamBind(ncclParamHandle_t *out, const char *key)
{
    NCCL_ENTER();
    if (!out)
        return nccl_error(ncclInvalidArgument,
                          "ParamBind : out argument is NULL");
    *out = NULL;
    return find(key, "ParamBind", out);
}

#define GETTER(suffix, type, bits, is_signed)                                  \
    ncclResult_t pncclParamGet##suffix(ncclParamHandle_t h, type *out)         \
    {                                                                          \
        return get(h, out, "ParamGet" #suffix, bits, is_signed);               \
    }                                                                          \
    NCCL_ALIAS(ncclParamGet##suffix)

GETTER(I8, int8_t, 8, 1)
GETTER(I16, int16_t, 16, 1)
GETTER(I32, int32_t, 32, 1)
GETTER(I64, int64_t, 64, 1)
GETTER(U8, uint8_t, 8, 0)
GETTER(U16, uint16_t, 16, 0)
GETTER(U32, uint32_t, 32, 0)
GETTER(U64, uint64_t, 64, 0)

ncclResult_t pncclParamGetStr(ncclParamHandle_t h, const char **out)
{
    NCCL_ENTER();
    static _Thread_local char text[TEXT];
    const ncclResult_t err = check(h, out, "ParamGetStr");
    if (err == ncclSuccess)
        *out = text_of(h, text);
    return err;
}

/* Copies the bytes of a number, or a text with its NUL. */
ncclResult_t pncclParamGet(ncclParamHandle_t h, void *out, int maxLen, int *len)
{
    NCCL_ENTER();
    char text[TEXT];
    const ncclResult_t err = check(h, out, "ParamGet");
    if (err != ncclSuccess)
        return err;
    const int64_t number = number_of(h);
    const void *const from = h->is_text ? text_of(h, text) : (void *)&number;
    const size_t nbytes = h->is_text ? strlen(text) + 1 : sizeof number;
    if ((int)nbytes > maxLen)
        return nccl_error(ncclInvalidArgument,
                          "ParamGet : %s has %zu bytes, maxLen is %d", h->key,
                          nbytes, maxLen);
    memcpy(out, from, nbytes);
    if (len)
        *len = (int)nbytes;
    return ncclSuccess;
}

/* ---- by key -------------------------------------------------------------- */

ncclResult_t pncclParamGetParameter(const char *key, const char **value,
                                    int *valueLen)
{
    NCCL_ENTER();
    static _Thread_local char text[TEXT];
    struct ncclParamHandle *h;
    if (!value)
        return nccl_error(ncclInvalidArgument,
                          "ParamGetParameter : value argument is NULL");
    const ncclResult_t err = find(key, "ParamGetParameter", &h);
    if (err != ncclSuccess)
        return err;
    *value = text_of(h, text);
    if (valueLen)
        *valueLen = (int)strlen(text);
    return ncclSuccess;
}

ncclResult_t pncclParamGetAllParameterKeys(const char ***table, int *tableLen)
{
    NCCL_ENTER();
    static _Thread_local const char *keys[PARAMS];
    if (!table || !tableLen)
        return nccl_error(ncclInvalidArgument,
                          "ParamGetAllParameterKeys : an argument is NULL");
    for (int i = 0; i < PARAMS; i++)
        keys[i] = params[i].key;
    *table = keys;
    *tableLen = PARAMS;
    return ncclSuccess;
}

void pncclParamDumpAll(void)
{
    char text[TEXT];
    for (int i = 0; i < PARAMS; i++)
        debug_info(DEBUG_ENV, -1, "%s=%s", params[i].key,
                   text_of(&params[i], text));
}

/* ---- encryption ---------------------------------------------------------- */

/* Processes of one machine don't need encryption. But ranks whose settings
 * differ could not connect, so communicators compare them. */
ncclResult_t pncclSetEncryption(const ncclEncryptionConfig_t *config)
{
    NCCL_ENTER();
    uint64_t secret = 0;
    if (!config)
        return nccl_error(ncclInvalidArgument,
                          "SetEncryption : config argument is NULL");
    if (config->size < sizeof *config || config->magic != NCCL_API_MAGIC)
        return nccl_error(ncclInvalidArgument,
                          "ncclEncryptionConfig_t argument not initialized via "
                          "NCCL_ENCRYPTION_CONFIG_INITIALIZER");
    if (config->mode != NCCL_ENCRYPTION_MODE_NONE &&
        config->mode != NCCL_ENCRYPTION_MODE_PSK)
        return nccl_error(ncclInvalidArgument,
                          "SetEncryption : unknown mode %d", config->mode);
    if (config->mode == NCCL_ENCRYPTION_MODE_PSK) {
        if (!config->psk || !*config->psk)
            return nccl_error(ncclInvalidArgument,
                              "SetEncryption : a pre-shared key is needed");
        secret = 1;
        for (const char *k = config->psk; *k; k++)
            secret = mix_hash(secret ^ (uint64_t)(unsigned char)*k);
    }
    comm_set_secret(secret);
    return ncclSuccess;
}

NCCL_ALIAS(ncclParamBind)
NCCL_ALIAS(ncclParamGetStr)
NCCL_ALIAS(ncclParamGet)
NCCL_ALIAS(ncclParamGetParameter)
NCCL_ALIAS(ncclParamGetAllParameterKeys)
NCCL_ALIAS(ncclParamDumpAll)
NCCL_ALIAS(ncclSetEncryption)
