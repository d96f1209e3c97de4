#include "cublas/call.h"

#include "cublas/column.h"
#include "cublas/parameter.h"

static cublasStatus_t try_to_begin(struct call *c, void (*run)(struct op *),
                                   cudaDataType type, struct call_verdict v)
{
    const cublasStatus_t status =
        handle_stream(c->handle, &c->site, &c->stream);
    if (status != CUBLAS_STATUS_SUCCESS)
        return status;
    if (v.wrong)
        return parameter_refuse(c->site.name, v.silent ? 0 : v.wrong);
    if (!v.any)
        return status;
    if (!v.scalars)
        return CUBLAS_STATUS_INVALID_VALUE;
    c->t = (struct touches){.call = c->site, .stream = c->stream};
    c->size = column_operand_nbytes(type);
    c->op = simgpu_op_new(sizeof *c->op, run, GRAPH_KERNEL, c->site.name,
                          c->site.site);
    c->op->type = type;
    return status;
}

cublasStatus_t call_begin(struct call *c, void (*run)(struct op *),
                          cudaDataType type, struct call_verdict v)
{
    return handle_return(&c->site, try_to_begin(c, run, type, v));
}

cublasStatus_t call_end(struct call *c, double flops)
{
    const cudaDataType type = c->op->type;
    enqueue(c->stream, &c->op->op, sizeof *c->op, &c->t,
            // a complex product takes 4 real ones
            (column_is_complex(type) ? 4 : 1) * flops,
            column_is_double(type) ? TOPO_FP64 : TOPO_FP32);
    return CUBLAS_STATUS_SUCCESS;
}

void *call_whole(struct call *c, const char *what, const void *p, int rows,
                 int cols, int ld, enum touch_use use)
{
    return touch(&c->t, what, p, (size_t)rows * c->size, (size_t)ld * c->size,
                 (size_t)cols, use);
}

void *call_triangle(struct call *c, const char *what, const void *p,
                    cublasFillMode_t fill, int n, int ld, enum touch_use use)
{
    return touch_triangle(&c->t, what, p, c->size, fill, n, ld, use);
}

void *call_factor(struct call *c, const void *p, cublasFillMode_t fill,
                  cublasDiagType_t diag, int n, int ld, enum touch_use use)
{
    if (diag == CUBLAS_DIAG_NON_UNIT)
        return call_triangle(c, "A", p, fill, n, ld, use);
    const size_t next = fill == CUBLAS_FILL_MODE_LOWER ? 1 : (size_t)ld;
    void *const at = touch(&c->t, "A", p, c->size, ((size_t)ld + 1) * c->size,
                           (size_t)n, use == TOUCH_READ ? TOUCH_MAYBE : use);
    call_triangle(c, "A", (const char *)p + next * c->size, fill, n - 1, ld,
                  use);
    return at;
}

void *call_line(struct call *c, const char *what, const void *p, int n, int inc,
                enum touch_use use)
{
    return touch_vector(&c->t, what, p, c->size, n, inc, use);
}

void call_scalars(struct call *c, const void *alpha, const void *beta)
{
    const cudaDataType type = c->op->op.run != matrix_herk    ? c->op->type
                              : column_is_double(c->op->type) ? CUDA_R_64F
                                                              : CUDA_R_32F;
    c->op->alpha = touch_scalar(&c->t, c->handle, "alpha", alpha, type);
    if (beta)
        c->op->beta = touch_scalar(&c->t, c->handle, "beta", beta, type);
}

enum touch_use call_by_alpha(const struct call *c)
{
    return scalar_use(&c->op->alpha);
}

enum touch_use call_by_beta(const struct call *c)
{
    return scalar_use(&c->op->beta);
}
