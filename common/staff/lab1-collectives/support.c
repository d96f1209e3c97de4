/*
 * support.c: sizes, addresses, chunks and copies. Given: nothing to edit here.
 */
#include "lab1.h"

#include <stdlib.h> /* qsort */

#include "lab/try.h" /* LAB_TRY, LAB_TRY_CUDA */

size_t coll_type_size(ncclDataType_t type)
{
    switch (type) {
    case ncclInt8:
    case ncclUint8: return 1;
    case ncclFloat16:
    case ncclBfloat16: return 2;
    case ncclInt32:
    case ncclUint32:
    case ncclFloat32: return 4;
    case ncclInt64:
    case ncclUint64:
    case ncclFloat64: return 8;
    default: return 0;
    }
}

void *coll_at(const void *buf, size_t i, ncclDataType_t type)
{
    return (char *)buf + i * coll_type_size(type);
}

ncclResult_t coll_copy(void *dst, const void *src, size_t count,
                       ncclDataType_t type, cudaStream_t stream)
{
    if (dst == src || count == 0)
        return ncclSuccess;
    const cudaError_t err =
        cudaMemcpyAsync(dst, src, count * coll_type_size(type),
                        cudaMemcpyDeviceToDevice, stream);
    return err == cudaSuccess ? ncclSuccess : ncclUnhandledCudaError;
}

size_t coll_chunk(size_t count, int n, int i)
{
    const size_t whole = count / n, more = count % n; // `more` get one more
    return whole * i + ((size_t)i < more ? (size_t)i : more);
}

struct piece coll_piece(size_t count, int n, int i)
{
    i = (i % n + n) % n;
    return (struct piece){coll_chunk(count, n, i), coll_chunk(count, n, i + 1)};
}

ncclResult_t coll_exchange(void *buf, struct piece out, int to, void *into,
                           struct piece in, int from, ncclDataType_t type,
                           const struct coll *c)
{
    LAB_TRY(ncclGroupStart());
    if (to >= 0 && out.end > out.begin)
        LAB_TRY(ncclSend(coll_at(buf, out.begin, type), out.end - out.begin,
                         type, to, c->comm, c->stream));
    if (from >= 0 && in.end > in.begin)
        LAB_TRY(
            ncclRecv(into, in.end - in.begin, type, from, c->comm, c->stream));
    return ncclGroupEnd();
}

ncclResult_t coll_exchange_combine(void *buf, struct piece out, int to,
                                   struct piece in, int from,
                                   ncclDataType_t type, ncclRedOp_t op,
                                   const struct coll *c)
{
    LAB_TRY(coll_exchange(buf, out, to, c->scratch, in, from, type, c));
    if (from < 0 || in.end == in.begin)
        return ncclSuccess;
    return coll_combine(coll_at(buf, in.begin, type), c->scratch,
                        in.end - in.begin, type, op, c->stream);
}

int coll_active_ranks(int n, int *rank_of)
{
    int p = 1;
    while (2 * p <= n)
        p *= 2;
    const int folded = n - p;
    for (int v = 0; v < p; v++)
        rank_of[v] = v < folded ? 2 * v + 1 : v + folded;
    return p;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double measure_median(double *values, int n)
{
    qsort(values, (size_t)n, sizeof *values, by_value);
    return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

ncclResult_t measure_slowest(double *us, const struct coll *c)
{
    double *const d = c->scratch;
    LAB_TRY_CUDA(
        cudaMemcpyAsync(d, us, sizeof *us, cudaMemcpyHostToDevice, c->stream));
    LAB_TRY(ncclAllReduce(d, d, 1, ncclDouble, ncclMax, c->comm, c->stream));
    LAB_TRY_CUDA(
        cudaMemcpyAsync(us, d, sizeof *us, cudaMemcpyDeviceToHost, c->stream));
    LAB_TRY_CUDA(cudaStreamSynchronize(c->stream));
    return ncclSuccess;
}
