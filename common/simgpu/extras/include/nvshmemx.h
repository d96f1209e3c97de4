/*
 * nvshmemx.h: NVIDIA's extensions: variants on streams, of warps and of blocks,
 * ways to start, collective launches
 *
 * The variants are declared next to the functions that they are variants of.
 */
#ifndef SIMGPU_NVSHMEMX_H
#define SIMGPU_NVSHMEMX_H

#include "nvshmem.h"

#include "nvshmem/extension.h"
#include "nvshmem/qp.h"

#endif
