/*
 * config.h: the configuration of a communicator
 */
#ifndef SIMGPU_NCCL_CONFIG_H
#define SIMGPU_NCCL_CONFIG_H

#include <nccl.h>

enum { CONFIG_NAME = 64 };

/* ncclConfig_t of NCCL 2.32, regardless of the header that this is compiled
 * with, and copies of the texts that it points to. */
struct config {
    size_t size;
    unsigned magic, version;
    int blocking;
    int cga_size;
    int min_ctas, max_ctas;
    const char *net_name;
    int split_share;
    int traffic_class;
    const char *given_name;
    int collnet;
    int cta_policy;
    int shrink_share;
    int nvls_ctas;
    int channels_per_peer;
    int nvlink_centric;
    int graph_usage;
    int rma_contexts; /* contexts of one-sided messages */
    int p2p_peers;
    int graph_ordering;
    int launch_order;
    int rma_signals; /* signals in each context */
    int rma_eager;
    int host_cft;
    int nvls_mode;
    /* not part of NCCL's struct */
    char name[CONFIG_NAME]; /* commName; "": none */
};

/*
 * Fill in *out from the program's configuration or, if that is NULL, from the
 * parent's or the defaults, and from the environment. Members that the
 * program's version of NCCL lacks count as undefined. Returns
 * ncclInvalidArgument for a bad value.
 */
ncclResult_t config_make(const ncclConfig_t *from, const struct config *parent,
                         struct config *out);

/* How many of these channels the configuration permits. */
int config_channels(const struct config *c, int nchannels);

#endif
