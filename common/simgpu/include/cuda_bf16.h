/*
 * cuda_bf16.h: bfloat16, on host and device
 *
 * It has the types, conversions, arithmetic and comparisons of CUDA's header
 * that programs use. Each operation rounds once, as on a GPU. As with CUDA, C
 * has only the raw types.
 */
#ifndef SIMGPU_CUDA_BF16_H
#define SIMGPU_CUDA_BF16_H

#include "cuda_fp16.h" /* CUDA's header includes it, too */

#define __CUDA_BF16_TYPES_EXIST__ /* programs test for it */

typedef struct __attribute__((aligned(2))) {
    unsigned short x;
} __nv_bfloat16_raw;

typedef struct __attribute__((aligned(4))) {
    unsigned short x, y;
} __nv_bfloat162_raw;

#ifdef __cplusplus
#include "simgpu/small_float.h"
#include "vector_functions.h" /* make_float2 */

#define SIMGPU_T              __nv_bfloat16
#define SIMGPU_T2             __nv_bfloat162
#define SIMGPU_RAW            __nv_bfloat16_raw
#define SIMGPU_RAW2           __nv_bfloat162_raw
#define SIMGPU_KIND           NARROW_BF16
#define SIMGPU_FROM(x)        __double2bfloat16(x)
#define SIMGPU_TO(h)          ((double)__bfloat162float(h))
#define SIMGPU_NAME(a, b)     a##bfloat16##b
#define SIMGPU_TWICE(a, b, c) a##bfloat16##b##bfloat16##c
#define SIMGPU_INLINE         static inline __attribute__((unused))

#include "simgpu/half_type.h"

typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

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
