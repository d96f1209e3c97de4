// What it costs that the threads of a block are fibers: a barrier, by threads,
// against a plain loop's step. In processor time.
#include <cuda_runtime.h>

#include <stdio.h>
#include <time.h>

enum { STEPS = 2000 };

__global__ void barriers(int *p)
{
    for (int i = 0; i < STEPS; i++)
        __syncthreads();
    if (threadIdx.x == 0)
        *p = STEPS;
}

__global__ void threads(int *p)
{
    if (threadIdx.x == 0)
        *p = 0;
}

static double now_sec()
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

int main()
{
    static const int nthreads[] = {32, 256, 1024};
    int *d;
    cudaMalloc(&d, sizeof *d);
    for (int n : nthreads) {
        double best = 1e9, plain = 1e9;
        for (int run = 0; run < 5; run++) {
            double begin = now_sec();
            barriers<<<1, n>>>(d);
            cudaDeviceSynchronize();
            double sec = now_sec() - begin;
            best = sec < best ? sec : best;
            begin = now_sec();
            threads<<<STEPS, n>>>(d);
            cudaDeviceSynchronize();
            sec = now_sec() - begin;
            plain = sec < plain ? sec : plain;
        }
        printf(
            "block of %4d threads: %5.1f ns a thread for a barrier, %5.1f ns "
            "for a whole thread without one\n",
            n, best / STEPS / n * 1e9, plain / STEPS / n * 1e9);
    }
    cudaFree(d);
    return 0;
}
