// The threads of blocks of all shapes: where each is, what it waits for, and
// what it sees of the machine. With an argument, one traps, or fails an
// assertion.
#include <assert.h>
#include <cuda_runtime.h>
#include <time.h>
#include <unistd.h> /* usleep */

#include "rule.h"

enum { MOST = 1024 };

__device__ static int number_of(dim3 at, dim3 dim)
{
    return (int)(at.x + dim.x * (at.y + dim.y * at.z));
}

// Each thread leaves its coordinates.
__global__ void places(uint3 *out)
{
    out[number_of(threadIdx, blockDim)] = threadIdx;
}

// The same behind barriers. Each thread then reads what the last left, and one
// in four ends before.
__global__ void barriers(uint3 *out)
{
    __shared__ uint3 at[MOST];
    const int n = blockDim.x * blockDim.y * blockDim.z;
    const int me = number_of(threadIdx, blockDim);
    at[me] = threadIdx;
    __syncthreads();
    if (me % 4 == 3)
        return;
    const uint3 next = at[(me + 1) % n];
    __syncthreads();
    at[(me + 1) % n] = next;
    __syncthreads();
    out[me] = at[me];
    if (me % 4 == 2 && me + 1 < n)
        out[me + 1] = at[me + 1];
}

static const dim3 shapes[] = {
    dim3(1),        dim3(31),      dim3(32),       dim3(33),    dim3(3, 5, 2),
    dim3(1, 7, 3),  dim3(2, 1, 9), dim3(1, 1, 64), dim3(5, 13), dim3(1, 32, 2),
    dim3(32, 4, 8), dim3(1024),    dim3(7, 1, 5),  dim3(1, 64), dim3(16, 16, 3),
};

static int is_in_order(const uint3 *h, dim3 d)
{
    int n = 0, right = 1;
    for (unsigned z = 0; z < d.z; z++)
        for (unsigned y = 0; y < d.y; y++)
            for (unsigned x = 0; x < d.x; x++, n++)
                right &= h[n].x == x && h[n].y == y && h[n].z == z;
    return right;
}

static void check_shapes(void)
{
    static uint3 h[MOST];
    uint3 *d;
    cudaMalloc(&d, sizeof h);
    for (const dim3 &shape : shapes)
        for (int waits = 0; waits < 2; waits++) {
            const unsigned n = shape.x * shape.y * shape.z;
            cudaMemset(d, 0xff, sizeof h);
            if (waits)
                barriers<<<2, shape>>>(d);
            else
                places<<<2, shape>>>(d);
            cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
            RULE(is_in_order(h, shape) && (n == MOST || h[n].x == ~0u),
                 waits ? "threads behind barriers" : "threads that never wait");
        }
    cudaFree(d);
}

// Threads reach one barrier after another. Before each, some of them first do
// something else that waits, or end. A thread leaves how often it has found
// another thread elsewhere than at its step.
enum { ROW = 8 };
__global__ void interrupted(volatile int *word, int *out)
{
    __shared__ int at[MOST];
    const int me = threadIdx.x, n = blockDim.x, other = (me + n - 1) % n;
    int wrong = 0;
    for (int step = 1; step <= ROW; step++) {
        at[me] = step;
        if (me == step * 37)
            wrong += *word != 0; // a poll
        if (me / 32 == step - 1)
            wrong += __shfl_sync(~0u, me, step) != me / 32 * 32 + step;
        if (me == n - step)
            break;
        __syncthreads();
        wrong += at[other] != step && other <= n - step;
        wrong += (int)threadIdx.x != me;
        __syncthreads();
    }
    out[me] = wrong;
}

static void check_interrupted(void)
{
    int *d, h[MOST + 1];
    int right = 1;
    for (int n : {264, 300, 1024}) {
        cudaMalloc(&d, sizeof h);
        cudaMemset(d, 0, sizeof h);
        interrupted<<<3, n>>>(d + MOST, d);
        cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
        for (int i = 0; i < n; i++)
            right &= h[i] == 0;
        cudaFree(d);
    }
    RULE(right, "threads that wait between barriers, or end");
}

// All warps exchange values at every step, half of them also before a barrier
// and the others behind it. In between, a thread first does something else that
// waits, one warp exchanges once more, half of another one does, and the last
// thread ends. A thread leaves how often it got something
// else than what the lanes that are left have given.
__global__ void exchanges(volatile int *word, int *out)
{
    __shared__ int at[2][MOST];
    const int me = threadIdx.x, n = blockDim.x, first = me / 32 * 32;
    const int other = (me + 32) % n;
    int wrong = 0;
    for (int step = 1; step <= ROW; step++) {
        const int most = n - step < first + 31 ? n - step : first + 31;
        const int nlanes = most - first + 1, last = first + nlanes - 1;
        const unsigned all = ~0u >> (32 - nlanes);
        wrong += __shfl_sync(~0u, me * step, last % 32) != last * step;
        if (step == ROW && me == step * 37)
            wrong += *word != 0; // a poll
        if (me / 32 == step - 1)
            wrong += __shfl_sync(~0u, me, 0) != first;
        if (me / 32 == step && me % 32 < 16)
            wrong += __shfl_sync(0xffffu, me, 3) != first + 3;
        wrong += __ballot_sync(~0u, me >= first) != all;
        wrong += __ballot_sync(~0u, me == last) != 1u << (last - first);
        wrong += __reduce_add_sync(~0u, me) != (first + last) * nlanes / 2;
        if (me / 32 % 2)
            wrong += __shfl_sync(~0u, step, 0) != step;
        at[step % 2][me] = step;
        __syncthreads();
        wrong += other <= n - step && at[step % 2][other] != step;
        if (me / 32 % 2 == 0)
            wrong += __shfl_sync(~0u, -step, 0) != -step;
        if (me == n - step)
            break;
        wrong += (int)threadIdx.x != me;
    }
    out[me] = wrong;
}

static void check_exchanges(void)
{
    int *d, h[MOST + 1];
    int right = 1;
    for (int n : {24, 32, 64, 288, 300, 1024}) {
        cudaMalloc(&d, sizeof h);
        cudaMemset(d, 0, sizeof h);
        exchanges<<<3, n>>>(d + MOST, d);
        cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
        for (int i = 0; i < n; i++)
            right &= h[i] == 0;
        cudaFree(d);
    }
    RULE(right, "warps that exchange values in step, or not");
}

// Lanes of two kinds ask for their mask in one call each, in every warp.
__global__ void masks(unsigned *out)
{
    const int t = threadIdx.x;
    if (t % 32 < t / 32 + 3)
        out[t] = __activemask();
    else if (t % 2)
        out[t] = ~__activemask(); // a call of its own
}

static void check_masks(void)
{
    unsigned *d, h[80];
    int right = 1;
    cudaMalloc(&d, sizeof h);
    cudaMemset(d, 0, sizeof h);
    masks<<<1, 80>>>(d);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    for (int t = 0; t < 80; t++) {
        const unsigned all = t < 64 ? ~0u : 0xffffu;
        const unsigned low = (1u << (t / 32 + 3)) - 1;
        right &= h[t] == (t % 32 < t / 32 + 3 ? low
                          : t % 2             ? ~(0xaaaaaaaau & all & ~low)
                                              : 0);
    }
    RULE(right, "lanes that are in one call of a warp converge");
    cudaFree(d);
}

__global__ void multiprocessors(unsigned *out)
{
    unsigned sm;
    asm("mov.u32 %0, %%smid;" : "=r"(sm));
    out[number_of(blockIdx, gridDim)] = sm;
}

static void check_multiprocessors(void)
{
    enum { BLOCKS = 3 * 5 * 11 };
    unsigned *d, h[BLOCKS];
    int right = 1;
    cudaMalloc(&d, sizeof h);
    multiprocessors<<<dim3(3, 5, 11), 1>>>(d);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    for (unsigned i = 0; i < BLOCKS; i++)
        right &= h[i] == i % 132;
    RULE(right, "blocks are dealt to multiprocessors in order");
    cudaFree(d);
}

__global__ void clocks(long long *out)
{
    out[0] = clock64();
    out[1] = clock();
    out[2] = clock64();
}

static void check_clocks(void)
{
    long long *d, h[3];
    cudaMalloc(&d, sizeof h);
    const clock_t begin = clock();
    clocks<<<1, 1>>>(d);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    RULE(h[1] - h[0] == 64 && h[2] - h[1] == 64, "each look takes 64 cycles");
    while (clock() < begin + CLOCKS_PER_SEC / 100)
        ;
    RULE(clock() - begin < 60 * CLOCKS_PER_SEC, "the host's clock is its own");
    cudaFree(d);
}

__global__ void asserts(int n)
{
    const int b = number_of(blockIdx, gridDim);
    assert(b * 24 + number_of(threadIdx, blockDim) != n);
}

__global__ void traps(int *out)
{
    if (threadIdx.x == 1)
        __trap();
    if (threadIdx.x > 1)
        *out = 1;
}

static int check_trap(void)
{
    int *host;
    cudaHostAlloc(&host, sizeof *host, 0);
    *host = 0;
    traps<<<2, 3>>>(host);
    RULE(cudaDeviceSynchronize() == cudaErrorLaunchFailure, "a trap is one");
    RULE(*host == 0, "no thread runs after a trap");
    return rule_status();
}

// What one kernel writes, another takes: behind a fence, by a release that the
// other acquires, by numbers that commute, and without any order.
__global__ void gives(int *data, unsigned *word, unsigned long long *sum)
{
    data[0] = 1;
    __threadfence();
    atomicExch(&word[0], 1u);
    data[1] = 2;
    asm volatile("st.release.gpu.u32 [%0], %1;" ::"l"(&word[1]), "r"(3u)
                 : "memory");
    atomicAdd(sum, 5ull);
    atomicCAS(&word[2], 0u, 7u);
    atomicCAS(&word[2], 0u, 8u); // fails
    *(volatile unsigned *)&word[3] = 9;
}

__global__ void takes(int *data, unsigned *word, unsigned long long *sum)
{
    unsigned seen;
    while (atomicAdd(&word[0], 0u) != 1)
        ;
    do
        asm volatile("ld.acquire.gpu.u32 %0, [%1];"
                     : "=r"(seen)
                     : "l"(&word[1])
                     : "memory");
    while (seen != 3);
    while (*(volatile unsigned *)&word[3] != 9)
        ;
    __threadfence();
    data[2] = data[0] + data[1] + (int)word[2] + (int)*sum;
}

static int check_words(void)
{
    struct memory {
        unsigned long long sum;
        unsigned word[4];
        int data[3];
    } * d, h;
    cudaStream_t give, take;
    cudaMalloc(&d, sizeof *d);
    cudaMemset(d, 0, sizeof *d);
    cudaStreamCreate(&give);
    cudaStreamCreate(&take);
    cudaDeviceSynchronize();
    gives<<<1, 1, 0, give>>>(d->data, d->word, &d->sum);
    cudaDeviceSynchronize(); // when it looks is not left to chance
    takes<<<1, 1, 0, take>>>(d->data, d->word, &d->sum);
    cudaDeviceSynchronize();
    cudaMemcpy(&h, d, sizeof h, cudaMemcpyDeviceToHost);
    RULE(h.data[2] == 1 + 2 + 7 + 5, "kernels take what others gave");
    return rule_status();
}

// One kernel has counted before the other begins: no count is lost.
__global__ void count_together(unsigned *count, unsigned *begun)
{
    enum { TIMES = 5000000 };
    atomicAdd(count, 1u);
    atomicAdd(begun, 1u);
    while (atomicAdd(begun, 0u) != 2)
        ;
    for (int i = 1; i < TIMES; i++)
        atomicAdd(count, 1u);
}

static void wait_a_while(void *)
{
    usleep(20000);
}

static void check_together()
{
    unsigned *d, h[2];
    cudaStream_t s[2];
    cudaMalloc(&d, sizeof h);
    cudaMemset(d, 0, sizeof h);
    cudaStreamCreate(&s[0]);
    cudaStreamCreate(&s[1]);
    cudaDeviceSynchronize();
    count_together<<<1, 1, 0, s[0]>>>(&d[0], &d[1]);
    cudaLaunchHostFunc(s[1], wait_a_while, NULL);
    count_together<<<1, 1, 0, s[1]>>>(&d[0], &d[1]);
    cudaDeviceSynchronize();
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    RULE(h[0] == 10000000, "kernels of two streams count together");
    cudaStreamDestroy(s[0]);
    cudaStreamDestroy(s[1]);
    cudaFree(d);
}

int main(int argc, char **argv)
{
    if (argc > 1 && argv[1][0] == 'w')
        return check_words();
    if (argc > 1 && argv[1][0] == 't')
        return check_trap();
    if (argc > 1) {
        printf("before ");
        asserts<<<dim3(2, 3, 4), dim3(2, 3, 4)>>>(24 * 15 + 9);
        return cudaDeviceSynchronize() == cudaErrorAssert ? 3 : 4;
    }
    check_shapes();
    check_interrupted();
    check_exchanges();
    check_masks();
    check_multiprocessors();
    check_clocks();
    check_together();
    return rule_status();
}
