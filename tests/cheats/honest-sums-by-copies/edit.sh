# Copies every peer's input, and adds it by a kernel of its own, which stores
# what a function returns.
sed -i '/^ncclResult_t symm_one_shot(/,/^}/d' allreduce.cu
cat >> allreduce.cu <<'C'
struct one {
    float x;
};

static __device__ __noinline__ struct one sum_of_two(struct one a, float b)
{
    return {a.x + b};
}

static __global__ void add(struct one *sum, const float *x, size_t n)
{
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        sum[i] = sum_of_two(sum[i], x[i]);
}

ncclResult_t symm_one_shot(struct symm_reducer *a, const float *sendbuf,
                           float *recvbuf, size_t count, cudaStream_t stream)
{
    const size_t nbytes = count * sizeof(float);
    float *box;
    LAB_TRY_CUDA(cudaMallocAsync((void **)&box, nbytes, stream));
    LAB_TRY(symm_barrier(a->s, stream));
    LAB_TRY(symm_get(a->s, recvbuf, sendbuf, nbytes, 0, stream));
    for (int r = 1; r < a->s->view.nranks; r++) {
        LAB_TRY(symm_get(a->s, box, sendbuf, nbytes, r, stream));
        add<<<(unsigned)((count + 255) / 256), 256, 0, stream>>>(
            (struct one *)recvbuf, box, count);
    }
    LAB_TRY(symm_barrier(a->s, stream));
    LAB_TRY_CUDA(cudaFreeAsync(box, stream));
    LAB_TRY_CUDA(cudaGetLastError());
    return ncclSuccess;
}
C
