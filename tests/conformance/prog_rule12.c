/* Rule 12. cudaMemcpyAsync: stream order only. The host buffer is in use until
 * completion. */
#include "slow.h"

int main(void)
{
    char *const d = device_bytes(100, 1), *pinned;
    const cudaStream_t s = new_stream(cudaStreamNonBlocking);
    volatile int done;
    MUST(cudaMallocHost((void **)&pinned, 100));
    pinned[0] = 5;
    slow(s, &done);
    MUST(cudaMemcpyAsync(d, pinned, 100, cudaMemcpyHostToDevice, s));
    say("what was before it, when it returns", done);
    pinned[0] = 6;
    MUST(cudaStreamSynchronize(s));
    printf("a pinned source changed meanwhile: %d arrives\n", byte_at(d));
    return 0;
}
