/* Rule 7. cudaStreamSynchronize: the host joins the stream; for the legacy
 * stream also all blocking streams of that device. */
#include "slow.h"

int main(void)
{
    const cudaStream_t blocking = new_stream(cudaStreamDefault);
    const cudaStream_t free_stream = new_stream(cudaStreamNonBlocking);
    volatile int a, b, c;
    slow(blocking, &a);
    MUST(cudaStreamSynchronize(free_stream));
    say("another stream's work", a);
    MUST(cudaStreamSynchronize(blocking));
    say("its own", a);
    slow(blocking, &a);
    slow(free_stream, &b);
    slow(free_stream, &c); // ends long after a
    MUST(cudaStreamSynchronize(0));
    say("a blocking stream's, by the legacy stream", a);
    say("a non-blocking one's", c);
    MUST(cudaDeviceSynchronize());
    return 0;
}
