#include "cublas/column.h"

#include <stdint.h> /* uint16_t */
#include <string.h> /* memcpy */

#include "base/narrow.h"

size_t column_type_nbytes(cudaDataType type)
{
    switch (type) {
    case CUDA_R_64F: return 8;
    case CUDA_R_32F: return 4;
    case CUDA_R_16F:
    case CUDA_R_16BF: return 2;
    default: return 0;
    }
}

size_t column_operand_nbytes(cudaDataType type)
{
    switch (type) {
    case CUDA_C_64F: return 2 * sizeof(double);
    case CUDA_C_32F: return 2 * sizeof(float);
    case CUDA_R_32I: return sizeof(int32_t);
    case CUDA_R_8I: return sizeof(int8_t);
    default: return column_type_nbytes(type);
    }
}

int column_is_complex(cudaDataType type)
{
    return type == CUDA_C_32F || type == CUDA_C_64F;
}

int column_is_double(cudaDataType type)
{
    return type == CUDA_R_64F || type == CUDA_C_64F;
}

static float rounded(float x, enum column_rounding rounding)
{
    switch (rounding) {
    case COLUMN_TF32: return narrow_tf32(x);
    case COLUMN_FP16:
        return narrow_to_float(narrow_from_float(x, NARROW_FP16), NARROW_FP16);
    case COLUMN_BF16:
        return narrow_to_float(narrow_from_float(x, NARROW_BF16), NARROW_BF16);
    default: return x;
    }
}

static float widened(uint16_t bits, cudaDataType type)
{
    return type == CUDA_R_16F ? narrow_to_float(bits, NARROW_FP16)
                              : narrow_to_float(bits, NARROW_BF16);
}

static uint16_t narrowed(float x, cudaDataType type)
{
    return (uint16_t)(type == CUDA_R_16F ? narrow_from_float(x, NARROW_FP16)
                                         : narrow_from_float(x, NARROW_BF16));
}

void column_widen(float *out, const void *in, size_t n, cudaDataType type,
                  enum column_rounding rounding)
{
    const uint16_t *const bits = in;
    const int8_t *const bytes = in;
    const float *const x = in;
    for (size_t i = 0; i < n; i++)
        out[i] = type == CUDA_R_32F  ? rounded(x[i], rounding)
                 : type == CUDA_R_8I ? (float)bytes[i]
                                     : widened(bits[i], type);
}

void column_narrow(void *out, const float *in, size_t n, cudaDataType type)
{
    uint16_t *const bits = out;
    if (type == CUDA_R_32F)
        memcpy(out, in, n * sizeof *in);
    else
        for (size_t i = 0; i < n; i++)
            bits[i] = narrowed(in[i], type);
}
