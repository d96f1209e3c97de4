# The mean as a sum of what is multiplied before, by a factor in device memory
# that the host has computed and sent there; and a buffer of its own, padded.
sed -i '/^ncclResult_t bucket_sync/,/^}/d' buckets.c
cat >> buckets.c <<'C'
ncclResult_t bucket_sync(struct nn *m, size_t cap_nbytes, ncclDataType_t type, const struct sync *s)
{
    int bucket[NN_MAX_DEPTH];
    float *factor, *own;
    size_t count = 0;
    ncclRedOp_t mean;
    const float share = 1.0f / (float)s->nranks;
    const int nbuckets = bucket_assign(m, cap_nbytes, size_of(type), bucket);
    for (int i = 0; i < m->nparams; i++)
        if (bucket[i] >= 0)
            count += m->param[i].count;
    LAB_TRY_CUDA(cudaMallocAsync((void **)&own, (count + 64 * (size_t)nbuckets) * sizeof *own, s->stream));
    LAB_TRY_CUDA(cudaMalloc((void **)&factor, sizeof *factor));
    LAB_TRY_CUDA(cudaMemcpyAsync(factor, &share, sizeof share, cudaMemcpyHostToDevice, s->stream));
    LAB_TRY_CUDA(cudaStreamSynchronize(s->stream));
    LAB_TRY(ncclRedOpCreatePreMulSum(&mean, factor, ncclFloat, ncclScalarDevice, s->comm));
    LAB_TRY_CUDA(cudaMemsetAsync(own, 0, (count + 64 * (size_t)nbuckets) * sizeof *own, s->stream));
    float *at = own;
    for (int b = 0; b < nbuckets; b++) {
        float *const begin = at;
        for (int pass = 0; pass < 2; pass++) {
            at = begin;
            for (int i = m->nparams - 1; i >= 0; i--)
                if (bucket[i] == b) {
                    const struct nn_param *const p = &m->param[i];
                    LAB_TRY_CUDA(cudaMemcpyAsync(pass ? p->grad : at, pass ? at : p->grad, p->count * sizeof *at, cudaMemcpyDeviceToDevice, s->stream));
                    at += p->count;
                }
            if (!pass)
                LAB_TRY(ncclAllReduce(begin, begin, (size_t)(at - begin), type, mean, s->comm, s->stream));
        }
        at += -(at - own) & 63; // the next one begins at a multiple of 256 bytes
    }
    LAB_TRY_CUDA(cudaStreamSynchronize(s->stream));
    LAB_TRY(ncclRedOpDestroy(mean, s->comm));
    LAB_TRY_CUDA(cudaFreeAsync(own, s->stream));
    LAB_TRY_CUDA(cudaFree(factor));
    return ncclSuccess;
}
C
