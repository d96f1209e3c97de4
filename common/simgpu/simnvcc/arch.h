/*
 * arch.h: __CUDA_ARCH__
 *
 * nvcc compiles a file twice, with __CUDA_ARCH__ defined for the device. Here
 * host and device code are compiled together. Where a file tests the macro, it
 * is preprocessed both ways, and the two texts are merged: a __device__ or
 * __global__ function has its device text; one that is also __host__ has both,
 * and decides when it runs; everything else has its host text. What only the
 * device's text declares is added (declared.h).
 */
#ifndef SIMNVCC_ARCH_H
#define SIMNVCC_ARCH_H

/* True if one of the user's files behind this preprocessed text names
 * __CUDA_ARCH__. */
int arch_matters(const char *text);

/* The merged text of two preprocessed files. The caller frees it. */
char *arch_merge(const char *host_path, const char *device_path);

#endif
