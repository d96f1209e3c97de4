/*
 * rewritten.h: words that simnvcc's second step looks for
 *
 * The preprocessor of the first step turns CUDA's words into these, so that
 * they are still there when everything else has been expanded.
 */
#undef __global__
#undef __shared__
#undef __device__
#undef __host__
#undef __launch_bounds__
#undef __cluster_dims__
#define __global__             SIMGPU_GLOBAL
#define __shared__             SIMGPU_SHARED
#define __device__             SIMGPU_DEVICE
#define __host__               SIMGPU_HOST
#define __launch_bounds__(...) SIMGPU_BOUNDS(__VA_ARGS__)
#define __cluster_dims__(...)  SIMGPU_CLUSTER(__VA_ARGS__)
