/* Rule 11. cudaMemcpy: device to host, host to host and pinned host to device
 * join the host; pageable host to device only frees the source; device to
 * device doesn't join. cudaMemset doesn't join. */
#include "slow.h"

enum { N = 1000 };

int main(void)
{
    char *const d = device_bytes(N, 1), *const e = device_bytes(N, 2);
    char pageable[N] = {3}, *pinned;
    volatile int done;
    MUST(cudaMallocHost((void **)&pinned, N));
    slow(0, &done);
    MUST(cudaMemcpy(pageable, d, N, cudaMemcpyDeviceToHost));
    say("device to host", done);
    slow(0, &done);
    MUST(cudaMemcpy(d, pinned, N, cudaMemcpyHostToDevice));
    say("pinned host to device", done);
    slow(0, &done);
    MUST(cudaMemcpy(d, e, N, cudaMemcpyDeviceToDevice));
    say("device to device", done);
    MUST(cudaDeviceSynchronize());
    slow(0, &done);
    MUST(cudaMemset(d, 0, N));
    say("a fill", done);
    pageable[0] = 5;
    MUST(cudaMemcpy(d, pageable, N, cudaMemcpyHostToDevice));
    pageable[0] = 6;
    printf("a pageable source changed afterwards: %d arrives\n", byte_at(d));
    return 0;
}
