/* cub/config.cuh: macros that CUB's headers and programs use */
#ifndef SIMGPU_CUB_CONFIG_CUH
#define SIMGPU_CUB_CONFIG_CUH

#include "cuda_runtime.h"

#define CUB_VERSION          300001
#define CUB_MAJOR_VERSION    (CUB_VERSION / 100000)
#define CUB_MINOR_VERSION    (CUB_VERSION / 100 % 1000)
#define CUB_SUBMINOR_VERSION (CUB_VERSION % 100)
#define CUB_PATCH_NUMBER     0

/* A program can define these to have its own copy of CUB in a namespace. */
#ifndef CUB_NS_PREFIX
#define CUB_NS_PREFIX
#endif
#ifndef CUB_NS_POSTFIX
#define CUB_NS_POSTFIX
#endif
#ifndef CUB_NS_QUALIFIER
#define CUB_NS_QUALIFIER ::cub
#endif
#define CUB_NAMESPACE_BEGIN                                                    \
    CUB_NS_PREFIX                                                              \
    namespace cub                                                              \
    {
#define CUB_NAMESPACE_END                                                      \
    }                                                                          \
    CUB_NS_POSTFIX

#define CUB_RUNTIME_FUNCTION __host__ __device__
#define CUB_ALIGN(bytes)     __align__(bytes)
#define CUB_IS_DEVICE_CODE   (!simgpu_is_outside())
#define CUB_IS_HOST_CODE     simgpu_is_outside()

#ifndef CUB_MAX
#define CUB_MAX(a, b)                ((b) > (a) ? (b) : (a))
#define CUB_MIN(a, b)                ((b) < (a) ? (b) : (a))
#define CUB_QUOTIENT_FLOOR(x, y)     ((x) / (y))
#define CUB_QUOTIENT_CEILING(x, y)   (((x) + (y)-1) / (y))
#define CUB_ROUND_UP_NEAREST(x, y)   (CUB_QUOTIENT_CEILING(x, y) * (y))
#define CUB_ROUND_DOWN_NEAREST(x, y) ((x) / (y) * (y))
#endif
#ifndef CUB_PREVENT_MACRO_SUBSTITUTION
#define CUB_PREVENT_MACRO_SUBSTITUTION
#endif

/* The size of a warp; the architecture that a file is compiled for. */
#define CUB_LOG_WARP_THREADS(unused) 5
#define CUB_WARP_THREADS(unused)     32
#define CUB_PTX_LOG_WARP_THREADS     5
#define CUB_PTX_WARP_THREADS         32
#define CUB_LOG_SMEM_BANKS(unused)   5
#define CUB_SMEM_BANKS(unused)       32
#define CUB_PTX_LOG_SMEM_BANKS       5
#define CUB_PTX_SMEM_BANKS           32
#ifdef __CUDA_ARCH__
#define CUB_PTX_ARCH __CUDA_ARCH__
#else
#define CUB_PTX_ARCH 0
#endif
#endif
