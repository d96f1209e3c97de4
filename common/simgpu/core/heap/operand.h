/*
 * operand.h: memory that a library's kernel will read or write
 *
 * The kernels of cuBLAS, cuRAND and cuFFT are simgpu's own code, which no trap
 * guards (they use the raw view, see heap.h). The host therefore checks their
 * operands before it enqueues them.
 */
#ifndef SIMGPU_CORE_HEAP_OPERAND_H
#define SIMGPU_CORE_HEAP_OPERAND_H

#include "core/heap/heap.h"

struct operand {
    const char *call, *name; /* names of the function and its parameter */
    uint32_t site;           /* where the function was called */
    int device;              /* whose kernel uses it */
    const char *remedy;      /* besides cudaMalloc: ", or ..."; "": none */
    const char *check;       /* what to check if the memory is too short */
};

/*
 * The allocation that contains all nbytes from p on. Memory that the device
 * cannot reach, or that is too short, ends the run with a report: on a GPU it
 * would be an illegal address, noticed later.
 */
struct heap_block simgpu_operand_block(const struct operand *o, const void *p,
                                       size_t nbytes);

#endif
