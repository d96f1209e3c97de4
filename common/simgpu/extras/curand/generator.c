#include "extras/curand/generator.h"

#include <stdio.h>  /* fprintf */
#include <stdlib.h> /* calloc */
#include <string.h> /* memcpy */

#include "core/device.h"
#include "core/heap/operand.h"
#include "core/host.h"
#include "core/site.h"
#include "core/stream/deferred.h"
#include "core/stream/op.h"
#include "core/watch/ignored.h"

#define MAGIC       UINT64_C(0x636f6d6d6c637264)
#define PHILOX_SEED UINT64_C(0xdeadbeefdeadbeef)

/* ---- results ------------------------------------------------------------- */

static const char *name_of(curandStatus_t status)
{
    switch (status) {
    case CURAND_STATUS_NOT_INITIALIZED: return "CURAND_STATUS_NOT_INITIALIZED";
    case CURAND_STATUS_TYPE_ERROR: return "CURAND_STATUS_TYPE_ERROR";
    case CURAND_STATUS_OUT_OF_RANGE: return "CURAND_STATUS_OUT_OF_RANGE";
    case CURAND_STATUS_LENGTH_NOT_MULTIPLE:
        return "CURAND_STATUS_LENGTH_NOT_MULTIPLE";
    case CURAND_STATUS_LAUNCH_FAILURE: return "CURAND_STATUS_LAUNCH_FAILURE";
    default: return "a failure of cuRAND";
    }
}

curandStatus_t generator_return_from(curandStatus_t status, const char *call,
                                     const void *return_address)
{
    if (status != CURAND_STATUS_SUCCESS)
        simgpu_ignored_note_library(IGNORED_CURAND, call, name_of(status),
                                    return_address);
    return status;
}

/* ---- creating and destroying --------------------------------------------- */

static curandStatus_t create(curandGenerator_t *out, curandRngType_t type,
                             int on_host, const char *name, uint32_t site)
{
    char where[256];
    simgpu_host_call(name, site);
    if (!out)
        return CURAND_STATUS_NOT_INITIALIZED;
    if (type != CURAND_RNG_PSEUDO_DEFAULT && type != CURAND_RNG_PSEUDO_XORWOW &&
        type != CURAND_RNG_PSEUDO_PHILOX4_32_10) {
        fprintf(stderr,
                "simgpu: %s at %s: simgpu has no generator %d, only "
                "CURAND_RNG_PSEUDO_XORWOW and _PHILOX4_32_10\n",
                name, simgpu_site_text(site, where, sizeof where), (int)type);
        return CURAND_STATUS_TYPE_ERROR;
    }
    struct curandGenerator_st *const g = calloc(1, sizeof *g);
    if (!g)
        return CURAND_STATUS_ALLOCATION_FAILED;
    g->s.is_philox = type == CURAND_RNG_PSEUDO_PHILOX4_32_10;
    g->s.seed = g->s.is_philox ? PHILOX_SEED : 0;
    g->s.lanes = malloc(XORWOW_LANES * sizeof *g->s.lanes);
    g->magic = MAGIC;
    g->on_host = on_host;
    g->device = simgpu_device_current();
    if (!g->s.lanes) {
        free(g);
        return CURAND_STATUS_ALLOCATION_FAILED;
    }
    *out = g;
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandCreateGenerator(curandGenerator_t *generator,
                                     curandRngType_t rng_type)
{
    return generator_return(
        create(generator, rng_type, 0, "curandCreateGenerator", CALLER_SITE()));
}

curandStatus_t curandCreateGeneratorHost(curandGenerator_t *generator,
                                         curandRngType_t rng_type)
{
    return generator_return(create(generator, rng_type, 1,
                                   "curandCreateGeneratorHost", CALLER_SITE()));
}

static int is_generator(curandGenerator_t g)
{
    return g && g->magic == MAGIC;
}

curandStatus_t curandDestroyGenerator(curandGenerator_t generator)
{
    if (!is_generator(generator))
        return generator_return(CURAND_STATUS_NOT_INITIALIZED);
    generator->magic = 0;
    free(generator->s.lanes);
    generator->s.lanes = NULL;
    return generator_return(CURAND_STATUS_SUCCESS);
}

/* ---- settings ------------------------------------------------------------ */

curandStatus_t curandGetVersion(int *version)
{
    if (!version)
        return CURAND_STATUS_OUT_OF_RANGE;
    *version = CURAND_VERSION;
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandGetProperty(libraryPropertyType type, int *value)
{
    static const int version[] = {[MAJOR_VERSION] = CURAND_VER_MAJOR,
                                  [MINOR_VERSION] = CURAND_VER_MINOR,
                                  [PATCH_LEVEL] = CURAND_VER_PATCH};
    if (!value || (unsigned)type > PATCH_LEVEL)
        return CURAND_STATUS_OUT_OF_RANGE;
    *value = version[type];
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandSetStream(curandGenerator_t generator, cudaStream_t stream)
{
    if (!is_generator(generator))
        return generator_return(CURAND_STATUS_NOT_INITIALIZED);
    generator->stream = stream;
    return generator_return(CURAND_STATUS_SUCCESS);
}

curandStatus_t curandSetPseudoRandomGeneratorSeed(curandGenerator_t generator,
                                                  unsigned long long seed)
{
    if (!is_generator(generator))
        return generator_return(CURAND_STATUS_NOT_INITIALIZED);
    if (generator->started && seed == generator->s.seed)
        return generator_return(CURAND_STATUS_SUCCESS);
    if (generator->started)
        generator->offset += sequence_turns(&generator->s);
    generator->s.seed = seed;
    generator->started = 0;
    return generator_return(CURAND_STATUS_SUCCESS);
}

curandStatus_t curandSetGeneratorOffset(curandGenerator_t generator,
                                        unsigned long long offset)
{
    if (!is_generator(generator))
        return generator_return(CURAND_STATUS_NOT_INITIALIZED);
    generator->offset = offset;
    generator->started = 0;
    return generator_return(CURAND_STATUS_SUCCESS);
}

curandStatus_t curandSetGeneratorOrdering(curandGenerator_t generator,
                                          curandOrdering_t order)
{
    if (!is_generator(generator))
        return generator_return(CURAND_STATUS_NOT_INITIALIZED);
    return generator_return(
        order == CURAND_ORDERING_PSEUDO_BEST ||
                order == CURAND_ORDERING_PSEUDO_DEFAULT ||
                order == CURAND_ORDERING_PSEUDO_LEGACY ||
                (order == CURAND_ORDERING_PSEUDO_DYNAMIC && !generator->on_host)
            ? CURAND_STATUS_SUCCESS
            : CURAND_STATUS_OUT_OF_RANGE);
}

int generator_ready(curandGenerator_t g)
{
    if (!is_generator(g))
        return 0;
    if (!g->started)
        sequence_start(&g->s, g->offset);
    g->started = 1;
    return 1;
}

curandStatus_t curandGenerateSeeds(curandGenerator_t generator)
{
    return generator_return(generator_ready(generator)
                                ? CURAND_STATUS_SUCCESS
                                : CURAND_STATUS_NOT_INITIALIZED);
}

/* ---- writing ------------------------------------------------------------- */

struct write_op {
    struct op op;
    void *to, *results; /* to: address at which simgpu accesses it */
    size_t nbytes;
};

static void run_write(struct op *op)
{
    const struct write_op *const w = (struct write_op *)op;
    memcpy(w->to, w->results, w->nbytes);
}

static void release_write(struct op *op)
{
    free(((struct write_op *)op)->results);
    free(op);
}

struct stream *generator_stream(curandGenerator_t g)
{
    struct stream *const s = simgpu_stream_of(g->stream);
    return s && simgpu_device_current() == g->device &&
                   simgpu_stream_device(s) == g->device &&
                   !simgpu_device_error(g->device) &&
                   !simgpu_stream_refuses(s, 0)
               ? s
               : NULL;
}

void generator_enqueue(curandGenerator_t g, struct stream *s, const char *name,
                       uint32_t site, void *out, void *results, size_t nbytes)
{
    const struct operand o = {
        .call = name,
        .name = "the output",
        .site = site,
        .device = g->device,
        .remedy = ", or create the generator with curandCreateGeneratorHost",
        .check = "Check the count and its type."};
    const struct heap_block b = simgpu_operand_block(&o, out, nbytes);
    const uint64_t begin = (uint64_t)((const char *)out - b.base);
    const int32_t place = simgpu_proc_place(g->device);
    const struct graph_move move = {place, b.place, nbytes};
    const struct graph_access access = {.alloc = b.id,
                                        .begin = begin,
                                        .end = begin + nbytes,
                                        .write = 1,
                                        .site = site};
    struct write_op *const w =
        simgpu_op_new(sizeof *w, run_write, GRAPH_KERNEL, name, site);
    w->op.release = release_write;
    w->to = simgpu_heap_raw(out);
    w->results = results;
    w->nbytes = nbytes;
    w->op.node.latency_ps = simgpu_proc()->costs->kernel_ps;
    w->op.node.nmoves = w->op.node.naccesses = 1;
    w->op.moves = &move;
    w->op.accesses = &access;
    simgpu_stream_enqueue(s, &w->op);
}
