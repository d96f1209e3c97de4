#include "nccl/config.h"

#include <stddef.h> /* offsetof */
#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* getenv */
#include <string.h> /* memcpy */

#include "nccl/debug.h"
#include "nccl/hub.h"

static const unsigned MAGIC = 0xcafebeef;
static const size_t GIVEN = offsetof(struct config, name);
_Static_assert(sizeof(ncclConfig_t) <= offsetof(struct config, name) + 4 &&
                   offsetof(ncclConfig_t, nvlinkCentricSched) ==
                       offsetof(struct config, nvlink_centric),
               "NCCL's members, in its order");

/* Members, the NCCL version that added each, and the values it accepts. */
static const struct rule {
    size_t offset;
    int since, low, high;
    const char *name;
} rules[] = {
#define MEMBER(member, since, low, high, name)                                 \
    {                                                                          \
        offsetof(struct config, member), since, low, high, name                \
    }
    MEMBER(blocking, 21400, 0, 1, "blocking"),
    MEMBER(cga_size, 21700, 0, INT_MAX, "cgaClusterSize"),
    MEMBER(min_ctas, 21700, 1, INT_MAX, "min/max channels"),
    MEMBER(max_ctas, 21700, 1, INT_MAX, "min/max channels"),
    MEMBER(split_share, 21803, 0, 1, "splitShare"),
    MEMBER(traffic_class, 22600, INT_MIN, INT_MAX, "trafficClass"),
    MEMBER(collnet, 22700, 0, 1, "collnetEnable"),
    MEMBER(cta_policy, 22700, 0, 3, "policy"),
    MEMBER(shrink_share, 22700, 0, 1, "shrinkShare"),
    MEMBER(nvls_ctas, 22700, 1, INT_MAX, "nvlsCTAs"),
    MEMBER(channels_per_peer, 22800, 1, INT_MAX, "nChannelsPerNetPeer"),
    MEMBER(nvlink_centric, 22800, 0, 1, "nvlinkCentricSched"),
    MEMBER(graph_usage, 22900, 0, 2, "graphUsageMode"),
    MEMBER(rma_contexts, 22900, 1, HUB_SIGNALS, "numRmaCtx"),
    MEMBER(p2p_peers, 23000, 1, INT_MAX, "maxP2pPeers"),
    MEMBER(graph_ordering, 23000, 0, 1, "graphStreamOrdering"),
    MEMBER(launch_order, 23000, 0, 1, "launchOrderImplicit"),
    MEMBER(rma_signals, 23100, 1, HUB_SIGNALS, "numRmaSig"),
    MEMBER(rma_eager, 23100, 0, 1, "rmaEagerInit"),
    MEMBER(host_cft, 23100, 1, 3, "hostCftMode"),
    MEMBER(nvls_mode, 23100, 0, INT_MAX, "nvlsHostMode"),
#undef MEMBER
};
enum { RULES = sizeof rules / sizeof *rules };

static int *member(struct config *c, int i)
{
    return (int *)((char *)c + rules[i].offset);
}

static ncclResult_t check(struct config *c)
{
    for (int i = 0; i < RULES; i++) {
        const int value = *member(c, i);
        if (value != NCCL_CONFIG_UNDEF_INT &&
            (value < rules[i].low || value > rules[i].high))
            return nccl_error(ncclInvalidArgument,
                              "Invalid config %s attribute value %d",
                              rules[i].name, value);
    }
    if (c->min_ctas != NCCL_CONFIG_UNDEF_INT &&
        c->max_ctas != NCCL_CONFIG_UNDEF_INT && c->min_ctas > c->max_ctas)
        return nccl_error(ncclInvalidArgument,
                          "Invalid config min/max channels attribute value "
                          "%d/%d",
                          c->min_ctas, c->max_ctas);
    return ncclSuccess;
}

static struct config undefined(void)
{
    struct config c;
    memset(&c, 0, sizeof c);
    for (int i = 0; i < RULES; i++)
        *member(&c, i) = NCCL_CONFIG_UNDEF_INT;
    return c;
}

static ncclResult_t copy(const ncclConfig_t *from, struct config *out)
{
    // the first member: a program built for an older NCCL passes less
    size_t nbytes;
    memcpy(&nbytes, from, sizeof nbytes);
    memcpy(out, from, nbytes < GIVEN ? nbytes : GIVEN);
    if (out->magic != MAGIC)
        return nccl_error(ncclInvalidArgument,
                          "ncclConfig_t argument not initialized via "
                          "NCCL_CONFIG_INITIALIZER");
    for (int i = 0; i < RULES; i++)
        if ((int)out->version < rules[i].since)
            *member(out, i) = NCCL_CONFIG_UNDEF_INT;
    if (out->version >= 22700 && out->given_name)
        snprintf(out->name, sizeof out->name, "%s", out->given_name);
    return check(out);
}

/* By default there is one context with one signal. */
static ncclResult_t count_signals(struct config *c)
{
    if (c->rma_contexts == NCCL_CONFIG_UNDEF_INT)
        c->rma_contexts = 1;
    if (c->rma_signals == NCCL_CONFIG_UNDEF_INT)
        c->rma_signals = 1;
    if (c->rma_contexts * c->rma_signals > HUB_SIGNALS)
        return nccl_error(ncclInvalidArgument,
                          "numRmaCtx %d times numRmaSig %d: simgpu has %d "
                          "signals",
                          c->rma_contexts, c->rma_signals, HUB_SIGNALS);
    return ncclSuccess;
}

ncclResult_t config_make(const ncclConfig_t *from, const struct config *parent,
                         struct config *out)
{
    *out = parent && !from ? *parent : undefined();
    if (from) {
        const ncclResult_t err = copy(from, out);
        if (err != ncclSuccess)
            return err;
    }
    const char *const env = getenv("NCCL_COMM_BLOCKING");
    if (env && (strcmp(env, "0") == 0 || strcmp(env, "1") == 0))
        out->blocking = *env - '0';
    if (out->blocking == NCCL_CONFIG_UNDEF_INT)
        out->blocking = 1;
    return count_signals(out);
}

int config_channels(const struct config *c, int nchannels)
{
    if (c->min_ctas != NCCL_CONFIG_UNDEF_INT && nchannels < c->min_ctas)
        nchannels = c->min_ctas;
    if (c->max_ctas != NCCL_CONFIG_UNDEF_INT && nchannels > c->max_ctas)
        nchannels = c->max_ctas;
    return nchannels;
}
