/*
 * fft_plan.h: a plan: the kind of transform, and the layout of its numbers
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

struct fft_plan {
    int is_made;    /* has a size and a type */
    int is_basic;   /* its layouts are those of packed data */
    int device;     /* current when the plan was created */
    cufftType type; /* for FP16 and BF16: C2C, R2C or C2R */
    enum fft_precision precision;
    size_t n[PLAN_DIMS], batch; /* leading dimensions that it lacks are 1 */
    struct layout in, out;      /* if not is_basic */
    cudaStream_t stream;
};

/* Return this status from a call of the program. A failure counts as ignored if
 * the program discards it. */
cufftResult fft_return_from(cufftResult status, const char *call,
                            const void *return_address);
#define fft_return(status)                                                     \
    fft_return_from(status, __func__, __builtin_return_address(0))

/* Enqueue a transform of a plan that has been made. */
cufftResult fft_plan_run(const struct fft_plan *p, const void *in,
                         const void *out, int sign, const char *name,
                         uint32_t site);

/* Copy a handle's plan. Returns 0 if there is none. */
int fft_plan_find(cufftHandle handle, struct fft_plan *out);

struct fft_shape { /* the arguments of cufftMakePlanMany64() */
    int rank;
    const long long *n, *inembed;
    long long istride, idist;
    const long long *onembed;
    long long ostride, odist;
    cufftType type;
    long long batch;
    enum fft_precision precision; /* ignored if `type` is double */
};

/* Give a shape to a plan that has only been created. */
cufftResult fft_plan_make(cufftHandle handle, const struct fft_shape *s,
                          size_t *workspace);

int fft_plan_reads_real(cufftType type);
int fft_plan_writes_real(cufftType type);

/* The layout of one side of packed data. is_real: its numbers are real; half:
 * it is half a spectrum; in_place: real numbers are stored where the complex
 * ones go, in rows padded accordingly. */
struct layout fft_plan_packed(const struct fft_plan *p, int is_real, int half,
                              int in_place);

#endif
