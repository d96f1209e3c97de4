#include "cublas/vector.h"

#include <math.h>   /* fabs */
#include <string.h> /* memset */

#include "core/site.h"
#include "core/stream/deferred.h"
#include "cublas/column.h"

static double magnitude(const struct vector_op *v, int i)
{
    const size_t parts = column_is_complex(v->type) ? 2 : 1;
    const size_t k = parts * (size_t)i * (size_t)v->incx;
    double sum = 0;
    for (size_t p = 0; p < parts; p++)
        sum += column_is_double(v->type) ? fabs(((const double *)v->x)[k + p])
                                         : fabsf(((const float *)v->x)[k + p]);
    return sum;
}

int vector_extreme(const struct vector_op *v, double sign)
{
    int at = v->n > 0;
    for (int i = 1; i < v->n; i++)
        if (sign * magnitude(v, i) > sign * magnitude(v, at - 1))
            at = i + 1;
    return at;
}

/* What a call reads of a vector. It may do nothing if its one factor is 0. */
static enum touch_use reads(const struct vector_call *c,
                            const struct vector_op *v)
{
    return c->has_scalars == 1 && scalar_use(&v->alpha) != TOUCH_READ
               ? TOUCH_MAYBE
               : TOUCH_READ;
}

static void *use(struct touches *t, const char *what, const void *p,
                 const struct vector_call *c, int inc, int how,
                 enum touch_use read)
{
    const size_t size = column_operand_nbytes(c->type);
    void *at = NULL;
    if (how & VECTOR_READS)
        at = touch_vector(t, what, p, size, c->n, inc, read);
    if (how & VECTOR_WRITES)
        at = touch_vector(t, what, p, size, c->n, inc, TOUCH_WRITE);
    return at;
}

/* Enqueue the operation and set where its result goes. If that
 * is host memory, wait. */
static cublasStatus_t finish(const struct vector_call *c, struct stream *s,
                             struct vector_op *v, struct touches *t, int waits)
{
    const enum topo_math math =
        column_is_double(c->type) ? TOPO_FP64 : TOPO_FP32;
    if (c->has_result)
        v->result = waits ? c->result
                          : touch(t, "result", c->result, c->result_nbytes,
                                  c->result_nbytes, 1, TOUCH_WRITE);
    const struct fence m =
        enqueue(s, &v->op, sizeof *v, t, c->flops * c->n, math);
    if (waits)
        simgpu_fence_join(&m, 1, c->site.name, c->site.site);
    return CUBLAS_STATUS_SUCCESS;
}

static cublasStatus_t enqueue_vector(cublasHandle_t handle,
                                     const struct vector_call *c)
{
    struct touches t = {.call = c->site};
    struct stream *s;
    const cublasStatus_t status = handle_stream(handle, &c->site, &s);
    if (status != CUBLAS_STATUS_SUCCESS)
        return status;
    t.stream = s;
    const int nothing = c->n <= 0 || (c->forwards && c->incx <= 0);
    const int waits =
        c->has_result && handle->pointer_mode == CUBLAS_POINTER_MODE_HOST;
    if (c->has_result && !c->result)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (waits && nothing)
        memset(c->result, 0, c->result_nbytes);
    if (nothing && (waits || !c->has_result))
        return status;
    if (c->has_scalars && (!c->alpha || (c->has_scalars == 2 && !c->beta)))
        return CUBLAS_STATUS_INVALID_VALUE;
    if (waits && simgpu_stream_refuses(s, 1))
        return CUBLAS_STATUS_EXECUTION_FAILED;
    struct vector_op *const v = simgpu_op_new(sizeof *v, c->run, GRAPH_KERNEL,
                                              c->site.name, c->site.site);
    v->type = c->type;
    v->result_type = c->result_type;
    v->n = nothing ? 0 : c->n;
    v->incx = c->incx;
    v->incy = c->incy;
    if (c->has_scalars > 0)
        v->alpha = touch_scalar(&t, handle, "alpha", c->alpha, c->scalar_type);
    if (c->has_scalars > 1)
        v->beta = touch_scalar(&t, handle, "beta", c->beta, c->scalar_type);
    if (!nothing) {
        v->x = use(&t, "x", c->x, c, c->incx, c->x_use, reads(c, v));
        v->y = use(&t, "y", c->y, c, c->incy, c->y_use, reads(c, v));
    }
    return finish(c, s, v, &t, waits);
}

cublasStatus_t vector_enqueue(cublasHandle_t handle,
                              const struct vector_call *c)
{
    return handle_return(&c->site, enqueue_vector(handle, c));
}
