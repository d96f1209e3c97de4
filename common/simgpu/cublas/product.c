#include "cublas/product.h"

#include <stdint.h> /* int8_t */
#include <stdlib.h> /* malloc */

#include "core/report.h"
#include "cublas/blas.h"

static char *column_of(const struct product_matrix *x, int i, size_t col)
{
    return x->at + ((size_t)i * x->stride + col * x->ld) *
                       column_operand_nbytes(x->type);
}

/* Matrix i of the batch as floats: in place, or as a packed
 * copy (*ld is then set). */
static float *as_floats(const struct product_matrix *x, int i,
                        enum column_rounding rounding, int *ld)
{
    *ld = (int)x->ld;
    if (x->type == CUDA_R_32F && rounding == COLUMN_EXACT)
        return (float *)column_of(x, i, 0);
    float *const copy = malloc(x->rows * x->cols * sizeof *copy + 1);
    if (!copy)
        simgpu_report_fault(NULL,
                            "out of host memory for a matrix of %zu x %zu",
                            x->rows, x->cols);
    for (size_t col = 0; col < x->cols; col++)
        column_widen(copy + col * x->rows, column_of(x, i, col), x->rows,
                     x->type, rounding);
    *ld = (int)x->rows;
    return copy;
}

/* A or B of product i; nothing if alpha is 0, since they are not read then. */
static float *input(const struct gemm_op *g, const struct product_matrix *x,
                    int i, int *ld)
{
    *ld = (int)x->ld;
    return scalar_now(&g->alpha) != 0 ? as_floats(x, i, g->rounding, ld) : NULL;
}

static void drop(const struct product_matrix *x, int i, float *floats)
{
    if ((char *)floats != column_of(x, i, 0))
        free(floats); // NULL is allowed
}

/* Call OpenBLAS's function for the program's matrices. Scalars have the form
 * that the function expects. */
#define MULTIPLY(function, alpha, beta)                                        \
    blas()->function(CblasColMajor, blas_trans(g->transa),                     \
                     blas_trans(g->transb), g->m, g->n, g->k, alpha,           \
                     (void *)column_of(&g->a, i, 0), (int)g->a.ld,             \
                     (void *)column_of(&g->b, i, 0), (int)g->b.ld, beta,       \
                     (void *)column_of(&g->c, i, 0), (int)g->c.ld)

static void multiply_double(const struct gemm_op *g, int i)
{
    MULTIPLY(dgemm, scalar_now(&g->alpha), scalar_now(&g->beta));
}

static void multiply_complex(const struct gemm_op *g, int i)
{
    const double complex wide[] = {scalar_now_complex(&g->alpha),
                                   scalar_now_complex(&g->beta)};
    const float complex narrow[] = {(float complex)wide[0],
                                    (float complex)wide[1]};
    if (g->a.type == CUDA_C_32F)
        MULTIPLY(cgemm, &narrow[0], &narrow[1]);
    else
        MULTIPLY(zgemm, &wide[0], &wide[1]);
}

static void multiply(const struct gemm_op *g, int i)
{
    int lda, ldb, ldc;
    const float alpha = (float)scalar_now(&g->alpha);
    const float beta = (float)scalar_now(&g->beta);
    float *const a = input(g, &g->a, i, &lda);
    float *const b = input(g, &g->b, i, &ldb);
    float *const c = as_floats(&g->c, i, COLUMN_EXACT, &ldc);
    blas()->sgemm(CblasColMajor, blas_trans(g->transa), blas_trans(g->transb),
                  g->m, g->n, g->k, alpha, a, lda, b, ldb, beta, c, ldc);
    for (size_t col = 0; g->c.type != CUDA_R_32F && col < g->c.cols; col++)
        column_narrow(column_of(&g->c, i, col), c + col * g->c.rows, g->c.rows,
                      g->c.type);
    drop(&g->a, i, a);
    drop(&g->b, i, b);
    drop(&g->c, i, c);
}

static int32_t byte_of(const struct product_matrix *x, int i,
                       cublasOperation_t trans, int row, int col)
{
    return ((int8_t *)column_of(
        x, i, (size_t)(trans ? row : col)))[trans ? col : row];
}

/* Sums have 32 bits and wrap around. */
static void multiply_bytes(const struct gemm_op *g, int i)
{
    const uint32_t alpha = (uint32_t)(int32_t)scalar_now(&g->alpha);
    const uint32_t beta = (uint32_t)(int32_t)scalar_now(&g->beta);
    for (int col = 0; col < g->n; col++) {
        uint32_t *const c = (uint32_t *)column_of(&g->c, i, (size_t)col);
        for (int row = 0; row < g->m; row++) {
            uint32_t sum = 0;
            for (int k = 0; alpha && k < g->k; k++)
                sum += (uint32_t)(byte_of(&g->a, i, g->transa, row, k) *
                                  byte_of(&g->b, i, g->transb, k, col));
            c[row] = alpha * sum + (beta ? beta * c[row] : 0);
        }
    }
}

void product_run(const struct gemm_op *g, int i)
{
    if (g->c.type == CUDA_R_32I)
        multiply_bytes(g, i);
    else if (g->a.type == CUDA_R_64F)
        multiply_double(g, i);
    else if (column_is_complex(g->a.type))
        multiply_complex(g, i);
    else
        multiply(g, i);
}
