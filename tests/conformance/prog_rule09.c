/* Rule 9. Legacy default stream: an operation on it follows all blocking
 * streams of its device, and later work there follows it. Non-blocking streams
 * are exempt. */
#include "slow.h"

int main(void)
{
    const cudaStream_t blocking = new_stream(cudaStreamDefault);
    const cudaStream_t exempt = new_stream(cudaStreamNonBlocking);
    volatile int done;
    struct sight in_legacy, in_blocking, in_exempt;
    slow(blocking, &done);
    look(0, &in_legacy, &done);
    look(exempt, &in_exempt, &done);
    MUST(cudaDeviceSynchronize());
    say("a blocking stream's work, to the legacy stream", in_legacy.seen);
    say("to a non-blocking stream", in_exempt.seen);
    slow(0, &done);
    look(blocking, &in_blocking, &done);
    look(exempt, &in_exempt, &done);
    MUST(cudaDeviceSynchronize());
    say("the legacy stream's work, to a blocking stream", in_blocking.seen);
    say("to a non-blocking stream", in_exempt.seen);
    return 0;
}
