/*
 * generate.c: numbers of each distribution
 *
 * Results are made in units: one result, or a pair of normal ones. With XORWOW,
 * a unit takes the next numbers of one lane. With Philox, every result takes
 * the numbers at positions that its own position determines.
 */
#define _GNU_SOURCE
#include <math.h>   /* sincos */
#include <stdlib.h> /* malloc */
#include <string.h> /* memcpy */

#include "core/report.h"
#include "core/site.h"
#include "core/stream/deferred.h"
#include "extras/curand/generator.h"
#include "simgpu/poisson.h"

/* ---- converting integers ------------------------------------------------- */

static float uniform(uint32_t x)
{
    return (float)x * 2.3283064e-10f + 2.3283064e-10f / 2;
}

/* A double with 53 bits from two integers. */
static double uniform_double(const uint32_t x[2])
{
    const uint64_t z = x[0] ^ (uint64_t)x[1] << 21;
    return (double)z * 1.1102230246251565e-16 + 1.1102230246251565e-16 / 2;
}

/* Two normal numbers from two uniform ones, by the Box-Muller transform. */
static void normal(const uint32_t x[2], float out[2])
{
    const float turn = 2.3283064e-10f * 6.2831855f;
    const float angle = (float)x[1] * turn + turn / 2;
    const float radius = sqrtf(-2.0f * logf(uniform(x[0])));
    out[0] = sinf(angle) * radius;
    out[1] = cosf(angle) * radius;
}

static void normal_double(const uint32_t x[4], double out[2])
{
    const double angle = 2 * M_PI * uniform_double(x + 2);
    const double radius = sqrt(-2.0 * log(uniform_double(x)));
    out[0] = sin(angle) * radius;
    out[1] = cos(angle) * radius;
}

/* ---- calls --------------------------------------------------------------- */

enum kind { INTEGER, UNIFORM, UNIFORM_DOUBLE, NORMAL, NORMAL_DOUBLE, POISSON };

static const struct {
    int numbers, results; /* in a unit */
    size_t size;          /* bytes in a result */
} units[] = {
    [INTEGER] = {1, 1, sizeof(uint32_t)},
    [UNIFORM] = {1, 1, sizeof(float)},
    [UNIFORM_DOUBLE] = {2, 1, sizeof(double)},
    [NORMAL] = {2, 2, sizeof(float)},
    [NORMAL_DOUBLE] = {4, 2, sizeof(double)},
    [POISSON] = {2, 1, sizeof(uint32_t)},
};

#define MOST_LAMBDA 400000 /* cuRAND's limit for Poisson numbers */

struct call {
    const char *name;
    uint32_t site;
    enum kind kind;
    double mean, stddev; /* mean is also POISSON's */
    int exponential;     /* the result is e to the power of the number */
};

union result {
    uint32_t i;
    float f;
    double d;
};

static void convert(const struct call *c, const uint32_t *x, union result *out)
{
    float f[2];
    double d[2];
    switch (c->kind) {
    case INTEGER: out[0].i = x[0]; break;
    case UNIFORM: out[0].f = uniform(x[0]); break;
    case UNIFORM_DOUBLE: out[0].d = uniform_double(x); break;
    case POISSON: out[0].i = simgpu_poisson(uniform_double(x), c->mean); break;
    case NORMAL:
        normal(x, f);
        for (int i = 0; i < 2; i++) {
            out[i].f = (float)c->mean + (float)c->stddev * f[i];
            out[i].f = c->exponential ? expf(out[i].f) : out[i].f;
        }
        break;
    case NORMAL_DOUBLE:
        normal_double(x, d);
        for (int i = 0; i < 2; i++) {
            out[i].d = c->mean + c->stddev * d[i];
            out[i].d = c->exponential ? exp(out[i].d) : out[i].d;
        }
    }
}

/*
 * Get the numbers for Philox's result at s->at. A lane gives four results in a
 * row: for doubles, two from its next four numbers and two from the four after
 * these. An offset, however, skips four numbers in each lane, even for doubles,
 * as in cuRAND.
 */
static void draw_philox(const struct sequence *s, int per_result, uint32_t *x)
{
    const uint64_t visit = s->at / 4 / PHILOX_LANES;
    const uint64_t lane = s->at / 4 % PHILOX_LANES, k = s->at % 4;
    const uint64_t skipped =
        (s->start / 4 + PHILOX_LANES - 1 - lane) / PHILOX_LANES;
    uint64_t first = s->at & ~(uint64_t)1;
    if (per_result == 2)
        first = ((2 * visit - skipped + k / 2) * PHILOX_LANES + lane) * 4;
    for (unsigned i = 0; i < 4; i++)
        x[i] = sequence_number(s, first + i);
}

/* Get the numbers for the next unit. Returns the index of
 * the next result in it. */
static int draw(struct sequence *s, int numbers, int results, uint32_t *x)
{
    if (!s->is_philox) {
        sequence_turn(s, x, numbers);
        return 0;
    }
    const int odd = (int)(s->at % 2);
    draw_philox(s, numbers / results, x);
    for (int i = 0; results == 1 && i < numbers; i++)
        x[i] = x[odd * numbers + i];
    return results == 1 ? 0 : odd;
}

static void fill(struct sequence *s, const struct call *c, char *to, size_t n)
{
    const int results = units[c->kind].results;
    const size_t size = units[c->kind].size;
    for (size_t i = 0; i < n;) {
        uint32_t x[4];
        union result r[2];
        int k = draw(s, units[c->kind].numbers, results, x);
        convert(c, x, r);
        for (; k < results && i < n; k++, i++, s->at++)
            memcpy(to + i * size, &r[k], size);
    }
}

static char *drawn(curandGenerator_t g, size_t n, const struct call *c)
{
    char *const results = malloc(n * units[c->kind].size + 1);
    if (results)
        fill(&g->s, c, results, n);
    return results;
}

/* ---- captured calls ------------------------------------------------------ */

struct captured {
    curandGenerator_t g;
    void *out;
    size_t n;
    struct call call;
};

static void launch(void *captured, void *stream)
{
    const struct captured *const d = captured;
    const struct call *const c = &d->call;
    char site[256];
    if (!generator_ready(d->g))
        simgpu_report_fault(
            NULL,
            "%s at %s: the graph was captured with a generator that "
            "has been destroyed since.\nKeep it as long as a graph uses it.",
            c->name, simgpu_site_text(c->site, site, sizeof site));
    generator_enqueue(
        d->g, stream, c->name, c->site, d->out,
        simgpu_need(drawn(d->g, d->n, c), "%zu random numbers", d->n),
        d->n * units[c->kind].size);
}

static curandStatus_t capture(curandGenerator_t g, struct stream *s, void *out,
                              size_t n, const struct call *c)
{
    struct captured *const d = malloc(sizeof *d);
    if (!d)
        return CURAND_STATUS_ALLOCATION_FAILED;
    *d = (struct captured){g, out, n, *c};
    const struct stream_work work = {.name = c->name,
                                     .site = c->site,
                                     .kind = STREAM_WORK_KERNEL,
                                     .enqueue = launch,
                                     .release = free,
                                     .arg = d};
    if (simgpu_stream_defer(&s, 1, &work) == 0)
        return CURAND_STATUS_SUCCESS;
    free(d);
    return CURAND_STATUS_LAUNCH_FAILURE;
}

/* ---- calls --------------------------------------------------------------- */

static curandStatus_t generate(curandGenerator_t g, void *out, size_t n,
                               const struct call *c)
{
    const size_t nbytes = n * units[c->kind].size;
    if (!generator_ready(g))
        return CURAND_STATUS_NOT_INITIALIZED;
    if (!g->s.is_philox && n % (size_t)units[c->kind].results)
        return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
    if (n > 0 && c->kind == POISSON && !(c->mean > 0 && c->mean <= MOST_LAMBDA))
        return CURAND_STATUS_OUT_OF_RANGE;
    const int on_stream = !g->on_host && nbytes;
    struct stream *const s = on_stream ? generator_stream(g) : NULL;
    if (on_stream && !s)
        return CURAND_STATUS_LAUNCH_FAILURE;
    if (s && simgpu_stream_capture(s))
        return capture(g, s, out, n, c);
    char *const results = drawn(g, n, c);
    if (!results)
        return CURAND_STATUS_ALLOCATION_FAILED;
    if (s) {
        generator_enqueue(g, s, c->name, c->site, out, results, nbytes);
        return CURAND_STATUS_SUCCESS;
    }
    memcpy(out, results, nbytes);
    free(results);
    return CURAND_STATUS_SUCCESS;
}

#define GENERATE(...)                                                          \
    return generator_return(                                                   \
        generate(generator, outputPtr, n,                                      \
                 &(struct call){__func__, CALLER_SITE(), __VA_ARGS__}))

curandStatus_t curandGenerate(curandGenerator_t generator,
                              unsigned int *outputPtr, size_t n)
{
    GENERATE(INTEGER, 0, 0, 0);
}

curandStatus_t curandGenerateUniform(curandGenerator_t generator,
                                     float *outputPtr, size_t n)
{
    GENERATE(UNIFORM, 0, 0, 0);
}

curandStatus_t curandGenerateUniformDouble(curandGenerator_t generator,
                                           double *outputPtr, size_t n)
{
    GENERATE(UNIFORM_DOUBLE, 0, 0, 0);
}

curandStatus_t curandGenerateNormal(curandGenerator_t generator,
                                    float *outputPtr, size_t n, float mean,
                                    float stddev)
{
    GENERATE(NORMAL, (double)mean, (double)stddev, 0);
}

curandStatus_t curandGenerateNormalDouble(curandGenerator_t generator,
                                          double *outputPtr, size_t n,
                                          double mean, double stddev)
{
    GENERATE(NORMAL_DOUBLE, mean, stddev, 0);
}

curandStatus_t curandGenerateLogNormal(curandGenerator_t generator,
                                       float *outputPtr, size_t n, float mean,
                                       float stddev)
{
    GENERATE(NORMAL, (double)mean, (double)stddev, 1);
}

curandStatus_t curandGenerateLogNormalDouble(curandGenerator_t generator,
                                             double *outputPtr, size_t n,
                                             double mean, double stddev)
{
    GENERATE(NORMAL_DOUBLE, mean, stddev, 1);
}

curandStatus_t curandGeneratePoisson(curandGenerator_t generator,
                                     unsigned int *outputPtr, size_t n,
                                     double lambda)
{
    GENERATE(POISSON, lambda, 0, 0);
}
