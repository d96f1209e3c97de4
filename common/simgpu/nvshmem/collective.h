/*
 * collective.h: collectives of a team, in a kernel
 */
#ifndef SIMGPU_NVSHMEM_COLLECTIVE_H
#define SIMGPU_NVSHMEM_COLLECTIVE_H

#include "nvshmem/request.h"

void coll_do(const struct request *r);

/* Bytes of a team's flags and posts, in each of its n PEs. */
size_t coll_words_nbytes(int n);

#endif
