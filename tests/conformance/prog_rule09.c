/* Rule 9. Legacy default stream: an operation on it follows all blocking
 * streams of its device, and later work there follows it. Non-blocking streams
 * are exempt. */
#include "slow.h"

int main(void)
{
    const cudaStream_t blocking = new_stream(cudaStreamDefault);
    const cudaStream_t exempt = new_stream(cudaStreamNonBlocking);
    volatile int *const done = new_flags(1);
    const struct sight in_legacy = new_sight(), in_blocking = new_sight();
    const struct sight in_exempt = new_sight(), mark = new_sight();
    const struct sight later = new_sight();
    slow_copy(blocking, mark, done);
    look_at(0, in_legacy, mark);
    look(exempt, in_exempt, done);
    MUST(cudaDeviceSynchronize());
    say("a blocking stream's work, to the legacy stream", seen(in_legacy));
    say("to a non-blocking stream", seen(in_exempt));
    slow_copy(0, later, done);
    look_at(blocking, in_blocking, later);
    look(exempt, in_exempt, done);
    MUST(cudaDeviceSynchronize());
    say("the legacy stream's work, to a blocking stream", seen(in_blocking));
    say("to a non-blocking stream", seen(in_exempt));
    return 0;
}
