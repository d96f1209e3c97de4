/* Rule 10. cudaStreamPerThread is an ordinary blocking stream. */
#include "slow.h"

int main(void)
{
    volatile int done;
    struct sight in_legacy, in_thread;
    slow(cudaStreamPerThread, &done);
    look(cudaStreamLegacy, &in_legacy, &done);
    MUST(cudaDeviceSynchronize());
    say("its work, to the legacy stream", in_legacy.seen);
    slow(cudaStreamLegacy, &done);
    look(cudaStreamPerThread, &in_thread, &done);
    MUST(cudaStreamSynchronize(cudaStreamPerThread));
    say("the legacy stream's work, to it", in_thread.seen);
    return 0;
}
