/*
 * arch.h: __CUDA_ARCH__
 *
 * nvcc compiles a file twice and defines __CUDA_ARCH__ for the device. simnvcc
 * compiles host and device code together. A file that tests the macro is
 * preprocessed both ways, and the two texts are merged: a __device__ or
 * __global__ function gets its device text; one that is also __host__ gets both
 * texts, and selects one when it runs; everything else gets its host text.
 * Declarations that only the device's text has are added (declared.h).
 */
#ifndef SIMNVCC_ARCH_H
#define SIMNVCC_ARCH_H

/* True if one of the user's files in this preprocessed text
 * mentions __CUDA_ARCH__. */
int arch_matters(const char *text);

/* Merge two preprocessed files. The caller frees the text. */
char *arch_merge(const char *host_path, const char *device_path);

#endif
