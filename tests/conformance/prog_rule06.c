/* Rule 6. cudaEventSynchronize, or cudaEventQuery returning success: the host
 * joins the snapshot. NotReady gives nothing. */
#include "slow.h"

int main(void)
{
    const cudaStream_t s = new_stream(cudaStreamDefault);
    volatile int done;
    cudaEvent_t e;
    MUST(cudaEventCreate(&e));
    slow(s, &done);
    MUST(cudaEventRecord(e, s));
    printf("at once: %s\n", cudaGetErrorName(cudaEventQuery(e)));
    cudaError_t err;
    while ((err = cudaEventQuery(e)) == cudaErrorNotReady)
        ;
    printf("later: %s\n", cudaGetErrorName(err));
    say("and then", done);
    slow(s, &done);
    MUST(cudaEventRecord(e, s));
    MUST(cudaEventSynchronize(e));
    say("when it is synchronised", done);
    return 0;
}
