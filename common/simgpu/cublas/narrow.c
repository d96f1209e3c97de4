#include "cublas/narrow.h"

#include <math.h>   /* rintf */
#include <stdint.h> /* uint16_t */
#include <string.h> /* memcpy */

static uint32_t bits_of(float x)
{
    uint32_t u;
    memcpy(&u, &x, sizeof u);
    return u;
}

static float float_of(uint32_t u)
{
    float x;
    memcpy(&x, &u, sizeof x);
    return x;
}

/* ---- one number -------------------------------------------------------------- */

static float tf32(float x)
{
    const uint32_t u = bits_of(x);
    if ((u & 0x7f800000u) == 0x7f800000u) // infinity, NaN
        return x;
    return float_of((u + 0x1000u) & ~0x1fffu);
}

static uint16_t bf16_bits(float x)
{
    const uint32_t u = bits_of(x);
    if ((u & 0x7fffffffu) > 0x7f800000u)
        return (uint16_t)(u >> 16 | 0x40);
    return (uint16_t)((u + 0x7fffu + (u >> 16 & 1)) >> 16);
}

static float bf16_float(uint16_t v)
{
    return float_of((uint32_t)v << 16);
}

/*
 * An fp16 number is a float with 13 bits less of mantissa and an exponent that
 * begins at 2^-14. Below that its steps are 2^-24 wide: counting them rounds.
 */
static uint16_t fp16_bits(float x)
{
    const uint32_t u = bits_of(x), sign = u >> 16 & 0x8000u;
    const uint32_t magnitude = u & 0x7fffffffu;
    if (magnitude > 0x7f800000u)
        return (uint16_t)(sign | 0x7e00u);
    if (magnitude >= 0x477ff000u) // 65520 and up round to infinity
        return (uint16_t)(sign | 0x7c00u);
    if (magnitude < 0x38800000u) // below 2^-14
        return (uint16_t)(sign |
                          (uint32_t)rintf(float_of(magnitude) * 0x1p24f));
    const uint32_t nearest = magnitude + 0xfffu + (magnitude >> 13 & 1);
    return (uint16_t)(sign | ((nearest >> 13) - (112u << 10)));
}

static float fp16_float(uint16_t v)
{
    const uint32_t sign = (uint32_t)(v & 0x8000u) << 16;
    const uint32_t magnitude = v & 0x7fffu;
    if (magnitude >= 0x7c00u)
        return float_of(sign | 0x7f800000u | (magnitude & 0x3ffu) << 13);
    if (magnitude < 0x400u)
        return float_of(sign | bits_of((float)magnitude * 0x1p-24f));
    return float_of(sign | ((magnitude << 13) + (112u << 23)));
}

/* ---- columns ------------------------------------------------------------------ */

size_t type_nbytes(cudaDataType type)
{
    switch (type) {
    case CUDA_R_32F: return 4;
    case CUDA_R_16F:
    case CUDA_R_16BF: return 2;
    default: return 0;
    }
}

static float rounded(float x, enum narrow narrow)
{
    switch (narrow) {
    case NARROW_TF32: return tf32(x);
    case NARROW_FP16: return fp16_float(fp16_bits(x));
    case NARROW_BF16: return bf16_float(bf16_bits(x));
    default: return x;
    }
}

void widen_column(float *out, const void *in, size_t n, cudaDataType type,
                  enum narrow narrow)
{
    const uint16_t *const v = in;
    const float *const f = in;
    for (size_t i = 0; i < n; i++)
        out[i] = type == CUDA_R_16F    ? fp16_float(v[i])
                 : type == CUDA_R_16BF ? bf16_float(v[i])
                                       : rounded(f[i], narrow);
}

void narrow_column(void *out, const float *in, size_t n, cudaDataType type)
{
    uint16_t *const v = out;
    if (type == CUDA_R_32F)
        memcpy(out, in, n * sizeof *in);
    else
        for (size_t i = 0; i < n; i++)
            v[i] = type == CUDA_R_16F ? fp16_bits(in[i]) : bf16_bits(in[i]);
}
