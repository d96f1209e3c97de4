/*
 * vector.h: what cuBLAS's vector functions share
 *
 * A vector has n elements, `inc` apart. With a negative inc it starts with the
 * last element of the same memory and runs backwards.
 */
#ifndef SIMGPU_CUBLAS_VECTOR_H
#define SIMGPU_CUBLAS_VECTOR_H

#include "cublas/handle.h"

struct vector_op {
    struct op op;
    cudaDataType type, result_type; /* result_type: for elements of 16 bits */
    int n, incx, incy;
    struct scalar alpha, beta; /* a rotation's cosine and sine */
    void *x, *y, *result;
};

enum vector_use {
    VECTOR_READS = 1,
    VECTOR_WRITES = 2,
    VECTOR_BOTH = VECTOR_READS | VECTOR_WRITES
};

struct vector_call { /* a function's arguments and what it does with them */
    struct site site;
    void (*run)(struct op *op);
    /* result_type: for 16-bit elements */
    cudaDataType type, scalar_type, result_type;
    int n, incx, incy, x_use, y_use;
    const void *alpha, *beta, *x, *y;
    void *result; /* if has_result */
    size_t result_nbytes;
    int has_scalars, has_result, forwards; /* forwards: incx must be > 0 */
    double flops;                          /* per element */
};

struct vector_works { /* by function, for types given by an argument */
    void (*axpy)(struct op *op), (*scal)(struct op *op), (*dot)(struct op *op),
        (*dotc)(struct op *op), (*nrm2)(struct op *op);
};
extern const struct vector_works vector_real, vector_complex;

/* The index, from 1, of the first element whose magnitude times sign is
 * largest; 0 if there is none. A complex number's magnitude is |re| + |im|.
 * Runs on the stream's worker. */
int vector_extreme(const struct vector_op *v, double sign);

/* Enqueue the call. Waits for a result in host memory. */
cublasStatus_t vector_enqueue(cublasHandle_t handle,
                              const struct vector_call *c);

/* A call's members, from arguments with these names. */
#define VECTOR_ONE(S, what, TYPE)                                              \
    .site = {"cublas" S what, CALLER_SITE(), FROM()}, .type = TYPE,            \
    .scalar_type = TYPE, .n = n, .x = x, .incx = incx
#define VECTOR_TWO(S, what, TYPE)                                              \
    VECTOR_ONE(S, what, TYPE), .y = y, .incy = incy
#define VECTOR_RESULT                                                          \
    .result = result, .result_nbytes = sizeof *result, .has_result = 1

/* ---- functions for all types --------------------------------------------- */

/*
 * S is the type's letter in names, T the type of an element, FLOPS the number
 * per element. The file that uses a macro defines the work: run_axpy() and so
 * on.
 */
#define VECTOR_AXPY(S, T, TYPE, FLOPS)                                         \
    cublasStatus_t cublas##S##axpy_v2(cublasHandle_t handle, int n,            \
                                      const T *alpha, const T *x, int incx,    \
                                      T *y, int incy)                          \
    {                                                                          \
        const struct vector_call c = {VECTOR_TWO(#S, "axpy", TYPE),            \
                                      .run = run_axpy,                         \
                                      .x_use = VECTOR_READS,                   \
                                      .y_use = VECTOR_BOTH,                    \
                                      .alpha = alpha,                          \
                                      .has_scalars = 1,                        \
                                      .flops = FLOPS};                         \
        return vector_enqueue(handle, &c);                                     \
    }

/* SCALAR is alpha's type, which may be real though T is complex. */
#define VECTOR_SCAL(S, T, TYPE, SCALAR, SCALAR_TYPE, work, FLOPS)              \
    cublasStatus_t cublas##S##scal_v2(cublasHandle_t handle, int n,            \
                                      const SCALAR *alpha, T *x, int incx)     \
    {                                                                          \
        struct vector_call c = {VECTOR_ONE(#S, "scal", TYPE),                  \
                                .run = work,                                   \
                                .x_use = VECTOR_BOTH,                          \
                                .alpha = alpha,                                \
                                .has_scalars = 1,                              \
                                .forwards = 1,                                 \
                                .flops = FLOPS};                               \
        c.scalar_type = SCALAR_TYPE;                                           \
        return vector_enqueue(handle, &c);                                     \
    }

#define VECTOR_COPY(S, T, TYPE)                                                \
    cublasStatus_t cublas##S##copy_v2(cublasHandle_t handle, int n,            \
                                      const T *x, int incx, T *y, int incy)    \
    {                                                                          \
        const struct vector_call c = {VECTOR_TWO(#S, "copy", TYPE),            \
                                      .run = run_copy, .x_use = VECTOR_READS,  \
                                      .y_use = VECTOR_WRITES};                 \
        return vector_enqueue(handle, &c);                                     \
    }

#define VECTOR_SWAP(S, T, TYPE)                                                \
    cublasStatus_t cublas##S##swap_v2(cublasHandle_t handle, int n, T *x,      \
                                      int incx, T *y, int incy)                \
    {                                                                          \
        const struct vector_call c = {VECTOR_TWO(#S, "swap", TYPE),            \
                                      .run = run_swap, .x_use = VECTOR_BOTH,   \
                                      .y_use = VECTOR_BOTH};                   \
        return vector_enqueue(handle, &c);                                     \
    }

#define VECTOR_DOT(S, T, TYPE, name, FLOPS)                                    \
    cublasStatus_t cublas##S##name##_v2(cublasHandle_t handle, int n,          \
                                        const T *x, int incx, const T *y,      \
                                        int incy, T *result)                   \
    {                                                                          \
        const struct vector_call c = {VECTOR_TWO(#S, #name, TYPE),             \
                                      .run = run_##name,                       \
                                      .x_use = VECTOR_READS,                   \
                                      .y_use = VECTOR_READS,                   \
                                      VECTOR_RESULT,                           \
                                      .flops = FLOPS};                         \
        return vector_enqueue(handle, &c);                                     \
    }

/* A function of x with a result of type R. */
#define VECTOR_OVER_X(S, T, TYPE, name, R, FLOPS)                              \
    cublasStatus_t cublas##S##name##_v2(cublasHandle_t handle, int n,          \
                                        const T *x, int incx, R *result)       \
    {                                                                          \
        const struct vector_call c = {VECTOR_ONE(#S, #name, TYPE),             \
                                      .run = run_##name,                       \
                                      .x_use = VECTOR_READS,                   \
                                      VECTOR_RESULT,                           \
                                      .forwards = 1,                           \
                                      .flops = FLOPS};                         \
        return vector_enqueue(handle, &c);                                     \
    }

#endif
