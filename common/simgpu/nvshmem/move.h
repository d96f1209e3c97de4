/*
 * move.h: put, get, fence and quiet, in a kernel
 */
#ifndef SIMGPU_NVSHMEM_MOVE_H
#define SIMGPU_NVSHMEM_MOVE_H

#include "nvshmem/request.h"

void move_do(const struct request *r);

/* Transfers of the running kernel, for the call r: to another PE's memory, and
 * from it. */
void move_out(const struct request *r, void *to, const void *from,
              size_t nbytes, int later);
void move_in(const struct request *r, void *to, const void *from,
             size_t nbytes);

#endif
