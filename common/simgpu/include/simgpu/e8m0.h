/*
 * e8m0.h: powers of two from 2^-127 to 2^127, and NaN; part of cuda_fp8.h
 *
 * Signs are dropped. A number between two powers is rounded down or up
 * (cudaRoundZero, cudaRoundPosInf). A number that is too large becomes NaN or,
 * when saturating, the largest power.
 */
SIMGPU_INLINE __nv_fp8_storage_t
__nv_cvt_double_to_e8m0(const double x, const __nv_saturation_t saturate,
                        const enum cudaRoundMode rounding)
{
    enum { BIAS = 127, MOST = 254, NOT_A_NUMBER = 255 };
    int exponent;
    if (x != x)
        return NOT_A_NUMBER;
    if (x == 0)
        return 0;
    const bool is_power = fabs(frexp(x, &exponent)) == 0.5;
    const int up = rounding == cudaRoundPosInf && !is_power;
    const int bits = exponent - 1 + up + BIAS;
    if (x - x != 0 || bits > MOST)
        return saturate == __NV_SATFINITE ? MOST : NOT_A_NUMBER;
    return (__nv_fp8_storage_t)(bits < 0 ? 0 : bits);
}
SIMGPU_INLINE __nv_fp8_storage_t
__nv_cvt_float_to_e8m0(const float x, const __nv_saturation_t saturate,
                       const enum cudaRoundMode rounding)
{
    return __nv_cvt_double_to_e8m0(x, saturate, rounding);
}
SIMGPU_INLINE __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_e8m0(
    const __nv_bfloat16_raw x, const __nv_saturation_t saturate,
    const enum cudaRoundMode rounding)
{
    return __nv_cvt_double_to_e8m0(__bfloat162float(__nv_bfloat16(x)), saturate,
                                   rounding);
}
SIMGPU_INLINE __nv_fp8x2_storage_t
__nv_cvt_double2_to_e8m0x2(const double2 x, const __nv_saturation_t saturate,
                           const enum cudaRoundMode rounding)
{
    return (
        __nv_fp8x2_storage_t)(__nv_cvt_double_to_e8m0(x.x, saturate, rounding) |
                              __nv_cvt_double_to_e8m0(x.y, saturate, rounding)
                                  << 8);
}
SIMGPU_INLINE __nv_fp8x2_storage_t
__nv_cvt_float2_to_e8m0x2(const float2 x, const __nv_saturation_t saturate,
                          const enum cudaRoundMode rounding)
{
    return __nv_cvt_double2_to_e8m0x2(make_double2(x.x, x.y), saturate,
                                      rounding);
}
SIMGPU_INLINE __nv_fp8x2_storage_t __nv_cvt_bfloat162raw_to_e8m0x2(
    const __nv_bfloat162_raw x, const __nv_saturation_t saturate,
    const enum cudaRoundMode rounding)
{
    return __nv_cvt_float2_to_e8m0x2(__bfloat1622float2(__nv_bfloat162(x)),
                                     saturate, rounding);
}
SIMGPU_INLINE double simgpu_e8m0(__nv_fp8_storage_t x)
{
    return x == 255 ? NAN : ldexp(1.0, x - 127);
}
SIMGPU_INLINE __nv_bfloat16_raw
__nv_cvt_e8m0_to_bf16raw(const __nv_fp8_storage_t x)
{
    return __nv_bfloat16_raw(__nv_bfloat16(simgpu_e8m0(x)));
}
SIMGPU_INLINE __nv_bfloat162_raw
__nv_cvt_e8m0x2_to_bf162raw(const __nv_fp8x2_storage_t x)
{
    return __nv_bfloat162_raw{
        __nv_cvt_e8m0_to_bf16raw((__nv_fp8_storage_t)x).x,
        __nv_cvt_e8m0_to_bf16raw((__nv_fp8_storage_t)(x >> 8)).x};
}

struct __nv_fp8_e8m0 {
    __nv_fp8_storage_t __x;
    __nv_fp8_e8m0() = default;
    explicit __nv_fp8_e8m0(double x)
        : __x(__nv_cvt_double_to_e8m0(x, __NV_SATFINITE, cudaRoundPosInf))
    {
    }
    explicit __nv_fp8_e8m0(float x) : __nv_fp8_e8m0((double)x) {}
    explicit __nv_fp8_e8m0(__half x) : __nv_fp8_e8m0((double)(float)x) {}
    explicit __nv_fp8_e8m0(__nv_bfloat16 x) : __nv_fp8_e8m0((double)(float)x) {}
    explicit __nv_fp8_e8m0(int x) : __nv_fp8_e8m0((double)x) {}
    explicit __nv_fp8_e8m0(unsigned x) : __nv_fp8_e8m0((double)x) {}
    explicit __nv_fp8_e8m0(long x) : __nv_fp8_e8m0(simgpu_small_integer(x)) {}
    explicit __nv_fp8_e8m0(unsigned long x)
        : __nv_fp8_e8m0(simgpu_small_integer(x))
    {
    }
    explicit operator double() const
    {
        return simgpu_e8m0(__x);
    }
    explicit operator float() const
    {
        return (float)simgpu_e8m0(__x);
    }
    explicit operator __half() const
    {
        return __half(simgpu_e8m0(__x));
    }
    explicit operator __nv_bfloat16() const
    {
        return __nv_bfloat16(simgpu_e8m0(__x));
    }
    explicit operator int() const
    {
        return simgpu_small_to<int>(simgpu_e8m0(__x));
    }
    explicit operator bool() const
    {
        return true; // no value is zero
    }
};
