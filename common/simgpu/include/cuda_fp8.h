/*
 * cuda_fp8.h: the 8-bit floats, on host and device
 *
 * They are for storage and conversions: e4m3 (no infinity, largest value 448)
 * and e5m2. Their classes saturate: a value that is too large becomes the
 * largest number. Conversions round once, to nearest even. e8m0 has powers of
 * two that scale other numbers.
 */
#ifndef SIMGPU_CUDA_FP8_H
#define SIMGPU_CUDA_FP8_H

#define __CUDA_FP8_TYPES_EXIST__ /* programs test for it */

#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "device_types.h" /* cudaRoundMode */
#include "vector_types.h"

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned int __nv_fp8x4_storage_t;

typedef enum __nv_saturation_t {
    __NV_NOSAT, /* too large becomes infinity, or e4m3's NaN */
    __NV_SATFINITE,
} __nv_saturation_t;

typedef enum __nv_fp8_interpretation_t {
    __NV_E4M3,
    __NV_E5M2,
} __nv_fp8_interpretation_t;

#ifdef __cplusplus
#define SIMGPU_INLINE static inline __attribute__((unused))

/* ---- functions ----------------------------------------------------------- */

SIMGPU_INLINE __nv_fp8_storage_t
__nv_cvt_double_to_fp8(const double x, const __nv_saturation_t saturate,
                       const __nv_fp8_interpretation_t kind)
{
    const enum narrow_type type = kind == __NV_E4M3 ? NARROW_E4M3 : NARROW_E5M2;
    const unsigned bits = simgpu_small_encode(x, type, NARROW_NEAREST);
    const unsigned size = bits & 0x7f;
    if (saturate == __NV_SATFINITE && size >= narrow_top(type) && x == x)
        return (__nv_fp8_storage_t)((bits & 0x80) | (narrow_top(type) - 1));
    return (__nv_fp8_storage_t)bits;
}

SIMGPU_INLINE __nv_fp8_storage_t
__nv_cvt_float_to_fp8(const float x, const __nv_saturation_t saturate,
                      const __nv_fp8_interpretation_t kind)
{
    return __nv_cvt_double_to_fp8(x, saturate, kind);
}

SIMGPU_INLINE __nv_fp8_storage_t
__nv_cvt_halfraw_to_fp8(const __half_raw x, const __nv_saturation_t saturate,
                        const __nv_fp8_interpretation_t kind)
{
    return __nv_cvt_float_to_fp8(__half2float(__half(x)), saturate, kind);
}

SIMGPU_INLINE __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_fp8(
    const __nv_bfloat16_raw x, const __nv_saturation_t saturate,
    const __nv_fp8_interpretation_t kind)
{
    return __nv_cvt_float_to_fp8(__bfloat162float(__nv_bfloat16(x)), saturate,
                                 kind);
}

/* The first of a pair is in the low byte. */
SIMGPU_INLINE __nv_fp8x2_storage_t
__nv_cvt_double2_to_fp8x2(const double2 x, const __nv_saturation_t saturate,
                          const __nv_fp8_interpretation_t kind)
{
    return (__nv_fp8x2_storage_t)(__nv_cvt_double_to_fp8(x.x, saturate, kind) |
                                  __nv_cvt_double_to_fp8(x.y, saturate, kind)
                                      << 8);
}

SIMGPU_INLINE __nv_fp8x2_storage_t
__nv_cvt_float2_to_fp8x2(const float2 x, const __nv_saturation_t saturate,
                         const __nv_fp8_interpretation_t kind)
{
    return (__nv_fp8x2_storage_t)(__nv_cvt_float_to_fp8(x.x, saturate, kind) |
                                  __nv_cvt_float_to_fp8(x.y, saturate, kind)
                                      << 8);
}

SIMGPU_INLINE __nv_fp8x2_storage_t __nv_cvt_halfraw2_to_fp8x2(
    const __half2_raw x, const __nv_saturation_t saturate,
    const __nv_fp8_interpretation_t kind)
{
    return __nv_cvt_float2_to_fp8x2(__half22float2(__half2(x)), saturate, kind);
}

SIMGPU_INLINE __nv_fp8x2_storage_t __nv_cvt_bfloat16raw2_to_fp8x2(
    const __nv_bfloat162_raw x, const __nv_saturation_t saturate,
    const __nv_fp8_interpretation_t kind)
{
    return __nv_cvt_float2_to_fp8x2(__bfloat1622float2(__nv_bfloat162(x)),
                                    saturate, kind);
}

SIMGPU_INLINE double simgpu_fp8(__nv_fp8_storage_t x,
                                __nv_fp8_interpretation_t kind)
{
    return narrow_decode(x, kind == __NV_E4M3 ? NARROW_E4M3 : NARROW_E5M2);
}

SIMGPU_INLINE __half_raw __nv_cvt_fp8_to_halfraw(
    const __nv_fp8_storage_t x, const __nv_fp8_interpretation_t kind)
{
    return __half_raw(__half(simgpu_fp8(x, kind)));
}

SIMGPU_INLINE __half2_raw __nv_cvt_fp8x2_to_halfraw2(
    const __nv_fp8x2_storage_t x, const __nv_fp8_interpretation_t kind)
{
    return __half2_raw{
        __nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)x, kind).x,
        __nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)(x >> 8), kind).x};
}

/* ---- classes ------------------------------------------------------------- */

#define SIMGPU_FP8(name, name2, name4, kind)                                   \
    struct name {                                                              \
        __nv_fp8_storage_t __x;                                                \
        name() = default;                                                      \
        explicit name(double x)                                                \
            : __x(__nv_cvt_double_to_fp8(x, __NV_SATFINITE, kind))             \
        {                                                                      \
        }                                                                      \
        explicit name(float x) : name((double)x) {}                            \
        explicit name(__half x) : name((double)(float)x) {}                    \
        explicit name(__nv_bfloat16 x) : name((double)(float)x) {}             \
        explicit name(int x) : name((double)x) {}                              \
        explicit name(unsigned int x) : name((double)x) {}                     \
        explicit name(long x) : name(simgpu_small_integer(x)) {}               \
        explicit name(unsigned long x) : name(simgpu_small_integer(x)) {}      \
        explicit name(long long x) : name(simgpu_small_integer(x)) {}          \
        explicit name(unsigned long long x) : name(simgpu_small_integer(x)) {} \
        explicit operator double() const                                       \
        {                                                                      \
            return simgpu_fp8(__x, kind);                                      \
        }                                                                      \
        explicit operator float() const                                        \
        {                                                                      \
            return (float)(double)*this;                                       \
        }                                                                      \
        explicit operator __half() const                                       \
        {                                                                      \
            return __half((double)*this);                                      \
        }                                                                      \
        explicit operator __nv_bfloat16() const                                \
        {                                                                      \
            return __nv_bfloat16((double)*this);                               \
        }                                                                      \
        template <class T, class = typename std::enable_if<                    \
                               std::is_integral<T>::value>::type>              \
        explicit operator T() const                                            \
        {                                                                      \
            return simgpu_small_to<T>((double)*this);                          \
        }                                                                      \
        explicit operator bool() const                                         \
        {                                                                      \
            return (__x & 0x7f) != 0;                                          \
        }                                                                      \
    };                                                                         \
    struct __attribute__((aligned(2))) name2 {                                 \
        __nv_fp8x2_storage_t __x;                                              \
        name2() = default;                                                     \
        explicit name2(float2 x)                                               \
            : __x(__nv_cvt_float2_to_fp8x2(x, __NV_SATFINITE, kind))           \
        {                                                                      \
        }                                                                      \
        explicit name2(double2 x)                                              \
            : __x(__nv_cvt_double2_to_fp8x2(x, __NV_SATFINITE, kind))          \
        {                                                                      \
        }                                                                      \
        explicit name2(__half2 x) : name2(__half22float2(x)) {}                \
        explicit name2(__nv_bfloat162 x) : name2(__bfloat1622float2(x)) {}     \
        explicit operator __half2() const                                      \
        {                                                                      \
            return __half2(__nv_cvt_fp8x2_to_halfraw2(__x, kind));             \
        }                                                                      \
        explicit operator float2() const                                       \
        {                                                                      \
            return __half22float2((__half2) * this);                           \
        }                                                                      \
    };                                                                         \
    struct __attribute__((aligned(4))) name4 {                                 \
        __nv_fp8x4_storage_t __x;                                              \
        name4() = default;                                                     \
        explicit name4(float4 v)                                               \
            : __x(name2(make_float2(v.x, v.y)).__x |                           \
                  (unsigned)name2(make_float2(v.z, v.w)).__x << 16)            \
        {                                                                      \
        }                                                                      \
        explicit name4(double4 v)                                              \
            : __x(name2(make_double2(v.x, v.y)).__x |                          \
                  (unsigned)name2(make_double2(v.z, v.w)).__x << 16)           \
        {                                                                      \
        }                                                                      \
        explicit name4(__half2 low, __half2 high)                              \
            : __x(name2(low).__x | (unsigned)name2(high).__x << 16)            \
        {                                                                      \
        }                                                                      \
        explicit name4(__nv_bfloat162 low, __nv_bfloat162 high)                \
            : __x(name2(low).__x | (unsigned)name2(high).__x << 16)            \
        {                                                                      \
        }                                                                      \
        explicit operator float4() const                                       \
        {                                                                      \
            name2 low, high;                                                   \
            low.__x = (__nv_fp8x2_storage_t)__x;                               \
            high.__x = (__nv_fp8x2_storage_t)(__x >> 16);                      \
            const float2 a = (float2)low, b = (float2)high;                    \
            return make_float4(a.x, a.y, b.x, b.y);                            \
        }                                                                      \
    };
SIMGPU_FP8(__nv_fp8_e4m3, __nv_fp8x2_e4m3, __nv_fp8x4_e4m3, __NV_E4M3)
SIMGPU_FP8(__nv_fp8_e5m2, __nv_fp8x2_e5m2, __nv_fp8x4_e5m2, __NV_E5M2)
#undef SIMGPU_FP8

#include "simgpu/e8m0.h"
#undef SIMGPU_INLINE
#endif
#endif
