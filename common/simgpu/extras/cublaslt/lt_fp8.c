/*
 * lt_fp8.c: products of fp8 matrices
 *
 * The rules are those of cuBLAS's manual ("Narrow precision data types usage"),
 * for one scale per matrix, and of the reasons that cuBLAS 13 logs when it
 * refuses a product:
 *
 *     A, B       e4m3 and e4m3, or e4m3 and e5m2 in either order
 *     C          bf16, fp16 or fp32
 *     D          C's type, or fp8 if C has 16 bits; e5m2 only if A or B has it
 *     bias       the 16-bit type of C, or bf16 if C is fp32
 *     formats    A transposed, B not; any on data centers' Blackwell (sm_10x)
 *     sizes      m and k, and A's and B's leading dimensions: multiples of 16
 *
 * The addresses of A and B, too, are multiples of 16. Sums are fp32. Unlike
 * cuBLAS, these products have no auxiliary outputs.
 */
#include "base/narrow.h"
#include "core/proc.h"
#include "cublas/column.h"
#include "extras/cublaslt/lt.h"

enum { ALIGNMENT = 16 }; /* bytes, and elements of A and B */

int lt_is_fp8(uint32_t type)
{
    return type == CUDA_R_8F_E4M3 || type == CUDA_R_8F_E5M2;
}

size_t lt_nbytes(cudaDataType type)
{
    return lt_is_fp8(type) ? 1 : column_type_nbytes(type);
}

static enum narrow_type narrow_of(cudaDataType type)
{
    return type == CUDA_R_8F_E4M3 ? NARROW_E4M3 : NARROW_E5M2;
}

float lt_from_fp8(uint8_t bits, cudaDataType type)
{
    return narrow_to_float(bits, narrow_of(type));
}

uint8_t lt_to_fp8(float x, cudaDataType type)
{
    const float most = type == CUDA_R_8F_E4M3 ? 448 : 57344;
    const float in = x > most ? most : x < -most ? -most : x;
    return (uint8_t)narrow_from_float(in, narrow_of(type));
}

static int types_fit(const struct lt_op *g)
{
    const uint32_t a = g->of[A].type, b = g->of[B].type;
    const uint32_t c = g->of[C].type, d = g->of[D].type;
    const int wide = a == CUDA_R_8F_E5M2 || b == CUDA_R_8F_E5M2;
    if (!lt_is_fp8(a) || !lt_is_fp8(b) ||
        (a == CUDA_R_8F_E5M2 && b == CUDA_R_8F_E5M2))
        return 0;
    if (c != CUDA_R_16BF && c != CUDA_R_16F && c != CUDA_R_32F)
        return 0;
    return d == c || (c != CUDA_R_32F &&
                      (d == CUDA_R_8F_E4M3 || (wide && d == CUDA_R_8F_E5M2)));
}

/* True if there are units for it, in these formats. */
static int device_can(const struct lt_op *g, int device)
{
    const int sm = simgpu_proc_gpu(device)->sm;
    return simgpu_proc_computes(device, TOPO_FP8) &&
           ((sm >= 100 && sm < 120) || (g->d.transa && !g->d.transb));
}

static int sizes_fit(const struct lt_op *g)
{
    const struct lt_layout *const a = &g->of[A], *const b = &g->of[B];
    const uint64_t k = g->d.transa ? a->rows : a->cols;
    return g->of[D].rows % ALIGNMENT == 0 && k % ALIGNMENT == 0 &&
           a->ld % ALIGNMENT == 0 && b->ld % ALIGNMENT == 0;
}

static int orders_fit(const struct lt_op *g)
{
    for (int i = 0; i < OPERANDS; i++)
        if (g->of[i].order != CUBLASLT_ORDER_COL)
            return 0;
    return 1;
}

static int epilogue_fits(struct lt_matmul *d, uint32_t c)
{
    const int bias = c == CUDA_R_32F ? CUDA_R_16BF : (int)c;
    if (d->bias_type < 0)
        d->bias_type = bias;
    return d->bias_type == bias &&
           !(d->epilogue &
             ~(unsigned)(CUBLASLT_EPILOGUE_DEFAULT | CUBLASLT_EPILOGUE_RELU |
                         CUBLASLT_EPILOGUE_GELU | CUBLASLT_EPILOGUE_BIAS));
}

cublasStatus_t lt_check_fp8(struct lt_op *g, int device)
{
    const int scales_d = lt_is_fp8(g->of[D].type);
    if (!types_fit(g) || g->d.compute != CUBLAS_COMPUTE_32F ||
        g->d.scale_type != CUDA_R_32F || !device_can(g, device) ||
        !sizes_fit(g) || !orders_fit(g) || !epilogue_fits(&g->d, g->of[C].type))
        return CUBLAS_STATUS_NOT_SUPPORTED;
    return g->d.scale[C] || (g->d.scale[D] && !scales_d)
               ? CUBLAS_STATUS_INVALID_VALUE
               : CUBLAS_STATUS_SUCCESS;
}

int lt_fp8_aligned(const struct lt_op *g, const void *p)
{
    return !lt_is_fp8(g->of[A].type) || (uintptr_t)p % ALIGNMENT == 0;
}
