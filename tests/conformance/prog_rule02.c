/* Rule 2. A stream is first in, first out. */
#include "slow.h"

int main(void)
{
    const cudaStream_t s = new_stream(cudaStreamNonBlocking);
    volatile int first, second;
    struct sight after_first, before_second;
    slow(s, &first);
    look(s, &after_first, &first);
    look(s, &before_second, &second);
    slow(s, &second);
    MUST(cudaStreamSynchronize(s));
    say("behind the first, the first", after_first.seen);
    say("before the second, the second", before_second.seen);
    return 0;
}
