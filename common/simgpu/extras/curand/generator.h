/*
 * generator.h: generators and their calls
 *
 * A call draws its numbers at once, so that the order of the numbers is that of
 * the calls, and enqueues a kernel on the generator's stream that writes them.
 * A captured call draws them at each launch of its graph. A generator from
 * curandCreateGeneratorHost() writes them immediately.
 */
#ifndef SIMGPU_CURAND_GENERATOR_H
#define SIMGPU_CURAND_GENERATOR_H

#include <curand.h>

#include "extras/curand/sequence.h"

/* A destroyed generator is kept, since a graph may still refer to it. */
struct curandGenerator_st {
    uint64_t magic;
    int on_host;
    int device; /* current when the generator was created */
    cudaStream_t stream;
    uint64_t offset;
    int started; /* s is where the next call continues */
    struct sequence s;
};

/* Return this status from a call of the program. A failure counts as ignored if
 * the program discards it. */
curandStatus_t generator_return_from(curandStatus_t status, const char *call,
                                     const void *return_address);
#define generator_return(status)                                               \
    generator_return_from(status, __func__, __builtin_return_address(0))

/* Start the generator if it has not started. Returns 0 if
 * g is not a generator. */
int generator_ready(curandGenerator_t g);

/* The stream of a generator's calls; NULL if it, the generator and the current
 * device don't belong together, or if the device or a capture forbids calls. */
struct stream *generator_stream(curandGenerator_t g);

/* Enqueue a kernel that writes nbytes of results to out. Takes over `results`,
 * which comes from malloc. */
void generator_enqueue(curandGenerator_t g, struct stream *s, const char *name,
                       uint32_t site, void *out, void *results, size_t nbytes);

#endif
