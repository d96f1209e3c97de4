/*
 * nvshmem.h: NVSHMEM 3.8, one-sided communication between GPUs
 *
 * Every processing element (PE) is a process with one GPU. nvshmem_malloc()
 * gives all PEs the same amount of memory, on the symmetric heap. With its own
 * pointer into that heap, a PE identifies the same bytes on every other PE.
 * Host code and kernels call the same functions.
 */
#ifndef SIMGPU_NVSHMEM_H
#define SIMGPU_NVSHMEM_H

#include "nvshmem/host.h"

#include "nvshmem/atomic.h"
#include "nvshmem/coll.h"
#include "nvshmem/rma.h"
#include "nvshmem/team.h"
#include "nvshmem/wait.h"

#endif
