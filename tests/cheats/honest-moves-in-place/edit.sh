# Moves its tokens down in one buffer, where source and destination overlap,
# before it sends them.
sed -i 's/^ncclResult_t moe_dispatch(/static ncclResult_t dispatch(/' travel.c
cat >> travel.c <<'C'

ncclResult_t moe_dispatch(const struct moe *m, const struct moe_route *route,
                          const float *packed, float *recvbuf,
                          cudaStream_t stream)
{
    static float *moved;
    const size_t dim = (size_t)m->dim, most = 1 << 20;
    size_t n = 0;
    for (int r = 0; r < m->nranks; r++)
        n += (size_t)route->send_count[r] * dim;
    if (n + dim > most)
        return ncclInvalidArgument;
    if (!moved)
        LAB_TRY_CUDA(cudaMalloc((void **)&moved, most * sizeof *moved));
    LAB_TRY_CUDA(cudaMemcpyAsync(moved + dim, packed, n * sizeof *moved,
                                 cudaMemcpyDeviceToDevice, stream));
    LAB_TRY_CUDA(cudaMemcpyAsync(moved, moved + dim, n * sizeof *moved,
                                 cudaMemcpyDeviceToDevice, stream));
    return dispatch(m, route, moved, recvbuf, stream);
}
C
