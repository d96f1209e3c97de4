/*
 * fft_plan.h: what a transform does, and where its numbers lie
 */
#ifndef SIMGPU_CUFFT_FFT_PLAN_H
#define SIMGPU_CUFFT_FFT_PLAN_H

#include <cufft.h>
#include <stddef.h>
#include <stdint.h>

enum { PLAN_DIMS = 3 };

struct layout { /* in elements: cufftPlanMany() in cufft.h */
    size_t embed[PLAN_DIMS], stride, dist;
};

/* The precision of a plan's numbers. */
enum fft_precision { FFT_SINGLE, FFT_DOUBLE, FFT_FP16, FFT_BF16 };

static inline int fft_is_narrow(enum fft_precision p)
{
    return p == FFT_FP16 || p == FFT_BF16;
}

struct plan {
    int is_made;    /* it has a size and a type */
    int is_basic;   /* its layouts are those of packed data */
    int device;     /* that was current when it was created */
    cufftType type; /* of FP16 and BF16: C2C, R2C or C2R */
    enum fft_precision precision;
    size_t n[PLAN_DIMS], batch; /* dimensions that it lacks: 1, in front */
    struct layout in, out;      /* unless is_basic */
    cudaStream_t stream;
};

/* Enqueue a transform of a plan that is made. */
cufftResult fft_plan_run(const struct plan *p, const void *in, const void *out,
                         int sign, const char *name, uint32_t site);

/* A copy of the plan; 0 if there is none of this handle. */
int fft_plan_find(cufftHandle handle, struct plan *out);

struct fft_shape { /* the arguments of cufftMakePlanMany64() */
    int rank;
    const long long *n, *inembed;
    long long istride, idist;
    const long long *onembed;
    long long ostride, odist;
    cufftType type;
    long long batch;
    enum fft_precision precision; /* FFT_SINGLE: the type's */
};

/* Give a plan that was only created its shape. */
cufftResult fft_plan_make(cufftHandle handle, const struct fft_shape *s,
                          size_t *workspace);

int fft_plan_reads_real(cufftType type);
int fft_plan_writes_real(cufftType type);

/* The layout of one side of packed data. is_real: of real numbers; in_place:
 * in the room of complex ones. half: the complex numbers are half a spectrum.
 */
struct layout fft_plan_packed(const struct plan *p, int is_real, int half,
                              int in_place);

#endif
