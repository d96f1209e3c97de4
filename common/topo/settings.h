/*
 * settings.h: NCCL's environment variables (private to common/topo)
 *
 * topo_settings() gives a variable its effect on the machine, or says that it
 * has none. The rest of this module reads what it left in struct topo.
 */
#ifndef COMMLAB_TOPO_SETTINGS_H
#define COMMLAB_TOPO_SETTINGS_H

#include "topo/machine.h"

/* The names of NCCL's variables without NCCL_, in alphabetical order. */
extern const char *const settings_names[];
extern const int settings_nnames;

/* The name most like this one, or NULL if none is. */
const char *settings_like(const char *name);

/* True if GPUDirect RDMA is off between a GPU and a NIC (local numbers). */
int settings_no_gdr(const struct topo *t, enum machine_reach reach);

/* The share of a communicator's channels that may be used, up to 1. */
double settings_channel_share(const struct topo *t, int channels);

/* Their number, within the limits. */
int settings_channels(const struct topo *t, int channels);

#endif
