/*
 * cuda_fp16.h: half precision, on host and device
 *
 * It has the types, conversions, arithmetic and comparisons of CUDA's header
 * that programs use. Each operation rounds once, as on a GPU. As with CUDA, C
 * has only the raw types.
 */
#ifndef SIMGPU_CUDA_FP16_H
#define SIMGPU_CUDA_FP16_H

#include "cuda_runtime_api.h" /* CUDA's header includes it, too */

#define __CUDA_FP16_TYPES_EXIST__ /* programs test for it */

typedef struct __attribute__((aligned(2))) {
    unsigned short x;
} __half_raw;

typedef struct __attribute__((aligned(4))) {
    unsigned short x, y;
} __half2_raw;

#ifdef __cplusplus
#include "simgpu/small_float.h"
#include "vector_functions.h" /* make_float2 */

#define SIMGPU_T              __half
#define SIMGPU_T2             __half2
#define SIMGPU_RAW            __half_raw
#define SIMGPU_RAW2           __half2_raw
#define SIMGPU_KIND           NARROW_FP16
#define SIMGPU_FROM(x)        __double2half(x)
#define SIMGPU_TO(h)          ((double)__half2float(h))
#define SIMGPU_NAME(a, b)     a##half##b
#define SIMGPU_TWICE(a, b, c) a##half##b##half##c
#define SIMGPU_INLINE         static inline __attribute__((unused))

#include "simgpu/half_type.h"

typedef __half half;
typedef __half2 half2;
typedef __half nv_half;
typedef __half2 nv_half2;
typedef __half __nv_half;
typedef __half2 __nv_half2;
typedef __half_raw __nv_half_raw;
typedef __half2_raw __nv_half2_raw;

#include "simgpu/half_names.h"
#include "simgpu/half_ops.h"

#undef SIMGPU_T
#undef SIMGPU_T2
#undef SIMGPU_RAW
#undef SIMGPU_RAW2
#undef SIMGPU_KIND
#undef SIMGPU_FROM
#undef SIMGPU_TO
#undef SIMGPU_NAME
#undef SIMGPU_TWICE
#undef SIMGPU_INLINE
#endif
#endif
