/* Rule 8. cudaDeviceSynchronize: all streams of the current device,
 * non-blocking ones too; no other device. */
#include "slow.h"

int main(void)
{
    const cudaStream_t s = new_stream(cudaStreamNonBlocking);
    volatile int done, elsewhere = 0;
    slow(s, &done);
    MUST(cudaDeviceSynchronize());
    say("a non-blocking stream's work", done);
    if (has_two_devices()) {
        MUST(cudaSetDevice(1));
        slow(new_stream(cudaStreamDefault), &elsewhere);
        MUST(cudaSetDevice(0));
        MUST(cudaDeviceSynchronize());
    }
    say("another device's", elsewhere);
    if (has_two_devices()) {
        MUST(cudaSetDevice(1));
        MUST(cudaDeviceSynchronize());
    }
    return 0;
}
