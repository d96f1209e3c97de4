/* Rule 14. cudaFree waits for the device. cudaMallocAsync and cudaFreeAsync
 * bound a lifetime in stream order. */
#include "slow.h"

int main(void)
{
    const cudaStream_t s = new_stream(cudaStreamDefault);
    char *const d = device_bytes(100, 1), *const kept = device_bytes(100, 1);
    char *p;
    volatile int done;
    slow(s, &done);
    MUST(cudaFree(d));
    say("cudaFree", done);
    slow(s, &done);
    MUST(cudaMallocAsync((void **)&p, 100, s));
    MUST(cudaMemsetAsync(p, 8, 100, s));
    MUST(cudaMemcpyAsync(kept, p, 100, cudaMemcpyDeviceToDevice, s));
    MUST(cudaFreeAsync(p, s));
    say("cudaFreeAsync", done);
    MUST(cudaStreamSynchronize(s));
    printf("in between %d was there\n", byte_at(kept));
    return 0;
}
