/*
 * config.h: the configuration of a communicator
 */
#ifndef SIMGPU_NCCL_CONFIG_H
#define SIMGPU_NCCL_CONFIG_H

#include <nccl.h>

/*
 * Fill *out from the program's configuration, or if that is NULL from the
 * parent's or the defaults, and from the environment. ncclInvalidArgument for a
 * bad value.
 */
ncclResult_t config_make(const ncclConfig_t *from, const ncclConfig_t *parent,
                         ncclConfig_t *out);

#endif
