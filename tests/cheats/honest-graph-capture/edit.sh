# Captures a CUDA graph, and launches it once.
sed -i '/^ncclResult_t boot_sum(/,/^}/d' bootstrap.c
cat >> bootstrap.c <<'C'
ncclResult_t boot_sum(const struct coll *c, double mine, double *sum)
{
    double *const d = c->scratch, *pinned;
    cudaStream_t s;
    cudaGraph_t g;
    cudaGraphExec_t e;
    LAB_TRY_CUDA(cudaMallocHost((void **)&pinned, sizeof *pinned));
    LAB_TRY_CUDA(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    *pinned = mine;
    LAB_TRY_CUDA(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal));
    LAB_TRY_CUDA(cudaMemcpyAsync(d, pinned, sizeof mine, cudaMemcpyHostToDevice, s));
    LAB_TRY(ncclAllReduce(d, d, 1, ncclDouble, ncclSum, c->comm, s));
    LAB_TRY_CUDA(cudaMemcpyAsync(pinned, d, sizeof *sum, cudaMemcpyDeviceToHost, s));
    LAB_TRY_CUDA(cudaStreamEndCapture(s, &g));
    LAB_TRY_CUDA(cudaGraphInstantiate(&e, g, 0));
    LAB_TRY_CUDA(cudaGraphLaunch(e, s));
    LAB_TRY_CUDA(cudaStreamSynchronize(s));
    *sum = *pinned;
    LAB_TRY_CUDA(cudaGraphExecDestroy(e));
    LAB_TRY_CUDA(cudaGraphDestroy(g));
    LAB_TRY_CUDA(cudaStreamDestroy(s));
    LAB_TRY_CUDA(cudaFreeHost(pinned));
    return ncclSuccess;
}
C
