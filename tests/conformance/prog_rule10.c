/* Rule 10. cudaStreamPerThread is an ordinary blocking stream. */
#include "slow.h"

int main(void)
{
    volatile int *const done = new_flags(1);
    const struct sight in_legacy = new_sight(), in_thread = new_sight();
    const struct sight mark = new_sight(), later = new_sight();
    slow_copy(cudaStreamPerThread, mark, done);
    look_at(cudaStreamLegacy, in_legacy, mark);
    MUST(cudaDeviceSynchronize());
    say("its work, to the legacy stream", seen(in_legacy));
    slow_copy(cudaStreamLegacy, later, done);
    look_at(cudaStreamPerThread, in_thread, later);
    MUST(cudaStreamSynchronize(cudaStreamPerThread));
    say("the legacy stream's work, to it", seen(in_thread));
    return 0;
}
