/*
 * word.h: words that kernels of different PEs synchronise with
 */
#ifndef SIMGPU_NVSHMEM_WORD_H
#define SIMGPU_NVSHMEM_WORD_H

#include <string.h> /* memcpy */

#include "nvshmem/request.h"

/* In a kernel: a signal, an atomic operation, a wait. */
void word_do(const struct request *r);

/* What a word holds, by bits. */
static inline uint64_t word_bits(const void *p, size_t nbytes)
{
    uint64_t bits = 0;
    memcpy(&bits, p, nbytes);
    return bits;
}

/* Of element i of the array that a WAIT is for: whether the condition holds. */
int word_test(const struct request *r, size_t i);

#endif
