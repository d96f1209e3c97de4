/* Rule 16. Destroying a stream or an event gives no order. */
#include "slow.h"

int main(void)
{
    const cudaStream_t s = new_stream(cudaStreamDefault);
    volatile int done;
    cudaEvent_t e;
    MUST(cudaEventCreate(&e));
    slow(s, &done);
    MUST(cudaEventRecord(e, s));
    MUST(cudaEventDestroy(e));
    say("when the event is destroyed", done);
    MUST(cudaStreamDestroy(s));
    say("when the stream is destroyed", done);
    MUST(cudaDeviceSynchronize());
    say("in the end", done);
    return 0;
}
