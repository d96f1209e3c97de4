# An all-to-all of pairs, on a stream of its own, ordered by events.
sed -i '/^static ncclResult_t exchange(/,/^}/d' heads.c
cat > body <<'C'

static ncclResult_t exchange(struct seq *s, const float *in, float *out,
                             cudaStream_t stream)
{
    const size_t each = seq_block(s) / (size_t)s->nranks;
    cudaStream_t own;
    cudaEvent_t before, after;
    int low, high;
    LAB_TRY_CUDA(cudaDeviceGetStreamPriorityRange(&low, &high));
    LAB_TRY_CUDA(cudaStreamCreateWithPriority(&own, cudaStreamNonBlocking, high));
    LAB_TRY_CUDA(cudaEventCreateWithFlags(&before, cudaEventDisableTiming));
    LAB_TRY_CUDA(cudaEventCreateWithFlags(&after, cudaEventDisableTiming));
    LAB_TRY_CUDA(cudaEventRecord(before, stream));
    LAB_TRY_CUDA(cudaStreamWaitEvent(own, before, cudaEventWaitDefault));
    for (int k = 0; k < s->nranks; k++) {
        const size_t to = (size_t)((s->rank + k) % s->nranks), from = (size_t)((s->rank + s->nranks - k) % s->nranks);
        LAB_TRY(ncclGroupStart());
        LAB_TRY(ncclSend(in + to * each, each, ncclFloat, (int)to, s->comm, own));
        LAB_TRY(ncclRecv(out + from * each, each, ncclFloat, (int)from, s->comm, own));
        LAB_TRY(ncclGroupEnd());
    }
    LAB_TRY_CUDA(cudaEventRecord(after, own));
    LAB_TRY_CUDA(cudaStreamWaitEvent(stream, after, 0));
    LAB_TRY_CUDA(cudaEventDestroy(before));
    LAB_TRY_CUDA(cudaEventDestroy(after));
    LAB_TRY_CUDA(cudaStreamDestroy(own));
    return ncclSuccess;
}
C
sed -i '/^#include "lab\/try.h"/r body' heads.c
rm body
