// What shuffles read from lanes that take no part, printed in hexadecimal.
#include <cuda_runtime.h>

#include <stdio.h>

enum { LANES = 20 };

// The lanes from LANES on have ended.
__global__ void ended(unsigned *out)
{
    const unsigned lane = threadIdx.x;
    if (lane >= LANES)
        return;
    out[lane] = __shfl_down_sync(0xffffffff, lane, 4);
}

// They pass with a mask of their own.
__global__ void apart(unsigned *out)
{
    const unsigned lane = threadIdx.x, mine = (1u << LANES) - 1;
    out[lane] = __shfl_xor_sync(lane < LANES ? mine : ~mine, lane, 16);
}

static void run(const char *name, void (*kernel)(unsigned *))
{
    unsigned *out, host[32];
    cudaMalloc(&out, sizeof host);
    cudaMemset(out, 0, sizeof host);
    kernel<<<1, 32>>>(out);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%s: lane 3 got %x, lane 7 %x, lane 17 %x\n", name, host[3], host[7],
           host[17]);
    cudaFree(out);
}

int main()
{
    run("ended", ended);
    run("apart", apart);
}
