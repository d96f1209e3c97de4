/*
 * nvshmem.h: NVSHMEM 3.8, one-sided communication between GPUs
 *
 * Every processing element (PE) is a process with one GPU. nvshmem_malloc()
 * gives all PEs memory of one size, the symmetric heap; with its own pointer
 * into it, a PE names the same bytes on every other. Host code and kernels call
 * the same functions.
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
