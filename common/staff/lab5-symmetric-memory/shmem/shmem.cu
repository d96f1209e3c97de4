// shmem.cu: put, signal and wait of lab 5, in NVSHMEM's words
//
//     mpirun -n 8 build/shmem
//
// hand-off: the next PE gets a vector and a signal from a stream. push: an
// all-reduce by two kernels; each PE puts its vector into all boxes and adds up
// what is in its own. reduce: NVSHMEM's own. The result of each is checked.
#include <nvshmem.h>
#include <nvshmemx.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 250000, ROUNDS = 4, THREADS = 256, BLOCKS = 64, CHUNKS = 10 };

static int me, n;
static float *in, *out; // symmetric, MOST floats
static float *box; // symmetric, a vector from each PE, for odd and even rounds
static uint64_t *arrived; // symmetric, a signal of each PE, and of the hand-off
static uint64_t sent, pushed; // rounds so far, in which signals count
static cudaStream_t stream;

/* CHUNKS blocks for each PE copy the vector to its box: one block alone can't
 * fill a link. */
__global__ void push(const float *in, float *box, int count, int me)
{
    const int chunk = (count + CHUNKS - 1) / CHUNKS, begin = chunk * blockIdx.y;
    const int left = count - begin;
    nvshmemx_float_put_block(box + (size_t)me * count + begin, in + begin,
                             left < chunk ? left : chunk, blockIdx.x);
}

/* Say that this PE's vector has arrived, wait until all have said so, and add
 * up what is in the box, in the order of PEs. */
__global__ void add(const float *box, uint64_t *arrived, float *out, int count,
                    uint64_t round, int me, int n)
{
    if (blockIdx.x == 0 && (int)threadIdx.x < n) {
        nvshmem_fence(); // the puts of the kernel before come first
        nvshmemx_signal_op(arrived + me, round, NVSHMEM_SIGNAL_SET,
                           threadIdx.x);
    }
    if ((int)threadIdx.x < n)
        nvshmem_signal_wait_until(arrived + threadIdx.x, NVSHMEM_CMP_GE, round);
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count;
         i += gridDim.x * blockDim.x) {
        float sum = 0;
        for (int pe = 0; pe < n; pe++)
            sum += box[(size_t)pe * count + i];
        out[i] = sum;
    }
}

static void hand_off(int count)
{
    uint64_t *const signal = arrived + n;
    nvshmemx_float_put_signal_on_stream(out, in, count, signal, ++sent,
                                        NVSHMEM_SIGNAL_SET, (me + 1) % n,
                                        stream);
    nvshmemx_signal_wait_until_on_stream(signal, NVSHMEM_CMP_GE, sent, stream);
}

/* No PE fills a box of this round again before all have sent their next
 * vectors, and by then they have added up this one. */
static void push_all(int count)
{
    float *const mine = box + (pushed % 2) * (size_t)n * MOST;
    push<<<dim3(n, CHUNKS), THREADS, 0, stream>>>(in, mine, count, me);
    add<<<BLOCKS, THREADS, 0, stream>>>(mine, arrived, out, count, ++pushed, me,
                                        n);
}

static void reduce(int count)
{
    nvshmemx_float_sum_reduce_on_stream(NVSHMEM_TEAM_WORLD, out, in, count,
                                        stream);
}

/* The time of a round, in us; exits if the result isn't `want`. */
static float time_of(void (*run)(int), int count, float want)
{
    cudaEvent_t begin, end;
    float ms, first, last;
    cudaEventCreate(&begin);
    cudaEventCreate(&end);
    run(count);
    nvshmemx_barrier_all_on_stream(stream);
    cudaEventRecord(begin, stream);
    for (int i = 0; i < ROUNDS; i++)
        run(count);
    cudaEventRecord(end, stream);
    cudaStreamSynchronize(stream);
    cudaEventElapsedTime(&ms, begin, end);
    cudaMemcpy(&first, out, sizeof first, cudaMemcpyDefault);
    cudaMemcpy(&last, out + count - 1, sizeof last, cudaMemcpyDefault);
    if (first != want || last != want) {
        printf("PE %d: %g and %g in place of %g\n", me, first, last, want);
        nvshmem_global_exit(1);
    }
    nvshmem_barrier_all();
    return ms * 1000 / ROUNDS;
}

static void fill(float *p, float value)
{
    static float host[MOST];
    for (int i = 0; i < MOST; i++)
        host[i] = value;
    cudaMemcpyAsync(p, host, sizeof host, cudaMemcpyDefault, stream);
    cudaStreamSynchronize(stream);
}

int main(void)
{
    nvshmem_init();
    me = nvshmem_my_pe();
    n = nvshmem_n_pes();
    cudaSetDevice(nvshmem_team_my_pe(NVSHMEMX_TEAM_NODE));
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    in = (float *)nvshmem_malloc(MOST * sizeof *in);
    out = (float *)nvshmem_malloc(MOST * sizeof *out);
    box = (float *)nvshmem_malloc(2 * (size_t)n * MOST * sizeof *box);
    arrived = (uint64_t *)nvshmem_calloc(n + 1, sizeof *arrived);
    fill(in, me + 1);
    if (me == 0)
        printf(
            "# NVSHMEM, %d PEs; us\n#    bytes     hand-off         push       "
            "reduce\n",
            n);
    const float before = (me + n - 1) % n + 1, sum = n * (n + 1) / 2;
    for (int count = 250; count <= MOST; count *= 10) {
        const float us[] = {time_of(hand_off, count, before),
                            time_of(push_all, count, sum),
                            time_of(reduce, count, sum)};
        if (me == 0)
            printf("%10zu %12.1f %12.1f %12.1f\n", count * sizeof(float), us[0],
                   us[1], us[2]);
    }
    nvshmem_free(arrived);
    nvshmem_free(box);
    nvshmem_free(out);
    nvshmem_free(in);
    nvshmem_finalize();
}
