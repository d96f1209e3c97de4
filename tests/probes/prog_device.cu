// Device code: groups, warps, numbers, atomics, barriers.
#include <assert.h>
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cuda_pipeline.h>
#include <curand_kernel.h>
#include <math_constants.h>

#include "probe.h"

namespace cg = cooperative_groups;

// KERNEL(name, T, n): a kernel of one block of n threads that writes p[thread]
#define KERNEL(name, T)                                                        \
    static __device__ T name##_value(unsigned);                                \
    __global__ void name##_kernel(T *p)                                        \
    {                                                                          \
        p[threadIdx.x] = name##_value(threadIdx.x);                            \
    }                                                                          \
    static __device__ T name##_value([[maybe_unused]] unsigned t)
#define RUN(name, T, n)                                                        \
    array<T> a(n);                                                             \
    name##_kernel<<<1, n>>>(a.d);                                              \
    T *const h = a.get();

// ---- warps -----------------------------------------------------------------

KERNEL(shuffles, int)
{
    const int v = (int)t * 10;
    return __shfl_sync(~0u, v, 3) + __shfl_up_sync(~0u, v, 1) * 1000 +
           __shfl_down_sync(~0u, v, 2, 8) + __shfl_xor_sync(~0u, v, 1);
}
PROBE(warp_shuffles)
{
    RUN(shuffles, int, 32)
    CHECK(h[0] == 30 + 0 + 20 + 10);
    CHECK(h[7] == 30 + 60000 + 70 + 60);
}

KERNEL(doubles, double)
{
    double v = t;
    for (int d = 16; d; d /= 2)
        v += __shfl_xor_sync(~0u, v, d);
    return v;
}
PROBE(warp_shuffle_of_doubles)
{
    RUN(doubles, double, 64)
    CHECK(h[0] == 496 && h[63] == 496 + 32 * 32);
}

KERNEL(votes, unsigned)
{
    return __ballot_sync(~0u, t % 3 == 0) ^ (__any_sync(~0u, t == 5) << 30) ^
           (unsigned)(__all_sync(~0u, t < 64) << 31);
}
PROBE(warp_votes)
{
    RUN(votes, unsigned, 32)
    CHECK(h[0] == (0x49249249u ^ 1u << 30 ^ 1u << 31));
}

// Numbers of 8 bits from and to what CUDA converts them from and to.
__global__ void narrow_numbers(int *out)
{
    const __half2 low = __floats2half2_rn(1, 2), high = __floats2half2_rn(3, 4);
    const __nv_fp8x4_e4m3 four(low, high);
    const __nv_fp8x4_e5m2 others(__floats2bfloat162_rn(5, 6),
                                 __floats2bfloat162_rn(7, 8));
    const float4 f = (float4)four, o = (float4)others;
    out[0] = (int)(f.x + 10 * f.y + 100 * f.z + 1000 * f.w);
    out[1] = (int)(o.x + 10 * o.y + 100 * o.z + 1000 * o.w);
    out[2] = (short)__nv_fp8_e4m3(12ll) + (int)(long long)__nv_fp8_e5m2(7ull);
    out[3] = (int)(unsigned char)__nv_fp8_e4m3((short)-3);
    out[4] = __nv_cvt_halfraw2_to_fp8x2(low, __NV_SATFINITE, __NV_E4M3);
}
PROBE(numbers_of_8_bits)
{
    array<int> out(5);
    narrow_numbers<<<1, 1>>>(out.d);
    static const int expect[] = {4321, 8765, 19, 0, 0x4038};
    CHECK(memcmp(out.get(), expect, sizeof expect) == 0);
}

// What the compiler itself offers since CUDA 12.8.
#if !defined(__NVCC__) || CUDART_VERSION >= 12080
__global__ void compiler_atomics(int *p, float *sum, int *out)
{
    int three = 3, expected = 3;
    __nv_atomic_fetch_add(sum, 1.5f, __NV_ATOMIC_RELAXED);
    out[0] = __nv_atomic_load_n(p, __NV_ATOMIC_RELAXED);
    __nv_atomic_store_n(p, 7, __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_BLOCK);
    __nv_atomic_exchange(p, &three, &out[1], __NV_ATOMIC_ACQ_REL);
    out[2] = __nv_atomic_compare_exchange_n(
        p, &expected, 12, false, __NV_ATOMIC_SEQ_CST, __NV_ATOMIC_RELAXED,
        __NV_THREAD_SCOPE_DEVICE);
    out[3] = __nv_atomic_compare_exchange(
        p, &expected, &three, false, __NV_ATOMIC_SEQ_CST, __NV_ATOMIC_RELAXED);
    out[4] = expected;
    __nv_atomic_add(p, 5, __NV_ATOMIC_RELAXED);
    __nv_atomic_xor(p, 1, __NV_ATOMIC_RELAXED);
    out[5] = __nv_atomic_fetch_sub(p, 1u, __NV_ATOMIC_RELAXED);
    out[6] = __nv_atomic_fetch_min(p, -2, __NV_ATOMIC_RELAXED);
    __nv_atomic_thread_fence(__NV_ATOMIC_SEQ_CST, __NV_THREAD_SCOPE_DEVICE);
    __nv_atomic_load(p, &out[7], __NV_ATOMIC_ACQUIRE);
}
PROBE(atomics_of_the_compiler)
{
    array<int> p(1), out(8);
    array<float> sum(1);
    p.h[0] = 4;
    p.put();
    compiler_atomics<<<1, 32>>>(p.d, sum.d, out.d);
    CHECK(sum.get()[0] == 48);
    compiler_atomics<<<1, 1>>>(p.d, sum.d, out.d);
    static const int expect[] = {-2, 7, 1, 0, 12, 16, 15, -2};
    CHECK(memcmp(out.get(), expect, sizeof expect) == 0);
}
#endif

KERNEL(matches, unsigned)
{
    int all;
    const unsigned any = __match_any_sync(~0u, t / 4);
    const unsigned same = __match_all_sync(~0u, 7, &all);
    return any ^ (same == ~0u && all ? 0 : 1);
}
PROBE(warp_match)
{
    RUN(matches, unsigned, 32)
    CHECK(h[0] == 0xf && h[31] == 0xf0000000u);
}

KERNEL(reductions, unsigned)
{
    return __reduce_add_sync(~0u, t) + __reduce_max_sync(~0u, t) * 1000 +
           __reduce_or_sync(~0u, 1u << (t % 4)) * 100000 +
           (unsigned)__reduce_min_sync(~0u, -(int)t) * 0;
}
PROBE(warp_reduce)
{
    RUN(reductions, unsigned, 32)
    CHECK(h[4] == 496 + 31000 + 1500000);
}

KERNEL(active, unsigned)
{
    if (t % 2)
        return __activemask();
    return __popc(__activemask());
}
PROBE(warp_active_mask)
{
    RUN(active, unsigned, 32)
    CHECK(h[1] == 0xaaaaaaaau && h[2] == 16);
}

__global__ void counts(int *p)
{
    const int t = threadIdx.x;
    const int n = __syncthreads_count(t % 3 == 0);
    const int all = __syncthreads_and(t < 100), any = __syncthreads_or(t == 99);
    p[t] = n + 1000 * all + 10000 * any;
}
PROBE(barriers_that_count)
{
    array<int> a(100);
    counts<<<1, 100>>>(a.d);
    CHECK(a.get()[7] == 34 + 11000);
}

__global__ void half_warp(int *p)
{
    const int t = threadIdx.x;
    __shared__ alignas(128) int s[32];
    s[t] = t;
    __syncwarp();
    p[t] = (size_t)s % 128 ? -1 : s[31 - t];
    if (t < 16)
        __syncwarp(0xffff);
}
PROBE(syncwarp)
{
    array<int> a(32);
    half_warp<<<1, 32>>>(a.d);
    CHECK(a.get()[0] == 31);
}

// ---- integers --------------------------------------------------------------

KERNEL(bits, int)
{
    const unsigned x = 0x00f0u;
    return __popc(x) + __clz(x) * 10 + __ffs(x) * 1000 +
           (__brev(1u) == 0x80000000u) * 100000 + (__popcll(~0ull) == 64) +
           (__clzll(1) == 63) + (__ffsll(8) == 4) + (__clz(0) == 32) +
           (__brevll(1) == 1ull << 63);
}
PROBE(bit_counts)
{
    RUN(bits, int, 1)
    CHECK(h[0] == 4 + 240 + 5000 + 100000 + 5);
}

KERNEL(perm, unsigned)
{
    return __byte_perm(0x33221100u, 0x77665544u, 0x7401u);
}
PROBE(byte_permutation)
{
    RUN(perm, unsigned, 1)
    CHECK(h[0] == 0x77440011u);
}

KERNEL(funnel, unsigned)
{
    return __funnelshift_l(0x80000000u, 1, 1) + __funnelshift_r(0, 1, 4) * 2 +
           (__funnelshift_lc(5, 1, 40) == 5) +
           (__funnelshift_rc(5, 1, 40) == 1);
}
PROBE(funnel_shifts)
{
    RUN(funnel, unsigned, 1)
    CHECK(h[0] == 3 + 0x20000000u + 2);
}

KERNEL(high, int)
{
    return (__mulhi(1 << 30, 8) == 2) + (__umulhi(~0u, 2) == 1) +
           (__mul64hi(1ll << 62, 4) == 1) + (__umul64hi(~0ull, 2) == 1) +
           (__mul24(3, 4) == 12) + (__sad(3, 5, 1) == 3) + (__hadd(3, 6) == 4) +
           (__rhadd(3, 6) == 5) + (__uhadd(1, 2) == 1);
}
PROBE(high_products)
{
    RUN(high, int, 1)
    CHECK(h[0] == 9);
}

KERNEL(dots, int)
{
    return __dp4a(0x01020304, 0x01010101, 5) +
           __dp4a((int)0xffffffff, 0x01010101, 0) +
           __dp2a_lo(0x00020001, 0x00000403, 0) * 100;
}
PROBE(dot_products)
{
    RUN(dots, int, 1)
    CHECK(h[0] == 15 - 4 + (1 * 3 + 2 * 4) * 100);
}

KERNEL(video, unsigned)
{
    return (__vadd4(0x01ff01ffu, 0x01010101u) == 0x02000200u) +
           (__vaddus4(0x01ff01ffu, 0x01010101u) == 0x02ff02ffu) +
           (__vmaxu4(0x01020304u, 0x04030201u) == 0x04030304u) +
           (__vcmpeq4(0x01020304u, 0x01000300u) == 0xff00ff00u) +
           (__vabsdiffu4(0x05000500u, 0x01010101u) == 0x04010401u) +
           (__vsub2(0x00010000u, 0x00000001u) == 0x0001ffffu) +
           (__vavgu4(0x02020202u, 0x04040404u) == 0x03030303u) +
           (__vsadu4(0x01010101u, 0x03030303u) == 8) +
           (__vminu2(0x00010005u, 0x00020003u) == 0x00010003u);
}
PROBE(video_instructions)
{
    RUN(video, unsigned, 1)
    CHECK(h[0] == 9);
}

KERNEL(minmax, int)
{
    return (min(3u, 4) == 3) + (max(2.5f, 1.0f) == 2.5f) +
           (min(1ll, 2ll) == 1) + (max(-1, 2) == 2) + (umax(1, 2) == 2) +
           (abs(-3) == 3) + (fmin(1.0, 2.0) == 1.0) + (llabs(-4ll) == 4);
}
PROBE(minimum_and_maximum)
{
    RUN(minmax, int, 1)
    CHECK(h[0] == 8);
}

KERNEL(several, int)
{
    bool high, low;
    return (__viaddmax_s32(3, 4, 5) == 7) + (__viaddmin_u32(3u, 4u, 5u) == 5) +
           (__viaddmax_s16x2_relu(0xfff0fff0u, 0x00010001u, 0xfff00005u) ==
            0x00000005u) +
           (__vimax3_s32(-1, 5, 3) == 5) +
           (__vimin3_u16x2(0x00058000u, 0x00067fffu, 0x00070001u) ==
            0x00050001u) +
           (__vimin_s32_relu(-4, 3) == 0) +
           (__vibmax_s16x2(0x0001ffffu, 0x00020000u, &high, &low) ==
            0x00020000u) +
           (!high && !low) + (__vibmin_u32(3u, 3u, &high) == 3) + high;
}
PROBE(minimum_of_several)
{
    RUN(several, int, 1)
    CHECK(h[0] == 10);
}

// ---- floats ----------------------------------------------------------------

KERNEL(rounded, int)
{
    return (__fadd_ru(1.0f, 1e-10f) > 1.0f) +
           (__fadd_rd(1.0f, 1e-10f) == 1.0f) +
           (__fmul_rz(3.0f, 0.33333334f) <= 1.0f) +
           (__fmaf_rn(2.0f, 3.0f, 4.0f) == 10.0f) +
           (__fdiv_rn(1.0f, 4.0f) == 0.25f) + (__frcp_rn(8.0f) == 0.125f) +
           (__fsqrt_rn(16.0f) == 4.0f) + (__dadd_rn(1.0, 2.0) == 3.0) +
           (__dmul_rz(1.5, 2.0) == 3.0) + (__fma_rn(2.0, 3.0, 1.0) == 7.0) +
           (__drcp_rn(4.0) == 0.25) + (__dsqrt_rn(9.0) == 3.0);
}
PROBE(directed_roundings)
{
    RUN(rounded, int, 1)
    CHECK(h[0] == 12);
}

KERNEL(convert, int)
{
    return (__float2int_rn(2.5f) == 2) + (__float2int_rz(-2.7f) == -2) +
           (__float2int_ru(2.1f) == 3) + (__float2int_rd(-2.1f) == -3) +
           (__float2uint_rz(3e9f) == 3000000000u) +
           (__float2int_rz(1e20f) == 2147483647) +
           (__double2ll_rn(1e10) == 10000000000ll) +
           (__int2float_rz(16777217) == 16777216.0f) +
           (__int2float_ru(16777217) == 16777218.0f) +
           (__double2float_rd(1.0 / 3) < 1.0 / 3) +
           (__float_as_int(1.0f) == 0x3f800000) +
           (__int_as_float(0x40000000) == 2.0f) +
           (__double2hiint(1.0) == 0x3ff00000) +
           (__hiloint2double(0x3ff00000, 0) == 1.0) +
           (__longlong_as_double(0x3ff0000000000000ll) == 1.0);
}
PROBE(conversions)
{
    RUN(convert, int, 1)
    CHECK(h[0] == 15);
}

static __device__ int near(double a, double b)
{
    return fabs(a - b) < 1e-5 * (1 + fabs(b));
}
KERNEL(functions, int)
{
    float s, c;
    sincospif(0.5f, &s, &c);
    return near(rsqrtf(4.0f), 0.5) + near(sinpif(0.5f), 1) +
           near(cospif(1), -1) + near(__saturatef(1.5f), 1) +
           near(__expf(1.0f), 2.718282) + near(__logf(2.718282f), 1) +
           near(__powf(2, 3), 8) + near(exp10f(2), 100) +
           near(normcdff(0), 0.5) + near(rcbrtf(8), 0.5) +
           near(erfinvf(0.5f), 0.476936) + near(norm3df(1, 2, 2), 3) +
           near(__fdividef(1, 4), 0.25) + near(s, 1) + near(c, 0) +
           near(__sinf(0.5f), 0.479426) + near(erfcxf(1), 0.427584) +
           near(CUDART_PI, 3.14159265) + near(rhypotf(3, 4), 0.2) +
           near(fdividef(3, 4), 0.75) + near(cbrtf(27), 3);
}
PROBE(mathematical_functions)
{
    RUN(functions, int, 1)
    CHECK(h[0] == 21);
}

KERNEL(lengths, int)
{
    const double p[] = {2, 3, 6, 1e200};
    const float q[] = {2, 3, 6};
    return (norm(3, p) == 7) + (norm(4, p) == 1e200) + (norm3d(2, 3, 6) == 7) +
           (normf(3, q) == 7) + (fabs(norm4d(1, 1, 1, 1) - 2) < 1e-15) +
           (rnormf(3, q) > 0.142f) + (fabs(rnorm3d(2, 3, 6) * 7 - 1) < 1e-15) +
           (fabs(cyl_bessel_i0(1.0) - 1.2660658777520084) < 1e-14) +
           (fabs(cyl_bessel_i1(-1.0) + 0.5651591039924851) < 1e-14) +
           (cyl_bessel_i0f(0.0f) == 1);
}
PROBE(lengths_and_bessel_functions)
{
    RUN(lengths, int, 1)
    CHECK(h[0] == 10);
}

// ---- atomics ---------------------------------------------------------------

__global__ void atomics(int *i, unsigned *u, float *f, double *d,
                        unsigned long long *l)
{
    atomicAdd(&i[0], 1);
    atomicSub(&i[1], 1);
    atomicMin(&i[2], -(int)threadIdx.x);
    atomicMax(&i[3], (int)threadIdx.x);
    atomicInc(&u[0], 9);
    atomicDec(&u[1], 9);
    atomicOr(&u[2], 1u << threadIdx.x % 32);
    atomicXor(&u[3], 3u);
    atomicAdd(f, 0.5f);
    atomicAdd(d, 0.25);
    atomicAdd(l, 1ull << 32);
    atomicAdd_block(&i[4], 2);
    atomicAdd_system(&i[5], 3);
    if (atomicCAS(&i[6], 0, 7) == 0)
        atomicExch(&i[7], 8);
}
PROBE(atomic_operations)
{
    array<int> i(8);
    array<unsigned> u(4);
    array<float> f(1);
    array<double> d(1);
    array<unsigned long long> l(1);
    atomics<<<2, 32>>>(i.d, u.d, f.d, d.d, l.d);
    i.get(), u.get();
    CHECK(i.h[0] == 64 && i.h[1] == -64 && i.h[2] == -31 && i.h[3] == 31);
    CHECK(u.h[0] == 4 && u.h[1] == 6 && u.h[2] == ~0u && u.h[3] == 0);
    CHECK(f.get()[0] == 32 && d.get()[0] == 16 && l.get()[0] == 64ull << 32);
    CHECK(i.h[4] == 128 && i.h[5] == 192 && i.h[6] == 7 && i.h[7] == 8);
}

__global__ void of_vectors(float2 *two, float4 *four)
{
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
    atomicAdd(two, make_float2(1, 2));
    atomicAdd(four, make_float4(1, 2, 3, 4));
#else
    (void)two, (void)four;
#endif
}
PROBE(atomics_of_vectors)
{
    array<float2> two(1);
    array<float4> four(1);
    of_vectors<<<2, 64>>>(two.d, four.d);
    CHECK(two.get()->y == 256 && four.get()->w == 512);
}

__global__ void spaces(int *out)
{
    __shared__ int shared;
    int local = 0;
    int *const at[] = {&shared, &local, out};
    for (int i = 0; i < 3; i++)
        *out += __isShared(at[i]) == (i == 0) && __isLocal(at[i]) == (i == 1) &&
                __isGlobal(at[i]) == (i == 2);
}
PROBE(address_spaces)
{
    array<int> a(1);
    spaces<<<1, 1>>>(a.d);
    CHECK(a.get()[0] == 3);
}

__global__ void scoped(cuda::atomic<int, cuda::thread_scope_device> *a, int *p,
                       float *f)
{
    typedef volatile cuda::atomic<int, cuda::thread_scope_device> spun;
    *(spun *)a += ((spun *)a)->load() * 0;
    a->fetch_add(2, cuda::memory_order_relaxed);
    cuda::atomic_ref<int, cuda::thread_scope_block> r(*p);
    r.fetch_max((int)threadIdx.x);
    cuda::atomic_ref<float> g(*f);
    g.fetch_add(0.5f);
    (*a)++;
}
PROBE(cuda_atomic)
{
    array<int> a(2);
    array<float> f(1);
    scoped<<<1, 40>>>((cuda::atomic<int, cuda::thread_scope_device> *)a.d,
                      a.d + 1, f.d);
    CHECK(a.get()[0] == 120 && a.h[1] == 39 && f.get()[0] == 20);
}

__global__ void turns(int *turn, int *order)
{
    cuda::atomic_ref<int, cuda::thread_scope_device> t(*turn);
    const int me = (int)gridDim.x - 1 - (int)blockIdx.x;
    while (t.load(cuda::memory_order_acquire) != me)
        __nanosleep(20);
    order[me] = (int)blockIdx.x;
    t.store(me + 1, cuda::memory_order_release);
}
PROBE(blocks_that_wait_for_later_ones)
{
    array<int> t(1), o(8);
    turns<<<8, 1>>>(t.d, o.d);
    CHECK(o.get()[0] == 7 && o.h[7] == 0);
}

// ---- groups ----------------------------------------------------------------

__global__ void groups(int *p)
{
    const cg::thread_block b = cg::this_thread_block();
    const cg::thread_block_tile<8> tile = cg::tiled_partition<8>(b);
    const int v = (int)b.thread_rank();
    int sum = v;
    for (int d = tile.size() / 2; d; d /= 2)
        sum += tile.shfl_xor(sum, d);
    cg::sync(b);
    p[v] = sum + 1000 * (int)tile.meta_group_rank() +
           100000 * (int)tile.ballot(v % 2) * 0;
    if (tile.any(v == 63) && tile.thread_rank() == 0)
        p[0] = -1;
}
PROBE(cooperative_tiles)
{
    array<int> a(64);
    groups<<<1, 64>>>(a.d);
    CHECK(a.get()[0] == -1 && a.h[8] == 92 + 1000 && a.h[63] == 476 + 7000);
}

__global__ void collectives(int *p)
{
    const auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    const int v = (int)threadIdx.x;
    const int sum = cg::reduce(tile, v, cg::plus<int>());
    const int in = cg::inclusive_scan(tile, 1),
              ex = cg::exclusive_scan(tile, 1);
    const int most = cg::reduce(tile, v, cg::greater<int>());
    p[v] = sum + 1000 * in + 100000 * ex + (most == 31) * 10000000;
}
PROBE(cooperative_reduce_and_scan)
{
    array<int> a(32);
    collectives<<<1, 32>>>(a.d);
    CHECK(a.get()[3] == 496 + 4000 + 300000 + 10000000);
}

__global__ void aggregated(int *n, int *ranks)
{
    if (threadIdx.x % 3 == 0) {
        const auto g = cg::coalesced_threads();
        int base = 0;
        if (g.thread_rank() == 0)
            base = atomicAdd(n, (int)g.size());
        ranks[threadIdx.x] = g.shfl(base, 0) + (int)g.thread_rank();
    }
}
PROBE(coalesced_threads)
{
    array<int> n(1), r(64);
    aggregated<<<1, 64>>>(n.d, r.d);
    CHECK(n.get()[0] == 22 && r.get()[3] - r.h[0] == 1);
}

__global__ void partitions(int *p)
{
    const auto w = cg::tiled_partition<32>(cg::this_thread_block());
    const auto half = cg::binary_partition(w, w.thread_rank() % 2);
    const auto third = cg::labeled_partition(w, w.thread_rank() % 3);
    p[threadIdx.x] = (int)half.size() + 100 * (int)third.size() +
                     10000 * (int)half.thread_rank();
}
PROBE(partitions_by_value)
{
    array<int> a(32);
    partitions<<<1, 32>>>(a.d);
    CHECK(a.get()[0] == 16 + 1100 && a.h[2] == 16 + 1000 + 10000);
}

// Parts of some lanes: by rank, by a predicate, by a label; and their numbers.
KERNEL(parts, int)
{
    int value = -1;
    if (t % 4 != 1) { // 24 lanes: 0 2 3 4 6 7 ...
        const cg::coalesced_group some = cg::coalesced_threads();
        const cg::coalesced_group eight = cg::tiled_partition(some, 8);
        const cg::coalesced_group side = cg::binary_partition(some, t >= 24);
        const cg::coalesced_group same = cg::labeled_partition(some, t % 4);
        value = (int)eight.thread_rank() + 10 * (int)eight.meta_group_rank() +
                100 * (int)eight.size() + 1000 * (int)eight.meta_group_size() +
                10000 * (int)side.meta_group_rank() +
                100000 * (int)same.meta_group_rank() +
                1000000 * (int)same.meta_group_size();
    }
    return value;
}
PROBE(parts_of_some_lanes)
{
    RUN(parts, int, 32)
    int rank = 0;
    for (int t = 0; t < 32; t++) {
        if (t % 4 == 1) {
            CHECK(h[t] == -1);
            continue;
        }
        const int label = t % 4 == 0 ? 0 : t % 4 - 1;
        CHECK(h[t] == rank % 8 + 10 * (rank / 8) + 100 * 8 + 1000 * 3 +
                          10000 * (t >= 24) + 100000 * label + 1000000 * 3);
        rank++;
    }
}

// The last tile of a block has what is left.
KERNEL(short_tile, int)
{
    const cg::thread_group tile =
        cg::tiled_partition(cg::this_thread_block(), 16);
    return (int)tile.size() * 100 + (int)tile.thread_rank();
}
PROBE(a_tile_of_what_is_left)
{
    RUN(short_tile, int, 40)
    CHECK(h[31] == 1615 && h[32] == 800 && h[39] == 807);
}

// ---- one thread of a group, and sums with a place in memory ----------------

KERNEL(elected, int)
{
    __shared__ int calls;
    if (t == 0)
        calls = 0;
    __syncthreads();
    const auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    cg::invoke_one(
        tile, [](int by) { atomicAdd(&calls, by); }, 3);
    const int same = cg::invoke_one_broadcast(
        tile, [&](int a) { return a + (int)tile.meta_group_rank(); }, 50);
    __syncthreads();
    return calls * 100 + same;
}
PROBE(one_thread_of_a_group)
{
    RUN(elected, int, 32)
    for (int t = 0; t < 32; t++)
        CHECK(h[t] == 4 * 3 * 100 + 50 + t / 8);
}

__global__ void group_updates(int *out)
{
    __shared__ cuda::atomic<int, cuda::thread_scope_block> sum, most, at, last;
    const auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    const int t = (int)threadIdx.x;
    if (t == 0) {
        sum.store(1000);
        most.store(-5);
        at.store(7);
        last.store(100);
    }
    __syncthreads();
    cg::reduce_update_async(tile, sum, t, cg::plus<int>());
    cg::reduce_update_async(tile, most, t, cg::greater<int>());
    out[t] = cg::exclusive_scan_update(tile, at, 2, cg::plus<int>());
    out[64 + t] = cg::inclusive_scan_update(tile, last, 1);
    cg::reduce_store_async(tile, out + 128 + t / 32, t, cg::plus<int>());
    __syncthreads();
    if (t == 0) {
        out[130] = sum.load();
        out[131] = most.load();
        out[132] = at.load();
        out[133] = last.load();
    }
}
PROBE(groups_update_memory)
{
    array<int> a(134);
    group_updates<<<1, 64>>>(a.d);
    const int *const h = a.get();
    const int first = h[0] == 7 ? 0 : 32; // either warp may be the first
    for (int t = 0; t < 32; t++) {
        CHECK(h[first + t] == 7 + 2 * t);
        CHECK(h[(first ^ 32) + t] == 7 + 64 + 2 * t);
        CHECK(h[64 + t] % 32 == (101 + t) % 32);
    }
    CHECK(h[128] == 496 && h[129] == 496 + 1024);
    CHECK(h[130] == 1000 + 2016 && h[131] == 63);
    CHECK(h[132] == 7 + 128 && h[133] == 164);
}

__global__ void staged(const int *in, int *out)
{
    __shared__ int s[64];
    const auto b = cg::this_thread_block();
    cg::memcpy_async(b, s, in, sizeof s);
    cg::wait(b);
    out[threadIdx.x] = s[63 - threadIdx.x];
}
PROBE(cooperative_memcpy_async)
{
    array<int> a(64), b(64);
    for (int i = 0; i < 64; i++)
        a.h[i] = i;
    a.put();
    staged<<<1, 64>>>(a.d, b.d);
    CHECK(b.get()[0] == 63 && b.h[63] == 0);
}

// ---- barriers and pipelines ------------------------------------------------

#pragma nv_diag_suppress static_var_with_dynamic_init
__global__ void arrive_wait(int *p)
{
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    __shared__ int s[64];
    if (threadIdx.x == 0)
        init(&bar, blockDim.x);
    __syncthreads();
    for (int i = 0; i < 3; i++) {
        s[threadIdx.x] = threadIdx.x + i;
        auto token = bar.arrive();
        bar.wait(std::move(token));
        p[threadIdx.x] += s[63 - threadIdx.x];
        bar.arrive_and_wait();
    }
}
PROBE(cuda_barrier)
{
    array<int> a(64);
    arrive_wait<<<2, 64>>>(a.d);
    CHECK(a.get()[0] == 2 * (63 + 64 + 65));
}

__global__ void pipelined(const int *in, int *out)
{
    __shared__ int s[2][32];
    auto pipe = cuda::make_pipeline();
    for (int i = 0; i < 2; i++) {
        pipe.producer_acquire();
        cuda::memcpy_async(&s[i][threadIdx.x], &in[32 * i + threadIdx.x],
                           sizeof(int), pipe);
        pipe.producer_commit();
    }
    for (int i = 0; i < 2; i++) {
        pipe.consumer_wait();
        __syncthreads();
        out[32 * i + threadIdx.x] = s[i][31 - threadIdx.x];
        pipe.consumer_release();
    }
}
PROBE(cuda_pipeline)
{
    array<int> a(64), b(64);
    for (int i = 0; i < 64; i++)
        a.h[i] = i;
    a.put();
    pipelined<<<1, 32>>>(a.d, b.d);
    CHECK(b.get()[0] == 31 && b.h[63] == 32);
}

__global__ void primitives(const int4 *in, int4 *out)
{
    __shared__ int4 s[32];
    __pipeline_memcpy_async(&s[threadIdx.x], &in[threadIdx.x], sizeof(int4));
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    out[threadIdx.x] = s[31 - threadIdx.x];
}
/* Warp 0 copies, warp 1 reads, two stages ahead at most. */
__global__ void with_roles(const int *in, int *out, int n)
{
    constexpr int STAGES = 2;
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, STAGES> s;
    __shared__ int stage[STAGES][32];
    const cg::thread_block block = cg::this_thread_block();
    const bool copies = threadIdx.x < 32;
    auto pipe = cuda::make_pipeline(block, &s,
                                    copies ? cuda::pipeline_role::producer
                                           : cuda::pipeline_role::consumer);
    for (int i = 0; i < n; i++) {
        int *const at = &stage[i % STAGES][threadIdx.x % 32];
        if (copies) {
            pipe.producer_acquire();
            cuda::memcpy_async(at, in + i * 32 + threadIdx.x, sizeof(int),
                               pipe);
            pipe.producer_commit();
        } else {
            pipe.consumer_wait();
            out[i * 32 + threadIdx.x % 32] = *at + 1;
            pipe.consumer_release();
        }
    }
}

PROBE(pipeline_of_producers_and_consumers)
{
    const int n = 7;
    array<int> a(32 * n), b(32 * n);
    for (int i = 0; i < 32 * n; i++)
        a.h[i] = 3 * i;
    a.put();
    with_roles<<<1, 64>>>(a.d, b.d, n);
    b.get();
    for (int i = 0; i < 32 * n; i++)
        CHECK(b.h[i] == 3 * i + 1);
}

PROBE(pipeline_primitives)
{
    array<int4> a(32), b(32);
    a.h[31].z = 5;
    a.put();
    primitives<<<1, 32>>>(a.d, b.d);
    CHECK(b.get()[0].z == 5);
}

// ---- variables, memory, time -----------------------------------------------

__device__ int counter_variable = 5;
__constant__ float coefficients[4];
__device__ float3 table[2] = {{1, 2, 3}, {4, 5, 6}};
template <class T> __device__ T scale = T(3);
__managed__ int managed[2] = {1, 2};

__global__ void variables(float *p)
{
    counter_variable += 1;
    managed[1] += 40;
    p[0] = (float)counter_variable + table[1].z + scale<float> + managed[1];
}
PROBE(device_variables)
{
    array<float> a(1);
    managed[1] = 3;
    variables<<<1, 1>>>(a.d);
    CHECK(a.get()[0] == 6 + 6 + 3 + 43);
    OK(cudaDeviceSynchronize());
    CHECK(managed[1] == 43);
}

__global__ void heap(int *p)
{
    int *const m = (int *)malloc(4 * sizeof(int));
    int *const n = new int[4];
    m[threadIdx.x % 4] = (int)threadIdx.x;
    n[1] = 2;
    p[threadIdx.x] = m[threadIdx.x % 4] + n[1];
    free(m);
    delete[] n;
}
PROBE(device_heap)
{
    array<int> a(8);
    heap<<<1, 8>>>(a.d);
    CHECK(a.get()[7] == 9);
}

__global__ void says()
{
    if (threadIdx.x == 0)
        printf("device: %d %s\n", 42, "text");
}
PROBE(device_printf)
{
    says<<<1, 32>>>();
    OK(cudaDeviceSynchronize());
}

__global__ void clocks(long long *p)
{
    const long long a = clock64();
    __nanosleep(100);
    const clock_t b = clock();
    p[0] = clock64() - a;
    p[1] = b != 0;
}
PROBE(device_clocks)
{
    array<long long> a(2);
    clocks<<<1, 1>>>(a.d);
    CHECK(a.get()[0] > 0 && a.h[1] == 1);
}

// A kernel that spins for some cycles, as samples do to keep a GPU busy.
__global__ void spins(long long *p, clock_t cycles)
{
    const clock_t begin = clock();
    clock_t now = begin;
    while (now - begin < cycles) {
        now = clock();
        p[0]++;
    }
    p[1] = clock64() > now;
}
PROBE(device_clock_counts_cycles_and_not_processor_time)
{
    array<long long> a(2);
    spins<<<1, 1>>>(a.d, 100000);
    const long long turns = a.get()[0];
    CHECK(turns > 10 && turns < 100000 && a.h[1] == 1);
    a.h[0] = 0;
    a.put();
    spins<<<1, 1>>>(a.d, 100000);
    CHECK(!on_simgpu() || a.get()[0] == turns);
    CHECK(clock() != (clock_t)-1); // the C library's
}

// Tiles of several warps: each has its own barrier and its own values.
template <unsigned SIZE> __global__ void large_tiles(int *out)
{
    __shared__ cg::block_tile_memory<256> memory;
    const cg::thread_block block = cg::this_thread_block(memory);
    const auto tile = cg::tiled_partition<SIZE>(block);
    const auto half = cg::tiled_partition<SIZE / 2>(tile);
    const unsigned t = threadIdx.x;
    const int first = (int)(t - tile.thread_rank());
    if (tile.meta_group_rank() == 1) // the others do not come
        tile.sync();
    int right = tile.shfl((int)t, 3) == first + 3;
    right &= tile.any(t == 5) == (first == 0) && !tile.all(t != 5) == !first;
    right &=
        cg::reduce(tile, (int)t, cg::greater<int>()) == first + (int)SIZE - 1;
    right &= cg::reduce(tile, 1L, cg::plus<long>()) == SIZE;
    right &= cg::inclusive_scan(tile, 1) == (int)tile.thread_rank() + 1;
    right &= cg::exclusive_scan(tile, 2) == (int)tile.thread_rank() * 2;
    right &= half.meta_group_rank() == tile.thread_rank() / (SIZE / 2);
    right &= half.meta_group_size() == 2 && tile.size() == SIZE;
    right &= cg::reduce(half, 1, cg::plus<int>()) == (int)SIZE / 2;
    out[t] = right;
}
PROBE(tiles_of_several_warps)
{
    array<int> a(256);
    const auto check = [&a] {
        int sum = 0;
        a.get();
        for (int i = 0; i < 256; i++)
            sum += a.h[i];
        CHECK(sum == 256);
        OK(cudaMemset(a.d, 0, 256 * sizeof(int)));
    };
    large_tiles<64><<<1, 256>>>(a.d);
    check();
    large_tiles<128><<<1, 256>>>(a.d);
    check();
    large_tiles<256><<<1, 256>>>(a.d);
    check();
}

struct shape {
    __device__ virtual int area() const = 0;
    __device__ virtual ~shape() {}
};
struct square : shape {
    int side;
    __device__ explicit square(int s) : side(s) {}
    __device__ int area() const override
    {
        return side * side;
    }
};
__global__ void virtuals(int *p)
{
    const shape *const s = new square(5);
    *p = s->area();
    delete s;
}
PROBE(virtual_functions)
{
    array<int> a(1);
    virtuals<<<1, 1>>>(a.d);
    CHECK(a.get()[0] == 25);
}

__device__ int factorial(int n)
{
    return n < 2 ? 1 : n * factorial(n - 1);
}
typedef int (*operation)(int);
__device__ int plus_one(int x)
{
    return x + 1;
}
__device__ operation chosen = plus_one;
__global__ void calls(int *p)
{
    *p = factorial(5) + chosen(1);
}
PROBE(recursion_and_function_pointers)
{
    array<int> a(1);
    calls<<<1, 1>>>(a.d);
    CHECK(a.get()[0] == 122);
}

__global__ void hinted(const int *__restrict__ in, int *out)
{
    int v = __ldg(&in[threadIdx.x]) + __ldcg(&in[threadIdx.x]) +
            __ldcs(&in[threadIdx.x]);
    __stcs(&out[threadIdx.x], v);
#pragma unroll 4
    for (int i = 0; i < 4; i++)
        out[threadIdx.x] += i;
}
PROBE(cache_hints)
{
    array<int> a(4), b(4);
    a.h[3] = 2;
    a.put();
    hinted<<<1, 4>>>(a.d, b.d);
    CHECK(b.get()[3] == 12);
}

__global__ void wide_grid(int *sums, int *out)
{
    const cg::grid_group g = cg::this_grid();
    __shared__ int mine;
    if (threadIdx.x == 0)
        mine = (int)blockIdx.x + 1;
    __syncthreads();
    if (threadIdx.x == 0)
        sums[blockIdx.x] = mine;
    g.sync();
    int sum = 0;
    for (unsigned i = 0; i < gridDim.x; i++)
        sum += sums[i];
    g.sync();
    if (g.thread_rank() == 0)
        *out = sum + mine * 1000;
}
PROBE(grid_barrier)
{
    array<int> s(8), o(1);
    void *params[] = {&s.d, &o.d};
    OK(cudaLaunchCooperativeKernel((const void *)wide_grid, 8, 32, params, 0,
                                   0));
    CHECK(o.get()[0] == 36 + 1000);
}

__device__ float written_twice(int *as_int, float *as_float)
{
    *as_int = 1;
    *as_float = 2;
    return (float)*as_int;
}

__global__ void other_types(const float *in, float *out, uint4 *packed)
{
    __shared__ int words[1];
    int local;
    out[0] = written_twice(words, (float *)words);
    out[1] = written_twice(&local, (float *)&local);
    __half of[8];
    for (int i = 0; i < 8; i++)
        of[i] = __float2half(in[i]);
    *packed = *(const uint4 *)of;
}
PROBE(memory_read_as_another_type)
{
    array<float> in(8), out(2);
    array<uint4> packed(1);
    for (int i = 0; i < 8; i++)
        in.h[i] = (float)i;
    in.put();
    other_types<<<1, 1>>>(in.d, out.d, packed.d);
    CHECK(out.get()[0] == 0x40000000 && out.h[1] == 0x40000000);
    CHECK(packed.get()->w == 0x47004600); // 7 and 6
}

__global__ void lock_users(int *lock, int *n)
{
    if (threadIdx.x == 0) {
        while (atomicCAS(lock, 0, 1) != 0)
            ;
        *n += 1;
        __threadfence();
        atomicExch(lock, 0);
    }
}
PROBE(spin_locks)
{
    array<int> a(2);
    lock_users<<<16, 32>>>(a.d, a.d + 1);
    CHECK(a.get()[1] == 16 && a.h[0] == 0);
}

__device__ unsigned arrived;
__global__ void last_block(const int *in, int *part, int *out)
{
    __shared__ bool last;
    part[blockIdx.x] = in[blockIdx.x];
    __threadfence();
    if (threadIdx.x == 0)
        last = atomicInc(&arrived, gridDim.x) == gridDim.x - 1;
    __syncthreads();
    if (last && threadIdx.x == 0)
        for (unsigned i = 0; i < gridDim.x; i++)
            *out += part[i];
}
PROBE(last_block_of_a_grid)
{
    array<int> in(8), part(8), out(1);
    for (int i = 0; i < 8; i++)
        in.h[i] = i;
    in.put();
    last_block<<<8, 32>>>(in.d, part.d, out.d);
    CHECK(out.get()[0] == 28);
}

/* ---- random numbers ------------------------------------------------------ */

template <class State> __global__ void poisson(double lambda, unsigned *p)
{
    const int i = threadIdx.x;
    State state;
    curand_init(1, i, 0, &state);
    p[i] = curand_poisson(&state, lambda);
}

template <class State> static void check_poisson(double lambda)
{
    enum { N = 1024 };
    array<unsigned> p(N);
    double mean = 0, variance = 0;
    poisson<State><<<1, N>>>(lambda, p.d);
    p.get();
    for (int i = 0; i < N; i++)
        mean += p.h[i] / (double)N;
    for (int i = 0; i < N; i++)
        variance += (p.h[i] - mean) * (p.h[i] - mean) / N;
    CHECK(fabs(mean - lambda) < 5 * sqrt(lambda / N));
    CHECK(fabs(variance / lambda - 1) < 0.3);
}

PROBE(poisson_numbers)
{
    check_poisson<curandState>(0.5);
    check_poisson<curandState>(300);
    check_poisson<curandStatePhilox4_32_10_t>(20);
}

/* ---- a grid that fills the device ---------------------------------------- */

__global__ void across_the_grid(int *count, int *seen)
{
    if (threadIdx.x == 0)
        atomicAdd(count, 1);
    cg::this_grid().sync();
    if (threadIdx.x == 0)
        seen[blockIdx.x] = *count;
}

PROBE(a_cooperative_grid_as_large_as_the_device)
{
    int per_sm, sms, threads = 1024;
    OK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, across_the_grid,
                                                     threads, 0));
    const int blocks = per_sm * sms;
    array<int> count(1), seen(blocks);
    void *params[] = {&count.d, &seen.d};
    OK(cudaLaunchCooperativeKernel(across_the_grid, blocks, threads, params));
    seen.get();
    for (int i = 0; i < blocks; i++)
        CHECK(seen.h[i] == blocks);
}
