// CUDA's C++ library beyond atomics and barriers: latches, semaphores,
// pointers with properties, streams, shuffles of any type.
#include <cuda/annotated_ptr>
#include <cuda/discard_memory>
#include <cuda/latch>
#include <cuda/semaphore>
#include <cuda/std/chrono>
#include <cuda/std/latch>
#include <cuda/std/semaphore>
#include <cuda/stream_ref>
#include <cuda/warp>
#include <new>
#include <thread>

#include "probe.h"

// ---- latches and semaphores ------------------------------------------------

typedef cuda::latch<cuda::thread_scope_device> device_latch;

__global__ void make_latch(void *at, int n)
{
    new (at) device_latch(n);
}
// Blocks write their part, and read that of the next one when all have.
__global__ void behind_a_latch(device_latch *latch, int *part, int *out)
{
    part[blockIdx.x] = 10 + blockIdx.x;
    if (blockIdx.x % 2)
        latch->arrive_and_wait();
    else {
        latch->count_down();
        while (!latch->try_wait())
            ;
    }
    out[blockIdx.x] = part[(blockIdx.x + 1) % gridDim.x];
}
PROBE(a_latch_of_blocks)
{
    enum { BLOCKS = 4 };
    array<int> part(BLOCKS), out(BLOCKS);
    array<char> latch(sizeof(device_latch));
    make_latch<<<1, 1>>>(latch.d, BLOCKS);
    behind_a_latch<<<BLOCKS, 1>>>((device_latch *)latch.d, part.d, out.d);
    CHECK(out.get()[0] == 11 && out.h[2] == 13 && out.h[3] == 10);
}

__global__ void latch_of_a_block(int *out)
{
    __shared__ __align__(
        8) char at[sizeof(cuda::latch<cuda::thread_scope_block>)];
    __shared__ int s[64];
    auto *const latch = (cuda::latch<cuda::thread_scope_block> *)at;
    if (threadIdx.x == 0)
        new (at) cuda::latch<cuda::thread_scope_block>(blockDim.x);
    __syncthreads();
    s[threadIdx.x] = threadIdx.x;
    latch->arrive_and_wait();
    out[threadIdx.x] = s[63 - threadIdx.x];
}
PROBE(a_latch_of_a_block)
{
    array<int> out(64);
    latch_of_a_block<<<1, 64>>>(out.d);
    CHECK(out.get()[0] == 63 && out.h[63] == 0);
}

PROBE(a_latch_of_the_host)
{
    cuda::std::latch latch(2);
    int x = 0;
    std::thread other([&] {
        x = 7;
        latch.count_down();
    });
    CHECK(!latch.try_wait());
    latch.arrive_and_wait();
    CHECK(x == 7 && latch.try_wait() && cuda::std::latch::max() > 1 << 20);
    other.join();
}

typedef cuda::binary_semaphore<cuda::thread_scope_device> lock;

__global__ void make_lock(void *at)
{
    new (at) lock(1);
}
// A plain sum of all blocks, one at a time.
__global__ void sum_under_a_lock(lock *l, int *sum)
{
    l->acquire();
    *sum += 1 + blockIdx.x;
    l->release();
}
PROBE(a_semaphore_of_blocks)
{
    array<int> sum(1);
    array<char> l(sizeof(lock));
    make_lock<<<1, 1>>>(l.d);
    sum_under_a_lock<<<8, 1>>>((lock *)l.d, sum.d);
    CHECK(sum.get()[0] == 36);
}

PROBE(a_semaphore_of_the_host)
{
    cuda::std::counting_semaphore<4> slots(2);
    CHECK(slots.try_acquire() && slots.try_acquire() && !slots.try_acquire());
    CHECK(!slots.try_acquire_for(cuda::std::chrono::milliseconds(2)));
    slots.release(2);
    slots.acquire();
    CHECK(slots.try_acquire_for(cuda::std::chrono::milliseconds(2)));
    CHECK(!slots.try_acquire());
}

// ---- pointers with properties ----------------------------------------------

typedef cuda::access_property property;

__global__ void annotated(const int *in, int *out, float *fresh, int n)
{
    cuda::annotated_ptr<const int, property::persisting> from(in);
    cuda::annotated_ptr<int, property> to(out, property::streaming{});
    cuda::apply_access_property(in, n * sizeof *in, property::persisting{});
    const int i = threadIdx.x;
    int *const same =
        cuda::associate_access_property(&out[i], property::normal{});
    cuda::discard_memory(fresh, n * sizeof *fresh);
    to[i] = from[n - 1 - i] + (int)(same == &out[i]) + (from ? 10 : 0);
    fresh[i] = 1;
}
#pragma nv_diag_suppress static_var_with_dynamic_init
__global__ void annotated_copy(const int *in, int *out)
{
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    __shared__ int s[32];
    cuda::annotated_ptr<const int, property::streaming> from(in + threadIdx.x);
    if (threadIdx.x == 0)
        init(&bar, blockDim.x);
    __syncthreads();
    cuda::memcpy_async(&s[threadIdx.x], from, sizeof *s, bar);
    bar.arrive_and_wait();
    out[threadIdx.x] = s[31 - threadIdx.x];
}
PROBE(pointers_with_properties)
{
    array<int> in(32), out(32);
    array<float> fresh(32);
    for (int i = 0; i < 32; i++)
        in.h[i] = i;
    in.put();
    annotated<<<1, 32>>>(in.d, out.d, fresh.d, 32);
    CHECK(out.get()[0] == 42 && out.h[31] == 11);
    annotated_copy<<<1, 32>>>(in.d, out.d);
    CHECK(out.get()[0] == 31 && out.h[31] == 0);
    const property half(property::persisting{}, 0.5f, property::streaming{});
    cuda::annotated_ptr<int, property> p(in.h, half), none;
    CHECK(*p == 0 && p.get() == in.h && !none);
}

// ---- streams ---------------------------------------------------------------

PROBE(a_stream_by_reference)
{
    cudaStream_t s, t;
    OK(cudaStreamCreate(&s));
    OK(cudaStreamCreate(&t));
    array<int> a(4);
    OK(cudaMemsetAsync(a.d, 1, 16, s));
    const cuda::stream_ref ref(s);
    ref.wait();
    CHECK(ref.ready() && ref.get() == s && ref == cuda::stream_ref(s));
    CHECK(ref != cuda::stream_ref(t) && a.get()[3] == 0x01010101);
    OK(cudaStreamDestroy(s));
    OK(cudaStreamDestroy(t));
}

// ---- shuffles --------------------------------------------------------------

struct pair_of {
    double x;
    int i;
};

__global__ void shuffle(pair_of *out, int *pred)
{
    const int i = threadIdx.x;
    const pair_of mine = {i + 0.5, 100 + i};
    out[i] = cuda::device::warp_shuffle_idx(mine, 31 - i);
    const auto up = cuda::device::warp_shuffle_up<8>(mine, 1);
    const auto down = cuda::device::warp_shuffle_down<8>(mine, 2);
    out[32 + i] = up.data;
    out[64 + i] = down.data;
    out[96 + i] = cuda::device::warp_shuffle_xor(mine, 3, 0xffffffff).data;
    pred[i] = up.pred + 2 * down.pred;
}
PROBE(shuffles_of_a_structure)
{
    array<pair_of> out(128);
    array<int> pred(32);
    shuffle<<<1, 32>>>(out.d, pred.d);
    out.get();
    pred.get();
    CHECK(out.h[0].i == 131 && out.h[0].x == 31.5);
    CHECK(out.h[32 + 8].i == 108 && out.h[32 + 9].i == 108);
    CHECK(out.h[64 + 5].i == 107 && out.h[64 + 6].i == 106);
    CHECK(out.h[96 + 4].x == 7.5);
    CHECK(pred.h[0] == 2 && pred.h[8] == 2 && pred.h[5] == 3 && pred.h[7] == 1);
}
