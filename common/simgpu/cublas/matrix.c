#include "cublas/matrix.h"

#include <stdlib.h> /* abs */
#include <string.h> /* memset */

#include "cublas/column.h"

/*
 * Call BLAS's function for the operation's type: s and d with `real`, c and z
 * with `complex`. In the arguments, alpha and beta are numbers, or pointers to
 * complex numbers.
 */
#define REAL_CASE(TYPE, T, function, ...)                                      \
    case TYPE: {                                                               \
        const T alpha = (T)scalar_now(&g->alpha);                              \
        const T beta = (T)scalar_now(&g->beta);                                \
        (void)alpha, (void)beta;                                               \
        blas()->function(CblasColMajor, __VA_ARGS__);                          \
        break;                                                                 \
    }
#define COMPLEX_CASE(TYPE, T, function, ...)                                   \
    case TYPE: {                                                               \
        const T scalars[] = {(T)scalar_now_complex(&g->alpha),                 \
                             (T)scalar_now_complex(&g->beta)};                 \
        const void *const alpha = &scalars[0], *const beta = &scalars[1];      \
        (void)alpha, (void)beta;                                               \
        blas()->function(CblasColMajor, __VA_ARGS__);                          \
        break;                                                                 \
    }
#define MATRIX(name, real, complex, ...)                                       \
    void matrix_##name(struct op *op)                                          \
    {                                                                          \
        const struct matrix_op *const g = (struct matrix_op *)op;              \
        switch (g->type) {                                                     \
            REAL_CASE(CUDA_R_32F, float, s##real, __VA_ARGS__)                 \
            COMPLEX_CASE(CUDA_C_32F, float _Complex, c##complex, __VA_ARGS__)  \
            COMPLEX_CASE(CUDA_C_64F, double _Complex, z##complex, __VA_ARGS__) \
        default: REAL_CASE(CUDA_R_64F, double, d##real, __VA_ARGS__)           \
        }                                                                      \
    }
#define REAL_MATRIX(name, ...)                                                 \
    void matrix_##name(struct op *op)                                          \
    {                                                                          \
        const struct matrix_op *const g = (struct matrix_op *)op;              \
        switch (g->type) {                                                     \
            REAL_CASE(CUDA_R_32F, float, s##name, __VA_ARGS__)                 \
        default: REAL_CASE(CUDA_R_64F, double, d##name, __VA_ARGS__)           \
        }                                                                      \
    }
#define A g->a, g->lda
#define B g->b, g->ldb
#define C g->c, g->ldc

MATRIX(gemv, gemv, gemv, g->transa, g->m, g->n, alpha, A, B, beta, C)
MATRIX(ger, ger, geru, g->m, g->n, alpha, B, C, A)
MATRIX(gerc, ger, gerc, g->m, g->n, alpha, B, C, A)
MATRIX(symv, symv, hemv, g->fill, g->n, alpha, A, B, beta, C)
MATRIX(trsv, trsv, trsv, g->fill, g->transa, g->diag, g->n, A, C)
MATRIX(symm, symm, symm, g->side, g->fill, g->m, g->n, alpha, A, B, beta, C)
MATRIX(hemm, symm, hemm, g->side, g->fill, g->m, g->n, alpha, A, B, beta, C)
MATRIX(syrk, syrk, syrk, g->fill, g->transa, g->n, g->k, alpha, A, beta, C)
MATRIX(trsm, trsm, trsm, g->side, g->fill, g->transa, g->diag, g->m, g->n,
       alpha, A, C)

REAL_MATRIX(trmv, g->fill, g->transa, g->diag, g->n, A, C)
REAL_MATRIX(syr, g->fill, g->n, alpha, B, A)
REAL_MATRIX(syr2, g->fill, g->n, alpha, B, C, A)
REAL_MATRIX(syr2k, g->fill, g->transa, g->n, g->k, alpha, A, B, beta, C)

/* C = B, or 0 if alpha is 0: then B need not hold numbers. */
static void set_product(const struct matrix_op *g, double alpha)
{
    const size_t size = column_operand_nbytes(g->type);
    const size_t nbytes = (size_t)g->m * size;
    for (size_t col = 0; col < (size_t)g->n; col++) {
        char *const to = (char *)g->c + col * (size_t)g->ldc * size;
        if (alpha == 0)
            memset(to, 0, nbytes);
        else
            memmove(to, (char *)g->b + col * (size_t)g->ldb * size, nbytes);
    }
}

/* BLAS multiplies in place. */
void matrix_trmm(struct op *op)
{
    const struct matrix_op *const g = (struct matrix_op *)op;
    const double alpha = scalar_now(&g->alpha);
    set_product(g, alpha);
    if (alpha == 0)
        return;
    if (g->type == CUDA_R_32F)
        blas()->strmm(CblasColMajor, g->side, g->fill, g->transa, g->diag, g->m,
                      g->n, (float)alpha, A, C);
    else
        blas()->dtrmm(CblasColMajor, g->side, g->fill, g->transa, g->diag, g->m,
                      g->n, alpha, A, C);
}

/* alpha and beta are real. */
void matrix_herk(struct op *op)
{
    const struct matrix_op *const g = (struct matrix_op *)op;
    const double alpha = scalar_now(&g->alpha), beta = scalar_now(&g->beta);
    if (g->type == CUDA_C_32F)
        blas()->cherk(CblasColMajor, g->fill, g->transa, g->n, g->k,
                      (float)alpha, A, (float)beta, C);
    else
        blas()->zherk(CblasColMajor, g->fill, g->transa, g->n, g->k, alpha, A,
                      beta, C);
}

#undef A
#undef B
#undef C

/* Element (row, col) of op(p). */
static double complex element(const struct matrix_op *g, const void *p, int ld,
                              CBLAS_TRANSPOSE trans, int row, int col)
{
    const size_t at = trans == CblasNoTrans
                          ? (size_t)col * (size_t)ld + (size_t)row
                          : (size_t)row * (size_t)ld + (size_t)col;
    switch (g->type) {
    case CUDA_R_32F: return ((const float *)p)[at];
    case CUDA_R_64F: return ((const double *)p)[at];
    default: break;
    }
    const double complex z = g->type == CUDA_C_32F
                                 ? ((const float complex *)p)[at]
                                 : ((const double complex *)p)[at];
    return trans == CblasConjTrans ? conj(z) : z;
}

static void store(const struct matrix_op *g, size_t at, double complex z)
{
    switch (g->type) {
    case CUDA_R_32F: ((float *)g->c)[at] = (float)creal(z); break;
    case CUDA_C_32F: ((float complex *)g->c)[at] = (float complex)z; break;
    case CUDA_C_64F: ((double complex *)g->c)[at] = z; break;
    default: ((double *)g->c)[at] = creal(z);
    }
}

/* C = alpha op(A) + beta op(B). A matrix whose scalar is 0 is not read. */
void matrix_geam(struct op *op)
{
    const struct matrix_op *const g = (struct matrix_op *)op;
    const double complex alpha = scalar_now_complex(&g->alpha);
    const double complex beta = scalar_now_complex(&g->beta);
    for (int col = 0; col < g->n; col++)
        for (int row = 0; row < g->m; row++) {
            const size_t at = (size_t)col * (size_t)g->ldc + (size_t)row;
            double complex sum = 0;
            if (alpha != 0)
                sum += alpha * element(g, g->a, g->lda, g->transa, row, col);
            if (beta != 0)
                sum += beta * element(g, g->b, g->ldb, g->transb, row, col);
            store(g, at, sum);
        }
}

/* C = diag(b) A, or A diag(b). With a negative ldb, b is read backwards. */
void matrix_dgmm(struct op *op)
{
    const struct matrix_op *const g = (struct matrix_op *)op;
    const int left = g->side == CblasLeft, last = (left ? g->m : g->n) - 1;
    for (int col = 0; col < g->n; col++)
        for (int row = 0; row < g->m; row++) {
            const int i = left ? row : col;
            const double complex x = element(g, g->b, abs(g->ldb), CblasNoTrans,
                                             0, g->ldb < 0 ? last - i : i);
            store(g, (size_t)col * (size_t)g->ldc + (size_t)row,
                  x * element(g, g->a, g->lda, CblasNoTrans, row, col));
        }
}
