/*
 * host_defines.h: CUDA's keywords, for a program compiled by a host compiler
 *
 * simnvcc defines them differently.
 */
#ifndef __HOST_DEFINES_H__
#define __HOST_DEFINES_H__

#ifndef __SIMNVCC__
#define __host__
#define __device__
#define __global__
#define __shared__
#define __constant__
#define __managed__
#define __grid_constant__
#define __launch_bounds__(...)
#define __align__(n)    __attribute__((aligned(n)))
#define __forceinline__ __inline__ __attribute__((always_inline))
#endif
#ifndef CUDARTAPI
#define CUDARTAPI
#endif

#endif
