/* Rule 10. cudaStreamPerThread is an ordinary blocking stream. */
#include "slow.h"

int main(void)
{
    volatile int *const done = new_flags(1);
    const struct sight in_legacy = new_sight(), in_thread = new_sight();
    slow(cudaStreamPerThread, done);
    look(cudaStreamLegacy, in_legacy, done);
    MUST(cudaDeviceSynchronize());
    say("its work, to the legacy stream", seen(in_legacy));
    slow(cudaStreamLegacy, done);
    look(cudaStreamPerThread, in_thread, done);
    MUST(cudaStreamSynchronize(cudaStreamPerThread));
    say("the legacy stream's work, to it", seen(in_thread));
    return 0;
}
