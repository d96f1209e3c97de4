// prog_random_words.cu: words that kernels share, in random order
//
//   prog_random_words SEED
//
// A line for each kernel: its stream, what its threads do, and a digest of what
// they got and of the words. Each does some steps: a load, a store, an update
// or a wait of any order and width, a fence, a barrier, ordinary accesses. The
// host synchronises between kernels, so what a kernel follows, by words that
// another wrote, is the same in each run.
//
// Which of a kernel's threads comes first is the simulator's choice, always
// the same; on a GPU, it would be left to chance.
#include <cuda/atomic>
#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h> /* atoi */

enum { STEPS = 10, KERNELS = 32, WORDS = 12, STREAMS = 3, MOST = 7 };
enum { MANY = 1100 }; // more words than a thread's fence remembers

enum what {
    LOAD,
    STORE,
    ADD,
    EXCHANGE,
    COMPARE,
    CHANGE, // by other operations
    VOLATILE_READ,
    VOLATILE_WRITE,
    FENCE,
    BARRIER,
    READ,
    WRITE,
    AWAIT,
    SWEEP,
    WHATS
};

struct step {
    unsigned char what, word, order, wide, some, which;
};

struct program {
    struct step step[STEPS];
};

struct memory {
    unsigned long long word[WORDS], shared[2];
    unsigned data[64], many[MANY], got[MOST];
};

/* ---- steps --------------------------------------------------------------- */

template <class T> using ref = cuda::atomic_ref<T, cuda::thread_scope_system>;

template <class T> __device__ T load(ref<T> w, int order)
{
    return order % 3 == 0   ? w.load(cuda::memory_order_relaxed)
           : order % 3 == 1 ? w.load(cuda::memory_order_acquire)
                            : w.load(cuda::memory_order_seq_cst);
}

template <class T> __device__ void store(ref<T> w, T v, int order)
{
    switch (order % 3) {
    case 0: w.store(v, cuda::memory_order_relaxed); break;
    case 1: w.store(v, cuda::memory_order_release); break;
    default: w.store(v, cuda::memory_order_seq_cst);
    }
}

__device__ static cuda::memory_order order_of(int order)
{
    return order % 4 == 0   ? cuda::memory_order_relaxed
           : order % 4 == 1 ? cuda::memory_order_acquire
           : order % 4 == 2 ? cuda::memory_order_release
                            : cuda::memory_order_acq_rel;
}

template <class T>
__device__ T change(ref<T> w, T v, int which, cuda::memory_order order)
{
    switch (which % 5) {
    case 0: return w.fetch_min(v, order);
    case 1: return w.fetch_max(v, order);
    case 2: return w.fetch_and(v, order);
    case 3: return w.fetch_or(v, order);
    default: return w.fetch_xor(v, order);
    }
}

// Compares with 0 half of the time, else with what is there.
template <class T> __device__ T compare(T *word, T v, struct step s)
{
    T was = s.which % 2 ? 0 : *(volatile T *)word;
    return ref<T>(*word).compare_exchange_strong(was, v, order_of(s.order))
               ? v
               : was;
}

template <class T> __device__ T on_word(T *word, struct step s, T v)
{
    const ref<T> w(*word);
    switch (s.what) {
    case LOAD: return load<T>(w, s.order);
    case STORE: store<T>(w, v, s.order); return 0;
    case ADD: return w.fetch_add(v, order_of(s.order));
    case EXCHANGE: return w.exchange(v, order_of(s.order));
    case COMPARE: return compare(word, v, s);
    case CHANGE: return change<T>(w, v, s.which, order_of(s.order));
    case VOLATILE_READ: return *(volatile T *)word;
    case VOLATILE_WRITE: *(volatile T *)word = v; return 0;
    default: return 0;
    }
}

// One thread adds to a word until another, which looks again, sees it.
__device__ static unsigned await(struct memory *m, struct step s)
{
    unsigned *const w = &m->many[s.word];
    const ref<unsigned> r(*w);
    unsigned seen = 0;
    if (threadIdx.x == 0)
        for (int i = 0; i < s.which % 3 + 1; i++)
            atomicAdd(w, 1u);
    if (threadIdx.x == blockDim.x - 1)
        while ((seen = s.order % 2 ? r.load(cuda::memory_order_acquire)
                                   : *(volatile unsigned *)w) == 0)
            ;
    return seen;
}

__device__ static unsigned sweep(struct memory *m, struct step s)
{
    unsigned sum = 0;
    for (int i = 0; i < MANY; i++) {
        const ref<unsigned> r(m->many[i]);
        if (s.which % 2)
            r.store((unsigned)i, cuda::memory_order_release);
        else
            sum += r.load(cuda::memory_order_relaxed);
    }
    return sum;
}

__device__ static unsigned long long take_step(struct memory *m, struct step s,
                                               unsigned long long v)
{
    unsigned long long *const word = &m->word[s.word % WORDS];
    switch (s.what) {
    case FENCE:
        if (s.order % 2)
            __threadfence_system();
        else
            __threadfence();
        return 0;
    case READ: return m->data[s.word];
    case WRITE: m->data[s.word] = (unsigned)v; return 0;
    case AWAIT: return await(m, s);
    case SWEEP: return threadIdx.x == 0 ? sweep(m, s) : 0;
    default:
        return s.wide ? on_word<unsigned long long>(word, s, v)
                      : on_word<unsigned>((unsigned *)word, s, (unsigned)v);
    }
}

__global__ void go(struct program p, struct memory *m)
{
    __shared__ unsigned long long own[2];
    unsigned long long has = threadIdx.x + 1;
    if (threadIdx.x < 2)
        own[threadIdx.x] = 0;
    __syncthreads();
    for (int i = 0; i < STEPS; i++) {
        const struct step s = p.step[i];
        if (s.what == BARRIER)
            __syncthreads();
        else if (threadIdx.x % s.some == 0 || s.what == AWAIT)
            has = has * 6364136223846793005u + take_step(m, s, has) + 1;
        if (s.what <= VOLATILE_WRITE && s.which == 1) // in shared memory
            has += on_word<unsigned long long>(&own[s.word % 2], s, has);
    }
    m->got[threadIdx.x] = (unsigned)(has >> 32);
    if (threadIdx.x < 2)
        m->shared[threadIdx.x] = own[threadIdx.x];
}

/* ---- drawing kernels ----------------------------------------------------- */

static uint64_t state;

static unsigned char draw(unsigned n) /* 0..n-1, by splitmix64 */
{
    uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (unsigned char)((z ^ z >> 31) % n);
}

// Words of many[] are awaited once, or a wait would already be over; a sweep
// is long.
static struct program draw_program(int nth)
{
    struct program p = {};
    int once = 0;
    for (int i = 0; i < STEPS;) {
        const unsigned char what = draw(WHATS);
        const struct step s = {what,
                               what == AWAIT ? (unsigned char)nth : draw(64),
                               draw(8),
                               draw(2),
                               (unsigned char)(1 + draw(4)),
                               draw(30)};
        if (what >= AWAIT && once++)
            continue;
        p.step[i++] = s;
    }
    return p;
}

static unsigned digest(const void *at, size_t nbytes)
{
    unsigned h = 2166136261u;
    for (size_t i = 0; i < nbytes; i++)
        h = (h ^ ((const unsigned char *)at)[i]) * 16777619u;
    return h;
}

static void print(int stream, unsigned nthreads, const struct program *p,
                  const struct memory *m)
{
    printf("%d %u:", stream, nthreads);
    for (int i = 0; i < STEPS; i++)
        printf(" %d", p->step[i].what);
    printf(" = %08x %08x\n", digest(m->got, nthreads * sizeof *m->got),
           digest(m, sizeof *m - sizeof m->got));
}

int main(int argc, char **argv)
{
    static struct memory h;
    struct memory *d;
    cudaStream_t stream[STREAMS];
    state = argc > 1 ? (uint64_t)atoi(argv[1]) : 1;
    if (cudaMalloc(&d, sizeof *d) != cudaSuccess)
        return 1;
    cudaMemset(d, 0, sizeof *d);
    for (cudaStream_t &s : stream)
        cudaStreamCreate(&s);
    for (int i = 0; i < KERNELS; i++) {
        static const unsigned shapes[] = {1, 2, 3, MOST};
        const unsigned n = shapes[draw(4)];
        const int on = draw(STREAMS);
        const struct program p = draw_program(i);
        go<<<1, n, 0, stream[on]>>>(p, d);
        if (cudaDeviceSynchronize() != cudaSuccess)
            return 1;
        cudaMemcpy(&h, d, sizeof h, cudaMemcpyDeviceToHost);
        print(on, n, &p, &h);
    }
    return cudaFree(d) != cudaSuccess;
}
