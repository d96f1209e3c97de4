/*
 * call.h: a call of a function of matrices, while its operation is being made
 *
 * A function checks its arguments with call_begin(), which makes the operation.
 * It then names the operands, each of which becomes a range of bytes that the
 * operation touches, and enqueues the operation with call_end().
 */
#ifndef SIMGPU_CUBLAS_CALL_H
#define SIMGPU_CUBLAS_CALL_H

#include "core/site.h"
#include "cublas/matrix.h"

struct call {
    struct site site;
    cublasHandle_t handle;
    struct stream *stream;
    struct touches t;
    struct matrix_op *op;
    size_t size; /* bytes in an element */
};

/* Declare c, the call of the function that uses this macro. */
#define CALL(what)                                                             \
    struct call c = {.site = {"cublas" what, CALLER_SITE(), FROM()},           \
                     .handle = handle}

struct call_verdict { /* what is wrong with a call's arguments */
    int wrong;        /* the number of a wrong parameter, or 0 */
    int silent;       /* cuBLAS doesn't say which one is wrong */
    int any;          /* false for empty operands */
    int scalars;      /* scalars aren't NULL, and matrices don't overlap */
};

/* Begin a call. If c->op stays NULL, the returned status is the call's. */
cublasStatus_t call_begin(struct call *c, void (*run)(struct op *),
                          cudaDataType type, struct call_verdict v);

/* Enqueue the operation, which takes that many real multiplications and
 * additions, or complex ones. */
cublasStatus_t call_end(struct call *c, double flops);

/* Set the operation's alpha and, unless it is NULL, beta. */
void call_scalars(struct call *c, const void *alpha, const void *beta);

/* How operands are used that alpha, or beta, multiplies. */
enum touch_use call_by_alpha(const struct call *c);
enum touch_use call_by_beta(const struct call *c);

/* The operands, by their names in the manual. Each function returns the address
 * at which simgpu itself accesses the operand. */
void *call_whole(struct call *c, const char *what, const void *p, int rows,
                 int cols, int ld, enum touch_use use);
void *call_triangle(struct call *c, const char *what, const void *p,
                    cublasFillMode_t fill, int n, int ld, enum touch_use use);
void *call_line(struct call *c, const char *what, const void *p, int n, int inc,
                enum touch_use use);

/* A triangular matrix A. If its diagonal is said to be 1, its contents there do
 * not matter. */
void *call_factor(struct call *c, const void *p, cublasFillMode_t fill,
                  cublasDiagType_t diag, int n, int ld, enum touch_use use);

#endif
