/* Rule 5. cudaStreamWaitEvent uses the snapshot at the call. An unrecorded
 * event is no wait. Valid across devices. */
#include "slow.h"

int main(void)
{
    const cudaStream_t s = new_stream(cudaStreamNonBlocking);
    cudaStream_t other = new_stream(cudaStreamNonBlocking);
    volatile int *const a = new_flags(2), *const b = a + 1;
    const struct sight unrecorded = new_sight(), of_a = new_sight();
    const struct sight of_b = new_sight(), across = new_sight();
    cudaEvent_t e;
    MUST(cudaEventCreate(&e));
    slow(s, a);
    MUST(cudaStreamWaitEvent(other, e, 0));
    look(other, unrecorded, a);
    MUST(cudaStreamSynchronize(other));
    say("behind an event never recorded", seen(unrecorded));
    MUST(cudaEventRecord(e, s));
    MUST(cudaStreamWaitEvent(other, e, 0));
    slow(s, b);
    MUST(cudaEventRecord(e, s));
    look(other, of_a, a);
    look(other, of_b, b);
    MUST(cudaStreamSynchronize(other));
    say("what was before the record", seen(of_a));
    say("what a later record stands for", seen(of_b));
    if (has_two_devices()) {
        MUST(cudaSetDevice(1));
        other = new_stream(cudaStreamNonBlocking);
    }
    MUST(cudaStreamWaitEvent(other, e, 0));
    look(other, across, b);
    MUST(cudaStreamSynchronize(other));
    say("from another device", seen(across));
    return 0;
}
