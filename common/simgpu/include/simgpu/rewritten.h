/*
 * rewritten.h: words that simnvcc's second step looks for
 *
 * In the first step, the preprocessor replaces CUDA's words by these, so that
 * they can still be recognised when everything else has been expanded.
 */
#undef __global__
#undef __shared__
#undef __device__
#undef __host__
#undef __constant__
#undef __managed__
#undef __launch_bounds__
#undef __cluster_dims__
#define __global__             SIMGPU_GLOBAL
#define __shared__             SIMGPU_SHARED
#define __device__             SIMGPU_DEVICE
#define __host__               SIMGPU_HOST
#define __constant__           SIMGPU_CONSTANT
#define __managed__            SIMGPU_MANAGED
#define __launch_bounds__(...) SIMGPU_BOUNDS(__VA_ARGS__)
#define __cluster_dims__(...)  SIMGPU_CLUSTER(__VA_ARGS__)
