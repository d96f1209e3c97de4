/*
 * operand.h: memory that a library's kernel is to read or write
 *
 * The kernels of cuBLAS, cuRAND and cuFFT are code of simgpu's, which no trap
 * guards (heap.h: raw view): the host checks their operands before it enqueues
 * them.
 */
#ifndef SIMGPU_CORE_OPERAND_H
#define SIMGPU_CORE_OPERAND_H

#include "core/heap.h"

struct operand {
    const char *call, *name; /* of the function; of its parameter */
    uint32_t site;           /* where it is called */
    const char *remedy;      /* besides cudaMalloc: ", or ..."; "": none */
    const char *check;       /* what to check if the memory is too short */
};

/*
 * The allocation that has all of nbytes from p on. Memory that no GPU can
 * reach, or that ends too early, is reported and ends the run: on a GPU it
 * would be an illegal address, noticed later.
 */
struct heap_block simgpu_operand_block(const struct operand *o, const void *p,
                                       size_t nbytes);

#endif
