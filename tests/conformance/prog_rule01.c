/* Rule 1. An operation follows what its stream and its host thread know; by
 * enqueueing it the host learns nothing. */
#include "slow.h"

int main(void)
{
    const cudaStream_t s = new_stream(cudaStreamDefault);
    volatile int done;
    slow(s, &done);
    say("when it is enqueued", done);
    MUST(cudaStreamSynchronize(s));
    say("when the host has waited", done);
    return 0;
}
