/* Rule 4. cudaEventRecord takes a snapshot of the stream; recording again
 * replaces it. */
#include "slow.h"

int main(void)
{
    const cudaStream_t s = new_stream(cudaStreamDefault);
    volatile int a, b;
    cudaEvent_t e;
    MUST(cudaEventCreate(&e));
    slow(s, &a);
    MUST(cudaEventRecord(e, s));
    slow(s, &b);
    MUST(cudaEventSynchronize(e));
    say("what was before the record", a);
    say("what came after it", b);
    MUST(cudaEventRecord(e, s));
    MUST(cudaEventSynchronize(e));
    say("and when it was recorded again", b);
    return 0;
}
