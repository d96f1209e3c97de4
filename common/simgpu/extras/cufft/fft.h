/*
 * fft.h: Fourier transforms of complex doubles
 *
 * y[k] = sum over i of x[i] exp(sign 2 pi sqrt(-1) i k / n), without a factor.
 */
#ifndef SIMGPU_CUFFT_FFT_H
#define SIMGPU_CUFFT_FFT_H

#include <complex.h>
#include <stddef.h>

/*
 * Transform x, which has n[0] * n[1] * n[2] numbers with the last index
 * fastest, along each dimension, in place. sign is 1 or -1. Returns 0, or -1 if
 * out of memory.
 */
int fft_3d(double complex *x, const size_t n[3], int sign);

#endif
