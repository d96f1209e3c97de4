/*
 * nvshmemx.h: NVIDIA's extensions: variants for streams, warps and blocks,
 * initialisation, collective launches
 *
 * Each variant is declared next to its function.
 */
#ifndef SIMGPU_NVSHMEMX_H
#define SIMGPU_NVSHMEMX_H

#include "nvshmem.h"

#include "nvshmem/extension.h"
#include "nvshmem/qp.h"

#endif
