/*
 * move.h: put, get, fence and quiet, in a kernel
 */
#ifndef SIMGPU_NVSHMEM_MOVE_H
#define SIMGPU_NVSHMEM_MOVE_H

#include "extras/nvshmem/request.h"

void move_do(const struct shmem_request *r);

/* Transfer data for call r of the running kernel, to another
 * PE's memory, or from it. */
void move_out(const struct shmem_request *r, void *to, const void *from,
              size_t nbytes, int later);
void move_in(const struct shmem_request *r, void *to, const void *from,
             size_t nbytes);

#endif
