/* Rule 15. cudaLaunchHostFunc: stream prefix, then the callback, then later
 * work. CUDA calls inside it are an error. */
#include "slow.h"

static void CUDART_CB call_cuda(void *err)
{
    void *p;
    *(cudaError_t *)err = cudaMalloc(&p, 100);
}

int main(void)
{
    const cudaStream_t s = new_stream(cudaStreamNonBlocking);
    volatile int *const done = new_flags(1);
    const struct sight behind = new_sight();
    cudaError_t err = cudaSuccess;
    slow(s, done);
    look(s, behind, done);
    MUST(cudaLaunchHostFunc(s, call_cuda, &err));
    MUST(cudaStreamSynchronize(s));
    say("what was before it", seen(behind));
    printf("a CUDA call inside it: %s\n", cudaGetErrorName(err));
    return 0;
}
