/* Rule 5. cudaStreamWaitEvent uses the snapshot at the call. An unrecorded
 * event is no wait. Valid across devices. */
#include "slow.h"

int main(void)
{
    const cudaStream_t s = new_stream(cudaStreamNonBlocking);
    cudaStream_t other = new_stream(cudaStreamNonBlocking);
    volatile int a, b;
    struct sight of_a, of_b, across;
    cudaEvent_t e;
    MUST(cudaEventCreate(&e));
    slow(s, &a);
    MUST(cudaStreamWaitEvent(other, e, 0));
    look(other, &of_a, &a);
    MUST(cudaStreamSynchronize(other));
    say("behind an event never recorded", of_a.seen);
    MUST(cudaEventRecord(e, s));
    MUST(cudaStreamWaitEvent(other, e, 0));
    slow(s, &b);
    MUST(cudaEventRecord(e, s));
    look(other, &of_a, &a);
    look(other, &of_b, &b);
    MUST(cudaStreamSynchronize(other));
    say("what was before the record", of_a.seen);
    say("what a later record stands for", of_b.seen);
    if (has_two_devices()) {
        MUST(cudaSetDevice(1));
        other = new_stream(cudaStreamNonBlocking);
    }
    MUST(cudaStreamWaitEvent(other, e, 0));
    look(other, &across, &b);
    MUST(cudaStreamSynchronize(other));
    say("from another device", across.seen);
    return 0;
}
