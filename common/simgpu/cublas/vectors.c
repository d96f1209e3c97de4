/*
 * vectors.c: axpy, scal, nrm2
 *
 * A vector is n elements, `inc` apart; a negative inc runs backwards from its
 * last element, in the same memory.
 */
#include "cublas/handle.h"

#include <stdlib.h> /* abs */

#include "core/site.h"
#include "cublas/blas.h"

struct vector_op { /* y += alpha x, x *= alpha or *result = |x| */
    struct op op;
    int n, incx, incy;
    float alpha;
    const float *alpha_at; /* NULL: alpha */
    float *x, *y, *result;
};

static void run_axpy(struct op *op)
{
    const struct vector_op *const v = (struct vector_op *)op;
    blas()->saxpy(v->n, v->alpha_at ? *v->alpha_at : v->alpha, v->x, v->incx,
                  v->y, v->incy);
}

static void run_scal(struct op *op)
{
    const struct vector_op *const v = (struct vector_op *)op;
    blas()->sscal(v->n, v->alpha_at ? *v->alpha_at : v->alpha, v->x, v->incx);
}

static void run_nrm2(struct op *op)
{
    const struct vector_op *const v = (struct vector_op *)op;
    *v->result = blas()->snrm2(v->n, v->x, v->incx);
}

static float *touch_vector(struct touches *t, const char *what, const float *p,
                           int n, int inc, int write)
{
    return touch(t, what, p, sizeof *p, (size_t)abs(inc) * sizeof *p, (size_t)n,
                 write);
}

static struct vector_op *vector_op(void (*run)(struct op *),
                                   const struct site *call, int n)
{
    struct vector_op *const v =
        simgpu_op_new(sizeof *v, run, GRAPH_KERNEL, call->name, call->site);
    v->n = n;
    return v;
}

cublasStatus_t cublasSaxpy_v2(cublasHandle_t handle, int n, const float *alpha,
                              const float *x, int incx, float *y, int incy)
{
    struct touches t = {.call = {"cublasSaxpy", CALLER_SITE()}};
    struct stream *s;
    const cublasStatus_t status = handle_stream(handle, &s);
    if (status != CUBLAS_STATUS_SUCCESS || n <= 0)
        return status;
    if (!alpha)
        return CUBLAS_STATUS_INVALID_VALUE;
    struct vector_op *const v = vector_op(run_axpy, &t.call, n);
    v->alpha_at = touch_scalar(&t, handle, "alpha", alpha, &v->alpha);
    v->x = touch_vector(&t, "x", x, n, incx, 0);
    touch_vector(&t, "y", y, n, incy, 0);
    v->y = touch_vector(&t, "y", y, n, incy, 1);
    v->incx = incx;
    v->incy = incy;
    enqueue(s, &v->op, &t, 2.0 * n, TOPO_FP32);
    return status;
}

cublasStatus_t cublasSscal_v2(cublasHandle_t handle, int n, const float *alpha,
                              float *x, int incx)
{
    struct touches t = {.call = {"cublasSscal", CALLER_SITE()}};
    struct stream *s;
    const cublasStatus_t status = handle_stream(handle, &s);
    if (status != CUBLAS_STATUS_SUCCESS || n <= 0 || incx <= 0)
        return status;
    if (!alpha)
        return CUBLAS_STATUS_INVALID_VALUE;
    struct vector_op *const v = vector_op(run_scal, &t.call, n);
    v->alpha_at = touch_scalar(&t, handle, "alpha", alpha, &v->alpha);
    touch_vector(&t, "x", x, n, incx, 0);
    v->x = touch_vector(&t, "x", x, n, incx, 1);
    v->incx = incx;
    enqueue(s, &v->op, &t, n, TOPO_FP32);
    return status;
}

cublasStatus_t cublasSnrm2_v2(cublasHandle_t handle, int n, const float *x,
                              int incx, float *result)
{
    struct touches t = {.call = {"cublasSnrm2", CALLER_SITE()}};
    struct stream *s;
    const cublasStatus_t status = handle_stream(handle, &s);
    if (status != CUBLAS_STATUS_SUCCESS)
        return status;
    if (!result)
        return CUBLAS_STATUS_INVALID_VALUE;
    const int waits = handle->pointer_mode == CUBLAS_POINTER_MODE_HOST;
    if (waits && (n <= 0 || incx <= 0)) {
        *result = 0;
        return status;
    }
    struct vector_op *const v = vector_op(run_nrm2, &t.call, n);
    v->x = touch_vector(&t, "x", x, n < 0 ? 0 : n, incx, 0);
    v->incx = incx;
    v->result = waits ? result
                      : touch(&t, "result", result, sizeof *result,
                              sizeof *result, 1, 1);
    const struct fence m = enqueue(s, &v->op, &t, 2.0 * n, TOPO_FP32);
    if (waits)
        simgpu_fence_join(&m, 1, t.call.name, t.call.site);
    return status;
}
