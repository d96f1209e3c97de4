/*
 * rewritten.h: words that simnvcc's second step looks for
 *
 * The preprocessor of the first step turns CUDA's words into these, so that
 * they are still there when everything else has been expanded.
 */
#undef __global__
#undef __shared__
#define __global__ SIMGPU_GLOBAL
#define __shared__ SIMGPU_SHARED
