/*
 * exec.c: transforms, each a kernel on its plan's stream
 *
 * A transform costs the bytes of both sides and 5 n log2 n operations, the
 * convention of FFT benchmarks.
 */
#include <math.h>   /* log2 */
#include <stdlib.h> /* malloc */

#include "base/narrow.h"
#include "core/device.h"
#include "core/heap/operand.h"
#include "core/report.h"
#include "core/site.h"
#include "core/stream/deferred.h"
#include "extras/cufft/fft.h"
#include "extras/cufft/fft_plan.h"

struct side { /* one side of a transform: where its numbers are */
    char *at; /* address at which simgpu accesses it */
    int is_real;
    enum fft_precision precision;
    size_t row; /* numbers in a row; fewer in half a spectrum */
    struct layout l;
};

struct fft_op {
    struct op op;
    uint32_t site;
    const char *name;
    struct fft_plan plan;
    struct side in, out;
    int sign;
};

/* Bytes in a real number. */
static size_t real_size(const struct side *s)
{
    return s->precision == FFT_DOUBLE   ? sizeof(double)
           : s->precision == FFT_SINGLE ? sizeof(float)
                                        : sizeof(uint16_t);
}

static size_t size_of(const struct side *s)
{
    return real_size(s) * (s->is_real ? 1 : 2);
}

/* The index of the first element of row (x, y) of transform b. */
static size_t row_at(const struct side *s, size_t b, size_t x, size_t y)
{
    return b * s->l.dist +
           (x * s->l.embed[1] + y) * s->l.embed[2] * s->l.stride;
}

/* ---- on the stream's worker ---------------------------------------------- */

static enum narrow_type narrow_of(const struct side *s)
{
    return s->precision == FFT_FP16 ? NARROW_FP16 : NARROW_BF16;
}

/* Real number i; a complex number counts as two. */
static double load_real(const struct side *s, size_t i)
{
    const void *const p = s->at + i * real_size(s);
    switch (s->precision) {
    case FFT_DOUBLE: return *(const double *)p;
    case FFT_SINGLE: return (double)*(const float *)p;
    default: return (double)narrow_to_float(*(const uint16_t *)p, narrow_of(s));
    }
}

static void store_real(const struct side *s, size_t i, double x)
{
    void *const p = s->at + i * real_size(s);
    switch (s->precision) {
    case FFT_DOUBLE: *(double *)p = x; break;
    case FFT_SINGLE: *(float *)p = (float)x; break;
    default:
        *(uint16_t *)p = (uint16_t)narrow_from_float((float)x, narrow_of(s));
    }
}

static double complex load(const struct side *s, size_t i)
{
    if (s->is_real)
        return load_real(s, i);
    return load_real(s, 2 * i) + load_real(s, 2 * i + 1) * (double complex)I;
}

static void store(const struct side *s, size_t i, double complex z)
{
    if (s->is_real) {
        store_real(s, i, creal(z));
    } else {
        store_real(s, 2 * i, creal(z));
        store_real(s, 2 * i + 1, cimag(z));
    }
}

/* Fill in the other half of a real signal's spectrum: X[-k] is
 * the conjugate of X[k]. */
static void complete(double complex *x, const size_t n[PLAN_DIMS], size_t half)
{
    for (size_t i = 0; i < n[0]; i++)
        for (size_t j = 0; j < n[1]; j++)
            for (size_t k = half; k < n[2]; k++) {
                const size_t from =
                    ((n[0] - i) % n[0] * n[1] + (n[1] - j) % n[1]) * n[2] +
                    n[2] - k;
                x[(i * n[1] + j) * n[2] + k] = conj(x[from]);
            }
}

static int transform(const struct fft_op *f, size_t b, double complex *x)
{
    const size_t *const n = f->plan.n;
    for (size_t i = 0; i < n[0] * n[1]; i++) {
        const size_t at = row_at(&f->in, b, i / n[1], i % n[1]);
        for (size_t k = 0; k < f->in.row; k++)
            x[i * n[2] + k] = load(&f->in, at + k * f->in.l.stride);
    }
    if (f->in.row < n[2])
        complete(x, n, f->in.row);
    if (fft_3d(x, n, f->sign) != 0)
        return -1;
    for (size_t i = 0; i < n[0] * n[1]; i++) {
        const size_t at = row_at(&f->out, b, i / n[1], i % n[1]);
        for (size_t k = 0; k < f->out.row; k++)
            store(&f->out, at + k * f->out.l.stride, x[i * n[2] + k]);
    }
    return 0;
}

static void run_fft(struct op *op)
{
    const struct fft_op *const f = (struct fft_op *)op;
    const size_t *const n = f->plan.n;
    double complex *const x = malloc(n[0] * n[1] * n[2] * sizeof *x);
    int status = x ? 0 : -1;
    for (size_t b = 0; status == 0 && b < f->plan.batch; b++)
        status = transform(f, b, x);
    free(x);
    if (status != 0)
        simgpu_report_fault(
            NULL,
            "%s: out of host memory for %zu x %zu x %zu complex "
            "numbers",
            f->name, n[0], n[1], n[2]);
}

/* ---- on the host --------------------------------------------------------- */

struct touched { /* ranges; adjacent ones are merged */
    struct graph_access *at;
    size_t n, room;
    uint64_t nbytes;
};

static void add(struct touched *t, const struct graph_access *a)
{
    t->nbytes += a->end - a->begin;
    struct graph_access *const last = t->n ? &t->at[t->n - 1] : NULL;
    if (last && last->alloc == a->alloc && last->write == a->write &&
        last->end == a->begin) {
        last->end = a->end;
        return;
    }
    if (t->n == t->room) {
        t->room = t->room ? 2 * t->room : 16;
        t->at = realloc(t->at, t->room * sizeof *t->at);
        if (!t->at)
            simgpu_report_fault(NULL, "out of host memory for a transform");
    }
    t->at[t->n++] = *a;
}

/* Record what one side touches. Returns the place of its memory. */
static int32_t touch(struct fft_op *f, struct touched *t, struct side *s,
                     const char *what, const void *p, int is_output)
{
    const size_t *const n = f->plan.n, size = size_of(s);
    const size_t last = row_at(s, f->plan.batch - 1, n[0] - 1, n[1] - 1) +
                        (s->row - 1) * s->l.stride;
    const struct operand o = {
        .call = f->name,
        .name = what,
        .site = f->site,
        .device = f->plan.device,
        .remedy = "",
        .check =
            "Check the plan's sizes, and that real data in place have rows "
            "of 2 (n / 2 + 1) numbers."};
    const struct heap_block b = simgpu_operand_block(&o, p, (last + 1) * size);
    const size_t run = s->l.stride == 1 ? s->row : 1; // contiguous numbers
    // a transform in place has read its input before it writes there
    const uint32_t how = is_output ? GRAPH_WRITE : GRAPH_READ | GRAPH_FIRST;
    s->at = simgpu_heap_raw(p);
    for (size_t i = 0; i < f->plan.batch * n[0] * n[1]; i++) {
        const size_t at = row_at(s, i / n[1] / n[0], i / n[1] % n[0], i % n[1]);
        for (size_t k = 0; k < s->row; k += run) {
            const uint64_t begin = (uint64_t)((const char *)p - b.base) +
                                   (at + k * s->l.stride) * size;
            add(t, &(struct graph_access){.alloc = b.id,
                                          .begin = begin,
                                          .end = begin + run * size,
                                          .write = how,
                                          .site = f->site});
        }
    }
    return b.place;
}

static struct side side_of(const struct fft_plan *p, int is_output,
                           int in_place)
{
    const int is_real = is_output ? fft_plan_writes_real(p->type)
                                  : fft_plan_reads_real(p->type);
    const int half =
        fft_plan_writes_real(p->type) || fft_plan_reads_real(p->type);
    struct side s = {.is_real = is_real, .precision = p->precision};
    s.row = half && !is_real ? p->n[2] / 2 + 1 : p->n[2];
    s.l = p->is_basic ? fft_plan_packed(p, is_real, half, in_place)
          : is_output ? p->out
                      : p->in;
    return s;
}

static void enqueue(struct fft_op *f, struct stream *s, const void *in,
                    const void *out)
{
    const int32_t place = simgpu_proc_place(f->plan.device);
    const size_t n = f->plan.n[0] * f->plan.n[1] * f->plan.n[2];
    struct touched t = {0};
    const int32_t from = touch(f, &t, &f->in, "idata", in, 0);
    const uint64_t nread = t.nbytes;
    const int32_t to = touch(f, &t, &f->out, "odata", out, 1);
    const struct graph_move moves[] = {{from, place, nread},
                                       {place, to, t.nbytes - nread}};
    f->op.node.latency_ps = simgpu_proc()->costs->kernel_ps;
    f->op.node.flops = 5 * (double)n * log2((double)n) * (double)f->plan.batch;
    f->op.node.math = f->plan.precision == FFT_DOUBLE   ? TOPO_FP64
                      : f->plan.precision == FFT_SINGLE ? TOPO_FP32
                                                        : TOPO_FP16;
    f->op.node.nmoves = 2;
    f->op.node.naccesses = (uint32_t)t.n;
    f->op.moves = moves;
    f->op.accesses = t.at;
    simgpu_stream_submit(s, &f->op, sizeof *f);
    free(t.at);
}

cufftResult fft_plan_run(const struct fft_plan *p, const void *in,
                         const void *out, int sign, const char *name,
                         uint32_t site)
{
    if (sign != CUFFT_FORWARD && sign != CUFFT_INVERSE)
        return CUFFT_INVALID_VALUE;
    struct stream *const s = simgpu_stream_of(p->stream);
    if (!s || simgpu_device_current() != p->device ||
        simgpu_stream_device(s) != p->device ||
        simgpu_device_error(p->device) || simgpu_stream_refuses(s, 0))
        return CUFFT_EXEC_FAILED;
    struct fft_op *const f =
        simgpu_op_new(sizeof *f, run_fft, GRAPH_KERNEL, name, site);
    f->name = name;
    f->site = site;
    f->plan = *p;
    f->sign = sign;
    f->in = side_of(p, 0, in == out);
    f->out = side_of(p, 1, in == out);
    enqueue(f, s, in, out);
    return CUFFT_SUCCESS;
}

static cufftResult execute(cufftHandle handle, cufftType type, const void *in,
                           const void *out, int sign, const char *name,
                           uint32_t site)
{
    struct fft_plan p;
    if (!fft_plan_find(handle, &p) || !p.is_made)
        return CUFFT_INVALID_PLAN;
    if (p.type != type || fft_is_narrow(p.precision))
        return CUFFT_INVALID_TYPE;
    return fft_plan_run(&p, in, out, sign, name, site);
}

#define EXEC(letters, IN, OUT, sign, ...)                                      \
    cufftResult cufftExec##letters(cufftHandle plan, IN *idata, OUT *odata,    \
                                   ##__VA_ARGS__)                              \
    {                                                                          \
        return fft_return(execute(plan, CUFFT_##letters, idata, odata, sign,   \
                                  "cufftExec" #letters, CALLER_SITE()));       \
    }
EXEC(C2C, cufftComplex, cufftComplex, direction, int direction)
EXEC(R2C, cufftReal, cufftComplex, CUFFT_FORWARD)
EXEC(C2R, cufftComplex, cufftReal, CUFFT_INVERSE)
EXEC(Z2Z, cufftDoubleComplex, cufftDoubleComplex, direction, int direction)
EXEC(D2Z, cufftDoubleReal, cufftDoubleComplex, CUFFT_FORWARD)
EXEC(Z2D, cufftDoubleComplex, cufftDoubleReal, CUFFT_INVERSE)
