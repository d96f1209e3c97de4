/*
 * collective.h: a team's collectives, in a kernel
 */
#ifndef SIMGPU_NVSHMEM_COLLECTIVE_H
#define SIMGPU_NVSHMEM_COLLECTIVE_H

#include "extras/nvshmem/request.h"

void coll_do(const struct shmem_request *r);

/* Bytes of a team's words and posts in each of its n PEs. */
size_t coll_words_nbytes(int n);

#endif
