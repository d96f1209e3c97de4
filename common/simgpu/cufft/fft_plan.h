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

struct plan {
    int is_made;  /* it has a size and a type */
    int is_basic; /* its layouts are those of packed data */
    int device;   /* that was current when it was created */
    cufftType type;
    size_t n[PLAN_DIMS], batch; /* dimensions that it lacks: 1, in front */
    struct layout in, out;      /* unless is_basic */
    cudaStream_t stream;
};

/* A copy of the plan; 0 if there is none of this handle. */
int fft_plan_find(cufftHandle handle, struct plan *out);

int fft_plan_is_double(cufftType type);
int fft_plan_reads_real(cufftType type);
int fft_plan_writes_real(cufftType type);

/* The layout of one side of packed data. is_real: of real numbers; in_place:
 * in the room of complex ones. half: the complex numbers are half a spectrum.
 */
struct layout fft_plan_packed(const struct plan *p, int is_real, int half,
                              int in_place);

#endif
