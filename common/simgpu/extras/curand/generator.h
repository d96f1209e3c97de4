/*
 * generator.h: a generator, and what it does with a call
 *
 * A call draws its numbers at once, so that their order is that of the calls,
 * and enqueues an operation that writes them: a kernel on the generator's
 * stream. A generator of curandCreateGeneratorHost() writes them itself.
 */
#ifndef SIMGPU_CURAND_GENERATOR_H
#define SIMGPU_CURAND_GENERATOR_H

#include <curand.h>

#include "curand/sequence.h"

struct curandGenerator_st {
    uint64_t magic;
    int on_host;
    int device; /* that was current when it was created */
    cudaStream_t stream;
    uint64_t offset;
    int started; /* s is where the next call goes on */
    struct sequence s;
};

/* True for a generator; if it has not started, it does. */
int generator_ready(curandGenerator_t g);

/* Write n results of `size` bytes each to out; takes `results`, from malloc. */
curandStatus_t generator_write(curandGenerator_t g, const char *name,
                               uint32_t site, void *out, void *results,
                               size_t nbytes);

#endif
