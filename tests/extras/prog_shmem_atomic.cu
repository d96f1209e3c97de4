/* NVSHMEM: atomic operations. links: -lnvshmem_host */
#include <cuda_fp16.h>

#include "shmem.h"

__global__ void count(int *counter, unsigned long long *big)
{
    nvshmem_int_atomic_inc(counter, 0);
    nvshmem_int_atomic_add(counter + 1, 10, 0);
    nvshmem_ulonglong_atomic_add(big, 1ull << 33, 0);
    nvshmem_int_atomic_fetch_inc(counter + 2, 0);
    nvshmem_int_atomic_fetch_add(counter + 2, 2, 0);
}

PROBE(threads_count_on_pe_0)
{
    symmetric<int> counter(3);
    symmetric<unsigned long long> big(1);
    count<<<2, 32>>>(counter.d, big.d);
    nvshmemx_barrier_all_on_stream(0);
    counter.get(), big.get();
    if (me == 0) {
        CHECK(counter.h[0] == 64 * n && counter.h[1] == 640 * n);
        CHECK(big.h[0] == (1ull << 33) * 64 * n && counter.h[2] == 192 * n);
    }
}

PROBE(host_swaps)
{
    symmetric<long> x(3);
    nvshmem_long_atomic_set(x.d, 5 + me, after);
    nvshmem_barrier_all();
    CHECK(nvshmem_long_atomic_fetch(x.d, me) == 5 + before);
    CHECK(nvshmem_long_atomic_swap(x.d, 50, me) == 5 + before);
    CHECK(nvshmem_long_atomic_compare_swap(x.d, 49, 7, me) == 50);
    CHECK(nvshmem_long_atomic_compare_swap(x.d, 50, 7, me) == 50);
    CHECK(nvshmem_long_atomic_fetch(x.d, me) == 7);
    CHECK(nvshmem_long_atomic_fetch_add(x.d, -9, me) == 7);
    CHECK(nvshmem_long_atomic_fetch_inc(x.d, me) == -2);
    nvshmem_long_atomic_inc(x.d, me);
    CHECK(nvshmem_long_atomic_fetch(x.d, me) == 0);
}

PROBE(bits)
{
    symmetric<uint32_t> x(1);
    nvshmem_uint32_atomic_or(x.d, 0xf0, me);
    nvshmem_uint32_atomic_and(x.d, 0x3f, me);
    nvshmem_uint32_atomic_xor(x.d, 0x11, me);
    CHECK(nvshmem_uint32_atomic_fetch_or(x.d, 0x100, me) == 0x21);
    CHECK(nvshmem_uint32_atomic_fetch_and(x.d, 0x1ff, me) == 0x121);
    CHECK(nvshmem_uint32_atomic_fetch_xor(x.d, 0x20, me) == 0x121);
    CHECK(nvshmem_uint32_atomic_fetch(x.d, me) == 0x101);
}

__global__ void reals(float *f, double *d, __half *h)
{
    nvshmemx_float_atomic_add(f, 0.5f, 0);
    nvshmemx_double_atomic_fetch_add(d, 0.25, 0);
    nvshmemx_half_atomic_add(h + 1, __float2half(1.f), 0);
}

PROBE(sums_of_reals)
{
    symmetric<float> f(1);
    symmetric<double> d(1);
    symmetric<__half> h(2);
    reals<<<1, 8>>>(f.d, d.d, h.d);
    nvshmemx_barrier_all_on_stream(0);
    f.get(), d.get(), h.get();
    if (me == 0) {
        CHECK(f.h[0] == 4.f * n && d.h[0] == 2. * n);
        CHECK(__half2float(h.h[1]) == 8.f * n && __half2float(h.h[0]) == 0);
    }
    nvshmem_barrier_all();
    CHECK(nvshmem_float_atomic_swap(f.d, 2.5f, me) == (me ? 0.f : 4.f * n));
    CHECK(nvshmem_float_atomic_fetch(f.d, me) == 2.5f);
}

PROBE(a_counter_that_waits_for_all)
{
    symmetric<int> x(2);
    nvshmem_int_atomic_inc(x.d, 0);
    nvshmem_barrier_all();
    CHECK(nvshmem_int_atomic_fetch(x.d, 0) == n);
    nvshmem_barrier_all();
}
