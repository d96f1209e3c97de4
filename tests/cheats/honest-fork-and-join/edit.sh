# Sends on a stream of its own, between two events.
sed -i 's/^ncclResult_t p2p_broadcast(/static ncclResult_t on_stream(/' p2p.c
cat >> p2p.c <<'C'
ncclResult_t p2p_broadcast(const void *sendbuf, void *recvbuf, size_t count,
                           ncclDataType_t type, int root, const struct coll *c)
{
    struct coll mine = *c;
    cudaEvent_t before, after;
    LAB_TRY_CUDA(cudaStreamCreateWithPriority(&mine.stream, cudaStreamNonBlocking, -1));
    LAB_TRY_CUDA(cudaEventCreateWithFlags(&before, cudaEventDisableTiming));
    LAB_TRY_CUDA(cudaEventCreateWithFlags(&after, cudaEventDisableTiming));
    LAB_TRY_CUDA(cudaEventRecord(before, c->stream));
    LAB_TRY_CUDA(cudaStreamWaitEvent(mine.stream, before, 0));
    LAB_TRY(on_stream(sendbuf, recvbuf, count, type, root, &mine));
    LAB_TRY_CUDA(cudaEventRecord(after, mine.stream));
    LAB_TRY_CUDA(cudaStreamWaitEvent(c->stream, after, 0));
    LAB_TRY_CUDA(cudaEventDestroy(before));
    LAB_TRY_CUDA(cudaEventDestroy(after));
    LAB_TRY_CUDA(cudaStreamDestroy(mine.stream));
    return ncclSuccess;
}
C
