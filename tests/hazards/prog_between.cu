// Global memory: races between threads of one kernel.
#include <cuda_runtime.h>

#include "case.h"

enum { THREADS = 64, BLOCKS = 4, COUNT = THREADS * BLOCKS };

// Each kernel gets COUNT numbers in x, as many zeros in out, and words of zeros
// in word. With `fixed`, it has what is missing otherwise.
static void run(void (*kernel)(int *, int *, unsigned *, int), int fixed)
{
    int *x, *out;
    unsigned *word;
    cudaMalloc(&x, (COUNT + 1) * sizeof *x);
    cudaMalloc(&out, COUNT * sizeof *out);
    cudaMalloc(&word, 8 * sizeof *word);
    int host[COUNT + 1];
    for (int i = 0; i <= COUNT; i++)
        host[i] = i * 3 % 7;
    cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice);
    cudaMemset(out, 0, COUNT * sizeof *out);
    cudaMemset(word, 0, 8 * sizeof *word);
    kernel<<<BLOCKS, THREADS>>>(x, out, word, fixed);
    cudaDeviceSynchronize();
    cudaFree(x);
    cudaFree(out);
    cudaFree(word);
}

// A case whose kernel begins `from` this line, and has its two lines there.
#define CASE(name, kernel, line, first, second)                                \
    static void name(int fixed)                                                \
    {                                                                          \
        first_line = (first) ? (line) + (first) : 0;                           \
        second_line = (second) ? (line) + (second) : 0;                        \
        run(kernel, fixed);                                                    \
    }

static __device__ int index_of()
{
    return blockIdx.x * blockDim.x + threadIdx.x;
}

// ---- between blocks ---------------------------------------------------------

enum { COUNTS = __LINE__ };
static __global__ void count(int *x, int *out, unsigned *, int fixed)
{
    int *const bin = &out[x[index_of()]];
    if (fixed)
        atomicAdd(bin, 1);
    else
        *bin += 1;
}
CASE(no_atomic, count, COUNTS, 7, 7)

enum { BLOCK_COUNTS = __LINE__ };
static __global__ void count_of_block(int *x, int *out, unsigned *, int fixed)
{
    int *const bin = &out[x[index_of()]];
    if (fixed)
        atomicAdd(bin, 1);
    else
        atomicAdd_block(bin, 1);
}
CASE(block_scope, count_of_block, BLOCK_COUNTS, 7, 7)

static __device__ unsigned total;
enum { TOTALS = __LINE__ };
static __global__ void sum(int *x, int *, unsigned *, int fixed)
{
    unsigned *const to = &total;
    if (threadIdx.x)
        return;
    if (fixed)
        atomicAdd(to, x[index_of()]);
    else
        *to = *to + x[index_of()] + 2;
}
CASE(of_a_variable, sum, TOTALS, 9, 9)

enum { SHIFTS = __LINE__ };
static __global__ void shift(int *x, int *out, unsigned *, int fixed)
{
    const int i = index_of();
    int *const to = fixed ? out : x;
    const int right = threadIdx.x == THREADS - 1 ? x[i + 1] : 0;
    __syncthreads();
    to[i] = right + 10;
}
CASE(in_place, shift, SHIFTS, 5, 7)

enum { CLEARS = __LINE__ };
static __global__ void clear(int *x, int *out, unsigned *word, int fixed)
{
    if (index_of() == 0 && !fixed)
        *word = 8;
    __syncthreads();
    atomicAdd(word, x[index_of()]);
}
CASE(cleared_while_counting, clear, CLEARS, 4, 6)

// The last block adds the others' sums.
enum { LASTS = __LINE__ };
static __global__ void add(int *x, int *out, unsigned *word, int fixed)
{
    __shared__ unsigned ticket;
    if (threadIdx.x)
        return;
    int sum = 0;
    for (int i = 0; i < THREADS; i++)
        sum += x[index_of() + i];
    if (!fixed)
        ticket = blockIdx.x;
    out[blockIdx.x] = sum + 1;
    if (fixed) {
        __threadfence();
        ticket = atomicAdd(word, 1);
    }
    for (int i = 0; ticket == BLOCKS - 1 && i < BLOCKS - 1; i++)
        out[BLOCKS - 1] += out[i];
}
CASE(by_the_last_block, add, LASTS, 11, 17)

// Each block continues the sum of the block before it.
enum { CHAINS = __LINE__ };
static __global__ void chain(int *x, int *out, unsigned *word, int fixed)
{
    volatile unsigned *const turn = word;
    if (threadIdx.x)
        return;
    while (*turn != blockIdx.x)
        ;
    out[blockIdx.x] = (blockIdx.x ? out[blockIdx.x - 1] : 4) + 5;
    if (fixed)
        __threadfence();
    *turn = blockIdx.x + 1;
}
CASE(no_fence, chain, CHAINS, 8, 8)

// Cells that live and die in place.
enum { LIVES = __LINE__ };
static __global__ void live(int *x, int *out, unsigned *, int fixed)
{
    const int i = index_of();
    int *const to = fixed ? out : x;
    to[i] = !(x[i + 1] & 1);
}
CASE(a_step_in_place, live, LIVES, 5, 5)

// ---- within a block ---------------------------------------------------------

enum { MIRRORS = __LINE__ };
static __global__ void mirror(int *, int *out, unsigned *, int fixed)
{
    const int t = threadIdx.x, block = blockIdx.x * THREADS;
    int *const mine = out + block;
    mine[t] = t + 1;
    if (fixed)
        __syncthreads();
    const int other = mine[THREADS - 1 - t];
    __syncthreads();
    mine[t] = other;
}
CASE(no_barrier, mirror, MIRRORS, 5, 8)

enum { SCANS = __LINE__ };
static __global__ void scan(int *x, int *out, unsigned *, int fixed)
{
    int *const mine = x + blockIdx.x * THREADS;
    const int t = threadIdx.x;
    for (int d = 1; d < THREADS; d *= 2) {
        const int left = t >= d ? mine[t - d] : 0;
        __syncthreads();
        mine[t] += left + 1;
        if (fixed)
            __syncthreads();
    }
}
CASE(next_iteration, scan, SCANS, 6, 8)

enum { WARPS = __LINE__ };
static __global__ void warp(int *x, int *, unsigned *, int fixed)
{
    int *const mine = x + blockIdx.x * THREADS + threadIdx.x / 32 * 32;
    const int lane = threadIdx.x % 32;
    const int next = mine[(lane + 1) % 32];
    if (fixed)
        __syncwarp();
    mine[lane] = next + 10;
}
CASE(no_lockstep, warp, WARPS, 5, 8)

// ---- no races ---------------------------------------------------------------

// Several threads raise a flag, which others read; all write one value.
static __global__ void flags(int *x, int *out, unsigned *word, int)
{
    bool *const seen = (bool *)(word + 1);
    const int i = index_of();
    if (x[i] == 3 && !seen[x[i]])
        seen[x[i]] = true;
    word[3] = 7;
    out[i] = word[0];
}

// A lock, by which all threads take turns.
static __global__ void lock(int *x, int *out, unsigned *word, int)
{
    for (int done = 0; !done;)
        if (atomicCAS(word, 0u, 1u) == 0) {
            __threadfence();
            word[1] += x[index_of()] + 1;
            out[0] = word[1];
            __threadfence();
            atomicExch(word, 0u);
            done = 1;
        }
}

// Bytes next to each other, and a minimum that is looked at before it is tried.
static __global__ void bytes(int *x, int *out, unsigned *word, int)
{
    const int i = index_of();
    ((char *)out)[i] = (char)i;
    if (word[2] < (unsigned)x[i] + 2)
        atomicMax(&word[2], x[i] + 2);
}

// Memory that a thread allocates may be what another one has freed.
static __global__ void scratch(int *x, int *out, unsigned *, int)
{
    const int i = index_of();
    int *const mine = new int[4];
    mine[i % 4] = x[i] + 2;
    out[i] = mine[i % 4];
    delete[] mine;
}

// Each block counts in a word of its own, and reads it after a barrier.
static __global__ void own_words(int *x, int *out, unsigned *word, int)
{
    atomicAdd_block(&word[blockIdx.x], x[index_of()]);
    __syncthreads();
    out[index_of()] = word[blockIdx.x];
    if (threadIdx.x == 0)
        atomicAdd(&word[7], word[blockIdx.x]);
}

static void (*const honest[])(int *, int *, unsigned *,
                              int) = {flags, lock, bytes, scratch, own_words};

static void no_race(int fixed)
{
    for (int i = 0; fixed && i < 5; i++)
        run(honest[i], fixed);
    if (!fixed)
        run(count, fixed);
}

static const struct hazard_case cases[] = {
    {"count-without-atomics", 0, "atomicAdd()~or", no_atomic},
    {"count-of-block-scope", 0, "has~block~scope", block_scope},
    {"variable-of-all-blocks", 0, "byte~0~of~", of_a_variable},
    {"shift-in-place", 0, "of~block~(1,0,0)~writes~at", in_place},
    {"cleared-while-counting", 0, "updates~at", cleared_while_counting},
    {"last-block", 0, "of~block~(3,0,0)~reads~at", by_the_last_block},
    {"flag-without-fence", 0, "race~in~global~memory", no_fence},
    {"step-in-place", 0, "race~in~global~memory", a_step_in_place},
    {"mirror-without-barrier", 0, "Call~__syncthreads()", no_barrier},
    {"scan-of-one-barrier", 0, "Call~__syncthreads()", next_iteration},
    {"no-lockstep", 0, "of~block~(0,0,0)~writes~at", no_lockstep},
    {"flags-locks-bytes", 0, "race~in~global~memory", no_race},
};

int main(int argc, char **argv)
{
    return run_case(cases, sizeof cases / sizeof *cases, argc, argv);
}
