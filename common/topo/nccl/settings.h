/*
 * settings.h: NCCL's environment variables (private to common/topo)
 *
 * topo_settings() applies a variable to the machine, or reports that it has no
 * effect. The rest of this module reads the settings from struct topo.
 */
#ifndef COMMLAB_TOPO_NCCL_SETTINGS_H
#define COMMLAB_TOPO_NCCL_SETTINGS_H

#include "topo/machine.h"

/* The rate in GB/s of one flow if NCCL uses sockets between nodes, else 0. */
double settings_socket(const struct topo *t);

/* True if a GPU and a NIC at this distance are too far apart for GPUDirect
 * RDMA, or if NCCL uses sockets. */
int settings_no_gdr(const struct topo *t, enum reach reach);

/* The share of a communicator's channels that may be used, at most 1. */
double settings_channel_share(const struct topo *t, int channels);

/* The number of channels, within the limits. */
int settings_channels(const struct topo *t, int channels);

#endif
