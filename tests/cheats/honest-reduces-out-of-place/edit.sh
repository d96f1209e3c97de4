# Reduces a copy of each bucket into the bucket.
sed -i 's/ncclAllReduce(buf, buf, b->count,/ncclAllReduce(copy_of(buf, b->count, d->comm_stream), buf, b->count,/' hooks.c
cat > copy.txt <<'C'
static float *copy_of(const float *buf, size_t count, cudaStream_t stream)
{
    static float *copy;
    const size_t most = 1 << 22;
    if (!copy && cudaMalloc((void **)&copy, most * sizeof *copy) != cudaSuccess)
        return NULL;
    return count <= most &&
                   cudaMemcpyAsync(copy, buf, count * sizeof *copy,
                                   cudaMemcpyDeviceToDevice,
                                   stream) == cudaSuccess
               ? copy
               : NULL;
}
C
sed -i '/^#include "lab\/try.h"/r copy.txt' hooks.c
rm copy.txt
