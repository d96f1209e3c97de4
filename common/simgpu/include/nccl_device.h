/*
 * nccl_device.h: NCCL inside kernels
 *
 * Names, semantics, and the members that programs use are those of NCCL 2.28 to
 * 2.32; the code is simgpu's own. handouts/simgpu.md lists what is missing.
 */
#ifndef _NCCL_DEVICE_H_
#define _NCCL_DEVICE_H_

#include "nccl_device/host.h"

#ifdef __cplusplus
#include "nccl_device/ptr.h"
#ifdef __CUDACC__
#include "nccl_device/barrier.h"
#include "nccl_device/cft.h"
#include "nccl_device/cft_barrier.h"
#include "nccl_device/coop.h"
#include "nccl_device/core.h"
#include "nccl_device/gin.h"
#include "nccl_device/gin_barrier.h"
#include "nccl_device/gin_c.h"
#include "nccl_device/ll_a2a.h"
#include "nccl_device/lsa_barrier.h"
#include "nccl_device/reduce_copy.h"
#endif
#endif

#endif
