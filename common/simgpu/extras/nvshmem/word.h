/*
 * word.h: words by which kernels of different PEs synchronise
 */
#ifndef SIMGPU_NVSHMEM_WORD_H
#define SIMGPU_NVSHMEM_WORD_H

#include <string.h> /* memcpy */

#include "extras/nvshmem/request.h"

/* Run a signal, an atomic operation or a wait in a kernel. */
void word_do(const struct shmem_request *r);

/* A word's contents as bits. */
static inline uint64_t word_bits(const void *p, size_t nbytes)
{
    uint64_t bits = 0;
    memcpy(&bits, p, nbytes);
    return bits;
}

/* True if the condition of a WAIT holds for element i of its array. */
int word_test(const struct shmem_request *r, size_t i);

#endif
