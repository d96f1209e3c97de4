/* CUB: its smaller headers, each included by itself. */
// Deprecated functions are part of the API too.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#pragma nv_diag_suppress deprecated_entity // MergePathSearch()

#include <cub/block/block_adjacent_difference.cuh>
#include <cub/block/block_discontinuity.cuh>
#include <cub/block/block_exchange.cuh>
#include <cub/block/block_merge_sort.cuh>
#include <cub/block/block_shuffle.cuh>
#include <cub/config.cuh>
#include <cub/device/device_adjacent_difference.cuh>
#include <cub/device/device_copy.cuh>
#include <cub/device/device_memcpy.cuh>
#include <cub/device/device_merge.cuh>
#include <cub/grid/grid_even_share.cuh>
#include <cub/grid/grid_queue.cuh>
#include <cub/thread/thread_reduce.cuh>
#include <cub/thread/thread_search.cuh>
#include <cub/thread/thread_sort.cuh>
#include <cub/util_arch.cuh>
#include <cub/util_device.cuh>
#include <cub/util_math.cuh>
#include <cub/util_namespace.cuh>
#include <cub/util_ptx.cuh>
#include <cub/util_type.cuh>
#include <cub/warp/warp_load.cuh>
#include <cub/warp/warp_merge_sort.cuh>
#include <cub/warp/warp_store.cuh>
#include <cuda/cmath>
#include <cuda/std/array>
#include <cuda/std/bit>
#include <cuda/std/concepts>
#include <cuda/std/numbers>
#include <cuda/std/span>

#include <algorithm>
#include <vector>

#include "probe.h"

enum { THREADS = 64, ITEMS = 3, TILE = THREADS * ITEMS };

static int some(int i)
{
    return (i * 7919 + 13) % 1009 - 500;
}

/* Asks for the temporary memory, then calls with it. */
template <class F> static void with_temporary(F f)
{
    size_t nbytes = 0;
    void *temp;
    OK(f(nullptr, nbytes));
    OK(cudaMalloc(&temp, nbytes));
    OK(f(temp, nbytes));
    OK(cudaFree(temp));
}

/* ---- blocks -------------------------------------------------------------- */

__global__ void shuffled(int *out)
{
    typedef cub::BlockShuffle<int, THREADS> Shuffle;
    __shared__ typename Shuffle::TempStorage temp;
    const int me = threadIdx.x;
    int items[ITEMS], prev[ITEMS] = {-1, -1, -1}, next[ITEMS] = {-1, -1, -1};
    int last, first, by = -1, back = -1, ring;
    for (int i = 0; i < ITEMS; i++)
        items[i] = me * ITEMS + i;
    Shuffle(temp).Offset(me, by, 2);
    __syncthreads();
    Shuffle(temp).Offset(me, back, -1);
    __syncthreads();
    Shuffle(temp).Rotate(me, ring, 5);
    __syncthreads();
    Shuffle(temp).Up(items, prev, last);
    __syncthreads();
    Shuffle(temp).Down(items, next, first);
    const int value[] = {by,      back,    ring,    last,   first,
                         prev[0], prev[2], next[0], next[2]};
    for (int i = 0; i < 9; i++)
        out[i * THREADS + me] = value[i];
}
PROBE(block_shuffle)
{
    array<int> a(9 * THREADS);
    shuffled<<<1, THREADS>>>(a.d);
    const int *const h = a.get();
    for (int me = 0; me < THREADS; me++) {
        CHECK(h[me] == (me + 2 < THREADS ? me + 2 : -1));
        CHECK(h[THREADS + me] == me - 1);
        CHECK(h[2 * THREADS + me] == (me + 5) % THREADS);
        CHECK(h[3 * THREADS + me] == TILE - 1);
        CHECK(h[4 * THREADS + me] == 0);
        CHECK(h[5 * THREADS + me] == me * ITEMS - 1);
        CHECK(h[6 * THREADS + me] == me * ITEMS + 1);
        CHECK(h[7 * THREADS + me] == me * ITEMS + 1);
        CHECK(h[8 * THREADS + me] ==
              (me + 1 < THREADS ? (me + 1) * ITEMS : -1));
    }
}

struct differs {
    __device__ bool operator()(int a, int b) const
    {
        return a / 2 != b / 2;
    }
};
/* CUB passes items that the operator may change: a template that takes
 * references deduces int, not const int. */
struct minus {
    template <class T> __device__ T operator()(T &a, T &b) const
    {
        return a - b;
    }
};

__global__ void flagged(int *out)
{
    typedef cub::BlockDiscontinuity<int, THREADS> Flags;
    typedef cub::BlockAdjacentDifference<int, THREADS> Differences;
    __shared__ typename Flags::TempStorage temp;
    __shared__ typename Differences::TempStorage other;
    const int me = threadIdx.x;
    int items[ITEMS], head[ITEMS], tail[ITEMS], left[ITEMS], right[ITEMS];
    for (int i = 0; i < ITEMS; i++)
        items[i] = me * ITEMS + i;
    Flags(temp).FlagHeadsAndTails(head, -1, tail, TILE + 1, items, differs());
    Differences(other).SubtractLeftPartialTile(items, left, minus(), TILE - 4);
    __syncthreads();
    Differences(other).SubtractRight(items, right, minus(), 2 * TILE);
    for (int i = 0; i < ITEMS; i++) {
        int *const at = out + 4 * items[i];
        at[0] = head[i];
        at[1] = tail[i];
        at[2] = left[i];
        at[3] = right[i];
    }
}
PROBE(block_heads_tails_and_differences)
{
    array<int> a(4 * TILE);
    flagged<<<1, THREADS>>>(a.d);
    const int *const h = a.get();
    for (int i = 0; i < TILE; i++) {
        CHECK(h[4 * i] == (i % 2 == 0 && i > 0));
        CHECK(h[4 * i + 1] == (i % 2 == 1));
        CHECK(h[4 * i + 2] == (i == 0 ? 0 : i < TILE - 4 ? 1 : i));
        CHECK(h[4 * i + 3] == (i + 1 < TILE ? -1 : i - 2 * TILE));
    }
}

__global__ void sorted_parts(int *keys, int valid)
{
    typedef cub::BlockMergeSort<int, THREADS, ITEMS> Sort;
    __shared__ typename Sort::TempStorage temp;
    int items[ITEMS];
    for (int i = 0; i < ITEMS; i++)
        items[i] = keys[threadIdx.x * ITEMS + i];
    Sort(temp).Sort(
        items, [](int a, int b) { return a < b; }, valid, 1 << 30);
    for (int i = 0; i < ITEMS; i++)
        keys[threadIdx.x * ITEMS + i] = items[i];
}
PROBE(block_sort_of_a_part)
{
    const int valid = TILE - 5;
    array<int> a(TILE);
    for (int i = 0; i < TILE; i++)
        a.h[i] = some(i);
    std::vector<int> want(a.h, a.h + valid);
    a.put();
    sorted_parts<<<1, THREADS>>>(a.d, valid);
    std::sort(want.begin(), want.end());
    CHECK(std::equal(want.begin(), want.end(), a.get()));
}

__global__ void guarded(int *out)
{
    typedef cub::BlockExchange<int, THREADS, ITEMS> Exchange;
    __shared__ typename Exchange::TempStorage temp;
    const int me = threadIdx.x;
    int items[ITEMS], ranks[ITEMS];
    for (int i = 0; i < ITEMS; i++) {
        items[i] = me * ITEMS + i;
        ranks[i] = items[i] % 2 ? -1 : TILE - 2 - items[i];
    }
    Exchange(temp).ScatterToStripedGuarded(items, ranks);
    for (int i = 0; i < ITEMS; i++)
        out[me + i * THREADS] = items[i];
}
PROBE(block_exchange_of_some)
{
    array<int> a(TILE);
    guarded<<<1, THREADS>>>(a.d);
    a.get();
    for (int i = 0; i < TILE; i += 2)
        CHECK(a.h[i] == TILE - 2 - i);
}

/* ---- warps and threads --------------------------------------------------- */

__global__ void by_warps(const int *in, int *out)
{
    enum { W = 16 };
    typedef cub::WarpLoad<int, ITEMS, cub::WARP_LOAD_STRIPED, W> Load;
    typedef cub::WarpMergeSort<int, ITEMS, W, int> Sort;
    typedef cub::WarpStore<int, ITEMS, cub::WARP_STORE_DIRECT, W> Store;
    __shared__ typename Load::TempStorage load[THREADS / W];
    __shared__ typename Sort::TempStorage sort[THREADS / W];
    __shared__ typename Store::TempStorage store[THREADS / W];
    const int warp = threadIdx.x / W, first = warp * W * ITEMS;
    int keys[ITEMS], values[ITEMS];
    Load(load[warp]).Load(in + first, keys, W * ITEMS - 1, 1 << 20);
    for (int i = 0; i < ITEMS; i++)
        values[i] = keys[i] + 1;
    Sort(sort[warp]).Sort(keys, values, [](int a, int b) { return a < b; });
    Store(store[warp]).Store(out + first, keys);
    for (int i = 0; i < ITEMS; i++)
        if (values[i] != keys[i] + 1)
            out[first] = 1 << 21;
}
PROBE(warp_load_sort_store)
{
    const int tile = 16 * ITEMS;
    array<int> a(TILE), b(TILE);
    for (int i = 0; i < TILE; i++)
        a.h[i] = some(i);
    a.put();
    by_warps<<<1, THREADS>>>(a.d, b.d);
    b.get();
    for (int w = 0; w < TILE; w += tile) {
        std::vector<int> want(a.h + w, a.h + w + tile);
        want[tile - 1] = 1 << 20;
        std::sort(want.begin(), want.end());
        CHECK(std::equal(want.begin(), want.end(), b.h + w));
    }
}

__global__ void by_threads(int *out)
{
    const int me = threadIdx.x;
    int keys[5] = {4, 1, 3, 1, 5}, values[5] = {0, 1, 2, 3, 4};
    const int sorted[] = {1, 3, 3, 5, 9}, more[] = {2, 3, 4};
    cub::StableOddEvenSort(keys, values, [](int a, int b) { return a < b; });
    int2 at;
    cub::MergePathSearch(4, sorted, more, 5, 3, at);
    const int value[] = {
        keys[0] * 10 + values[0],
        keys[1] * 10 + values[1],
        keys[4] * 10 + values[4],
        cub::LowerBound(sorted, 5, 3),
        cub::UpperBound(sorted, 5, 3),
        at.x * 10 + at.y,
        cub::ShuffleUp<8>(me, 3, 0, ~0u),
        cub::ShuffleDown<8>(me, 3, 7, ~0u),
        cub::ShuffleIndex<8>(me, 2, ~0u),
        (int)cub::WarpMask<8>(me / 8),
        cub::ThreadReduce(keys, [](int a, int b) { return a + b; }),
    };
    for (int i = 0; i < 11; i++)
        out[i * 32 + me] = value[i];
}
PROBE(thread_sort_search_and_shuffle)
{
    array<int> a(11 * 32);
    by_threads<<<1, 32>>>(a.d);
    const int *const h = a.get();
    for (int me = 0; me < 32; me++) {
        const int want[] = {11,
                            13,
                            54,
                            1,
                            3,
                            31, // 1, 2, 3, 3
                            me % 8 < 3 ? me : me - 3,
                            me % 8 > 4 ? me : me + 3,
                            me / 8 * 8 + 2,
                            (int)(0xffu << me / 8 * 8),
                            14};
        for (int i = 0; i < 11; i++)
            CHECK(h[i * 32 + me] == want[i]);
    }
}

/* ---- grids and devices --------------------------------------------------- */

template <cub::GridMappingStrategy HOW>
__global__ void shared_out(cub::GridEvenShare<int> share, int *hits)
{
    share.BlockInit<THREADS, HOW>();
    for (int at = share.block_offset; at < share.block_end;
         at += share.block_stride)
        if (at + (int)threadIdx.x < share.num_items)
            atomicAdd(hits + at + threadIdx.x, 1);
}
__global__ void drained(cub::GridQueue<int> queue, int *hits, int n)
{
    __shared__ int at;
    for (;;) {
        if (threadIdx.x == 0)
            at = queue.Drain(THREADS);
        __syncthreads();
        const int mine = at + (int)threadIdx.x;
        const bool more = at < n;
        __syncthreads();
        if (!more)
            break;
        if (mine < n)
            atomicAdd(hits + mine, 1);
    }
}
PROBE(grid_shares)
{
    const int n = 1000;
    array<int> a(n);
    cub::GridEvenShare<int> share;
    share.DispatchInit(n, 6, THREADS);
    CHECK(share.grid_size == 6);
    shared_out<cub::GRID_MAPPING_RAKE>
        <<<share.grid_size, THREADS>>>(share, a.d);
    shared_out<cub::GRID_MAPPING_STRIP_MINE>
        <<<share.grid_size, THREADS>>>(share, a.d);
    array<int> memory(2);
    CHECK(cub::GridQueue<int>::AllocationSize() == 2 * sizeof(int));
    cub::GridQueue<int> queue(memory.d);
    OK(queue.FillAndResetDrain(n));
    drained<<<3, THREADS>>>(queue, a.d, n);
    a.get();
    for (int i = 0; i < n; i++)
        CHECK(a.h[i] == 3);
}

PROBE(device_merge)
{
    enum { NA = 300, NB = 170 };
    array<int> a(NA), b(NB), va(NA), vb(NB), keys(NA + NB), values(NA + NB);
    for (int i = 0; i < NA; i++)
        a.h[i] = i, va.h[i] = i + 1000;
    for (int i = 0; i < NB; i++)
        b.h[i] = 2 * i, vb.h[i] = i + 2000;
    a.put(), b.put(), va.put(), vb.put();
    with_temporary([&](void *temp, size_t &nbytes) {
        return cub::DeviceMerge::MergePairs(temp, nbytes, a.d, va.d, (int)NA,
                                            b.d, vb.d, (int)NB, keys.d,
                                            values.d);
    });
    std::vector<int> want(NA + NB);
    std::merge(a.h, a.h + NA, b.h, b.h + NB, want.begin());
    CHECK(std::equal(want.begin(), want.end(), keys.get()));
    values.get();
    CHECK(values.h[0] == 1000 && values.h[1] == 2000 && values.h[2] == 1001);
    with_temporary([&](void *temp, size_t &nbytes) {
        return cub::DeviceMerge::MergeKeys(temp, nbytes, a.d, (int)NA, b.d,
                                           (int)NB, keys.d);
    });
    CHECK(std::equal(want.begin(), want.end(), keys.get()));
}

PROBE(device_batches)
{
    enum { N = 5, ROOM = 40 };
    array<char> from(N * ROOM), to(N * ROOM);
    array<void *> in(N), out(N);
    array<int> sizes(N);
    for (int i = 0; i < N * ROOM; i++)
        from.h[i] = (char)(i + 1);
    for (int i = 0; i < N; i++) {
        in.h[i] = from.d + i * ROOM;
        out.h[i] = to.d + (N - 1 - i) * ROOM;
        sizes.h[i] = i * 7;
    }
    from.put(), in.put(), out.put(), sizes.put();
    with_temporary([&](void *temp, size_t &nbytes) {
        return cub::DeviceMemcpy::Batched(temp, nbytes, in.d, out.d, sizes.d,
                                          N);
    });
    to.get();
    for (int i = 0; i < N; i++)
        for (int j = 0; j < ROOM; j++)
            CHECK(to.h[(N - 1 - i) * ROOM + j] ==
                  (j < i * 7 ? from.h[i * ROOM + j] : 0));
}

PROBE(device_differences)
{
    enum { N = 500 };
    array<int> a(N), b(N);
    for (int i = 0; i < N; i++)
        a.h[i] = some(i);
    a.put();
    with_temporary([&](void *temp, size_t &nbytes) {
        return cub::DeviceAdjacentDifference::SubtractLeftCopy(temp, nbytes,
                                                               a.d, b.d, +N);
    });
    b.get();
    for (int i = 0; i < N; i++)
        CHECK(b.h[i] == (i ? some(i) - some(i - 1) : some(i)));
    with_temporary([&](void *temp, size_t &nbytes) {
        return cub::DeviceAdjacentDifference::SubtractRight(temp, nbytes, a.d,
                                                            +N);
    });
    a.get();
    for (int i = 0; i < N; i++)
        CHECK(a.h[i] == (i + 1 < N ? some(i) - some(i + 1) : some(i)));
}

PROBE(questions_of_the_host)
{
    int version = 0, device, major, blocks = 0;
    OK(cudaGetDevice(&device));
    OK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor,
                              device));
    CHECK(cub::CurrentDevice() == device && cub::DeviceCount() > device);
    OK(cub::SmVersion(version));
    CHECK(version / 100 == major);
    OK(cub::PtxVersion(version));
    OK(cub::MaxSmOccupancy(blocks, shuffled, THREADS));
    CHECK(blocks > 0);
    OK(cub::SyncStream(0));
    CHECK(cuda::ceil_div(7, 2) == 4 && cuda::ceil_div(8u, 2) == 4);
    CHECK(cuda::round_up(7, 4) == 8 && cuda::round_down(7, 4) == 4);
    CHECK(cuda::ilog2(1000) == 9 && cuda::ilog10(1000) == 3);
    CHECK(cub::MidPoint(3, 8) == 5);
    CHECK(cub::Nominal4BItemsToItems<double>(11) == 5);
    CHECK(cub::Nominal8BItemsToItems<int4>(11) == 6);
    CHECK(cub::Log2<8>::VALUE == 3 && cub::Log2<9>::VALUE == 4);
    CHECK(cub::PowerOfTwo<8>::VALUE && !cub::PowerOfTwo<12>::VALUE);
    typedef cub::Traits<int> of_int;
    typedef cub::Traits<float> of_float;
    static_assert(sizeof(of_float::UnsignedBits) == 4, "as wide as a float");
    CHECK(of_int::TwiddleIn(5u) > of_int::TwiddleIn((unsigned)-5));
    CHECK(of_float::TwiddleIn(0xbf800000u) < of_float::TwiddleIn(0u));
    CHECK(of_float::TwiddleOut(of_float::TwiddleIn(0xbf800000u)) ==
          0xbf800000u);
    void *temp = nullptr, *part[2] = {nullptr, nullptr};
    const size_t sizes[2] = {100, 300};
    size_t nbytes = 0;
    OK(cub::detail::AliasTemporaries(temp, nbytes, part, sizes));
    CHECK(nbytes >= 100 + 300);
    array<char> memory(nbytes);
    OK(cub::detail::AliasTemporaries((void *)memory.d, nbytes, part, sizes));
    CHECK((char *)part[1] >= (char *)part[0] + 100 &&
          (char *)part[1] + 300 <= memory.d + nbytes);
    CHECK(CUB_PTX_WARP_THREADS == 32 && CUB_MAJOR_VERSION >= 3);
}

/* ---- what libcu++ has of C++20 ------------------------------------------- */

__global__ void spanned(cuda::std::span<int> all, double *out)
{
    static_assert(cuda::std::integral<int> && !cuda::std::integral<float> &&
                      cuda::std::same_as<int, decltype(all)::value_type> &&
                      cuda::std::unsigned_integral<unsigned char>,
                  "conditions on types");
    const cuda::std::span<int> tail = all.subspan(2);
    int sum = 0;
    for (const int x : tail)
        sum += x;
    all[0] = sum;
    all.first(2).back() = (int)(tail.size() * 10 + all.last(1).size());
    int own[] = {1, 2, 4};
    const cuda::std::span<const int> view(own);
    all[2] = cuda::std::popcount(0xf0fu) + 100 * cuda::std::countl_zero(1u) +
             10000 * cuda::std::countr_zero(8u);
    all[3] = (int)cuda::std::bit_ceil(5u) + 10 * (int)cuda::std::bit_floor(5u) +
             100 * cuda::std::has_single_bit(8u) + 1000 * view[2];
    all[4] = (int)cuda::std::rotl((unsigned char)0x81, 1) +
             1000 * (int)(cuda::std::bit_cast<unsigned>(1.0f) >> 23);
    out[0] = cuda::std::numbers::pi;
    out[1] = cuda::std::numbers::sqrt2_v<float>;
}
PROBE(libcudacxx_of_a_newer_standard)
{
    enum { N = 6 };
    array<int> a(N);
    array<double> b(2);
    for (int i = 0; i < N; i++)
        a.h[i] = i;
    a.put();
    spanned<<<1, 1>>>(cuda::std::span<int>(a.d, N), b.d);
    a.get(), b.get();
    CHECK(a.h[0] == 2 + 3 + 4 + 5 && a.h[1] == 41);
    CHECK(a.h[2] == 8 + 3100 + 30000);
    CHECK(a.h[3] == 8 + 40 + 100 + 4000);
    CHECK(a.h[4] == 3 + 127000);
    CHECK(fabs(b.h[0] - acos(-1.0)) < 1e-15 && b.h[1] == (double)sqrtf(2));
    cuda::std::array<int, 3> three = {1, 2, 3};
    CHECK(cuda::std::span<int>(three).size_bytes() == 3 * sizeof(int));
}
