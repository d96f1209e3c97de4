/* Rule 2. A stream is first in, first out. */
#include "slow.h"

int main(void)
{
    const cudaStream_t s = new_stream(cudaStreamNonBlocking);
    volatile int *const first = new_flags(2), *const second = first + 1;
    const struct sight after_first = new_sight();
    const struct sight before_second = new_sight();
    slow(s, first);
    look(s, after_first, first);
    look(s, before_second, second);
    slow(s, second);
    MUST(cudaStreamSynchronize(s));
    say("behind the first, the first", seen(after_first));
    say("before the second, the second", seen(before_second));
    return 0;
}
