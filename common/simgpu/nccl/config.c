#include "nccl/config.h"

#include <stddef.h> /* offsetof */
#include <stdlib.h> /* getenv */
#include <string.h> /* memcpy */

#include "nccl/debug.h"

static const unsigned MAGIC = 0xcafebeef;

/* Members and the values that NCCL accepts. Only `blocking` has an effect here:
 * the modelled machine decides the others. */
static const struct rule {
    size_t offset;
    int low, high;
    const char *name;
} rules[] = {
    {offsetof(ncclConfig_t, blocking), 0, 1, "blocking"},
    {offsetof(ncclConfig_t, cgaClusterSize), 0, INT_MAX, "cgaClusterSize"},
    {offsetof(ncclConfig_t, minCTAs), 1, INT_MAX, "min/max channels"},
    {offsetof(ncclConfig_t, maxCTAs), 1, INT_MAX, "min/max channels"},
    {offsetof(ncclConfig_t, splitShare), 0, 1, "splitShare"},
    {offsetof(ncclConfig_t, collnetEnable), 0, 1, "collnetEnable"},
    {offsetof(ncclConfig_t, CTAPolicy), 0, 3, "policy"},
    {offsetof(ncclConfig_t, shrinkShare), 0, 1, "shrinkShare"},
    {offsetof(ncclConfig_t, nvlsCTAs), 1, INT_MAX, "nvlsCTAs"},
    {offsetof(ncclConfig_t, nChannelsPerNetPeer), 1, INT_MAX,
     "nChannelsPerNetPeer"},
    {offsetof(ncclConfig_t, nvlinkCentricSched), 0, 1, "nvlinkCentricSched"},
};

static ncclResult_t check(const ncclConfig_t *c)
{
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        int value;
        memcpy(&value, (const char *)c + rules[i].offset, sizeof value);
        if (value != NCCL_CONFIG_UNDEF_INT &&
            (value < rules[i].low || value > rules[i].high))
            return nccl_error(ncclInvalidArgument,
                              "Invalid config %s attribute value %d",
                              rules[i].name, value);
    }
    if (c->minCTAs != NCCL_CONFIG_UNDEF_INT &&
        c->maxCTAs != NCCL_CONFIG_UNDEF_INT && c->minCTAs > c->maxCTAs)
        return nccl_error(ncclInvalidArgument,
                          "Invalid config min/max channels attribute value "
                          "%d/%d",
                          c->minCTAs, c->maxCTAs);
    return ncclSuccess;
}

ncclResult_t config_make(const ncclConfig_t *from, const ncclConfig_t *parent,
                         ncclConfig_t *out)
{
    const ncclConfig_t defaults = NCCL_CONFIG_INITIALIZER;
    *out = parent ? *parent : defaults;
    if (from) {
        size_t nbytes; // the first member: a struct of an older NCCL is shorter
        memcpy(&nbytes, from, sizeof nbytes);
        *out = defaults;
        out->magic = 0; // the program must set it
        memcpy(out, from, nbytes < sizeof *out ? nbytes : sizeof *out);
        if (out->magic != MAGIC)
            return nccl_error(ncclInvalidArgument,
                              "ncclConfig_t argument not initialized via "
                              "NCCL_CONFIG_INITIALIZER");
        const ncclResult_t err = check(out);
        if (err != ncclSuccess)
            return err;
    }
    const char *const env = getenv("NCCL_COMM_BLOCKING");
    if (env && (strcmp(env, "0") == 0 || strcmp(env, "1") == 0))
        out->blocking = *env - '0';
    if (out->blocking == NCCL_CONFIG_UNDEF_INT)
        out->blocking = 1;
    return ncclSuccess;
}
