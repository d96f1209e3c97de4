/* Rule 13. cudaMemcpyPeerAsync: stream order; touches allocations of both
 * devices. (With one device: from it to itself.) */
#include "slow.h"

int main(void)
{
    const int other = has_two_devices();
    char *const d = device_bytes(100, 1);
    const cudaStream_t s = new_stream(cudaStreamNonBlocking);
    volatile int done;
    MUST(cudaSetDevice(other));
    char *const e = device_bytes(100, 2);
    MUST(cudaSetDevice(0));
    slow(s, &done);
    MUST(cudaMemsetAsync(d, 9, 100, s));
    MUST(cudaMemcpyPeerAsync(e, other, d, 0, 100, s));
    say("what was before it, when it returns", done);
    MUST(cudaStreamSynchronize(s));
    printf("after it %d is there\n", byte_at(e));
    return 0;
}
