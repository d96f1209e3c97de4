/* CUB: algorithms of warps, blocks and devices. */
// Deprecated functions are part of the API too.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

#include <cub/cub.cuh>

#include <algorithm>
#include <numeric>
#include <vector>

#include "probe.h"

enum { THREADS = 128, ITEMS = 4, TILE = THREADS * ITEMS };

static int some(int i)
{
    return (i * 7919 + 13) % 1009 - 500;
}

/* ---- blocks -------------------------------------------------------------- */

struct running { // continues over the tiles of a block
    int total;
    __device__ int operator()(int tile)
    {
        const int before = total;
        total += tile;
        return before;
    }
};

__global__ void block_folds(const int *in, int *out)
{
    typedef cub::BlockReduce<int, THREADS> Reduce;
    typedef cub::BlockScan<int, THREADS> Scan;
    __shared__ union {
        typename Reduce::TempStorage reduce;
        typename Scan::TempStorage scan;
    } temp;
    const int me = threadIdx.x, x = in[me];
    int sum = Reduce(temp.reduce).Sum(x), one, all;
    __syncthreads();
    const int most = Reduce(temp.reduce).Reduce(x, [](int a, int b) {
        return a > b ? a : b;
    });
    __syncthreads();
    const int some = Reduce(temp.reduce).Sum(x, 10);
    __syncthreads();
    if (me == 0) {
        out[0] = sum;
        out[1] = most;
        out[2] = some;
    }
    int items[ITEMS] = {x, 1, 1, 1};
    sum = Reduce(temp.reduce).Sum(items);
    __syncthreads();
    Scan(temp.scan).ExclusiveSum(x, one, all);
    __syncthreads();
    out[4 + me] = one;
    Scan(temp.scan).InclusiveSum(items, items);
    __syncthreads();
    out[4 + THREADS + me] = items[ITEMS - 1];
    running prefix = {100};
    for (int i = 0; i < 2; i++) {
        Scan(temp.scan).ExclusiveSum(1, one, prefix);
        __syncthreads();
    }
    if (me == 5)
        out[3] = one + 1000 * (all == sum - 3 * THREADS || me);
}

PROBE(block_reduce_and_scan)
{
    array<int> in(THREADS), out(4 + 2 * THREADS);
    for (int i = 0; i < THREADS; i++)
        in.h[i] = some(i);
    in.put();
    block_folds<<<1, THREADS>>>(in.d, out.d);
    out.get();
    int sum = 0, bound = in.h[0];
    for (int i = 0; i < THREADS; i++) {
        CHECK(out.h[4 + i] == sum);
        sum += in.h[i];
        CHECK(out.h[4 + THREADS + i] == sum + 3 * (i + 1));
        bound = std::max(bound, in.h[i]);
    }
    CHECK(out.h[0] == sum && out.h[1] == bound);
    CHECK(out.h[2] == std::accumulate(in.h, in.h + 10, 0));
    CHECK(out.h[3] == 100 + THREADS + 5 + 1000);
}

__global__ void block_tiles(const int *in, int *out, int n)
{
    typedef cub::BlockLoad<int, THREADS, ITEMS, cub::BLOCK_LOAD_TRANSPOSE> Load;
    typedef cub::BlockStore<int, THREADS, ITEMS, cub::BLOCK_STORE_TRANSPOSE>
        Store;
    typedef cub::BlockRadixSort<int, THREADS, ITEMS, int> Sort;
    typedef cub::BlockExchange<int, THREADS, ITEMS> Exchange;
    typedef cub::BlockAdjacentDifference<int, THREADS> Difference;
    typedef cub::BlockDiscontinuity<int, THREADS> Discontinuity;
    __shared__ union {
        typename Load::TempStorage load;
        typename Store::TempStorage store;
        typename Sort::TempStorage sort;
        typename Exchange::TempStorage exchange;
        typename Difference::TempStorage difference;
        typename Discontinuity::TempStorage discontinuity;
    } temp;
    int items[ITEMS], index[ITEMS], heads[ITEMS];
    Load(temp.load).Load(in, items, n, 9999);
    __syncthreads();
    for (int i = 0; i < ITEMS; i++)
        index[i] = threadIdx.x * ITEMS + i;
    Sort(temp.sort).Sort(items, index);
    __syncthreads();
    Store(temp.store).Store(out, items);
    Discontinuity(temp.discontinuity).FlagHeads(heads, items, [](int a, int b) {
        return a != b;
    });
    __syncthreads();
    Store(temp.store).Store(out + TILE, heads);
    __syncthreads();
    Store(temp.store).Store(out + 2 * TILE, index);
    Exchange(temp.exchange).BlockedToStriped(items);
    __syncthreads();
    cub::StoreDirectStriped<THREADS>(threadIdx.x, out + 3 * TILE, items);
    __syncthreads();
    Exchange(temp.exchange).StripedToBlocked(items);
    __syncthreads();
    Difference(temp.difference).SubtractLeft(items, items, [](int a, int b) {
        return a - b;
    });
    __syncthreads();
    Store(temp.store).Store(out + 4 * TILE, items);
}

PROBE(block_load_sort_exchange)
{
    const int n = TILE - 5;
    array<int> in(TILE), out(5 * TILE);
    for (int i = 0; i < TILE; i++)
        in.h[i] = some(i) / 4;
    in.put();
    block_tiles<<<1, THREADS>>>(in.d, out.d, n);
    out.get();
    std::vector<int> want(in.h, in.h + n);
    want.resize(TILE, 9999);
    const std::vector<int> before = want;
    std::sort(want.begin(), want.end());
    for (int i = 0; i < TILE; i++) {
        CHECK(out.h[i] == want[i] && out.h[3 * TILE + i] == want[i]);
        CHECK(out.h[TILE + i] == (i == 0 || want[i] != want[i - 1]));
        CHECK(before[out.h[2 * TILE + i]] == want[i]);
        CHECK(out.h[4 * TILE + i] == want[i] - (i ? want[i - 1] : 0));
    }
}

/* ---- warps --------------------------------------------------------------- */

__global__ void warp_folds(int *out)
{
    typedef cub::WarpReduce<int> Reduce;
    typedef cub::WarpReduce<int, 8> Eighth;
    typedef cub::WarpScan<int> Scan;
    typedef cub::WarpExchange<int, ITEMS> Exchange;
    __shared__ typename Reduce::TempStorage reduce[2];
    __shared__ typename Eighth::TempStorage eighth[8];
    __shared__ typename Scan::TempStorage scan[2];
    __shared__ typename Exchange::TempStorage exchange[2];
    const int me = threadIdx.x, warp = me / 32;
    int inclusive, exclusive;
    const int sum = Reduce(reduce[warp]).Sum(me);
    const int part = Eighth(eighth[me / 8]).Sum(me);
    Scan(scan[warp]).InclusiveSum(me, inclusive);
    Scan(scan[warp]).ExclusiveSum(1, exclusive);
    if (me % 32 == 0)
        out[warp] = sum;
    if (me % 8 == 0)
        out[8 + me / 8] = part;
    out[16 + me] = inclusive;
    out[80 + me] = exclusive;
    int items[ITEMS], striped[ITEMS];
    for (int i = 0; i < ITEMS; i++)
        items[i] = me % 32 * ITEMS + i;
    Exchange(exchange[warp]).BlockedToStriped(items, striped);
    out[144 + me] = striped[2];
}

PROBE(warp_reduce_scan_exchange)
{
    array<int> out(208);
    warp_folds<<<1, 64>>>(out.d);
    out.get();
    CHECK(out.h[0] == 496 && out.h[1] == 496 + 1024);
    for (int i = 0; i < 8; i++)
        CHECK(out.h[8 + i] == 64 * i + 28);
    for (int i = 0, sum = 0; i < 64; i++) {
        sum = i % 32 ? sum + i : i;
        CHECK(out.h[16 + i] == sum && out.h[80 + i] == i % 32);
        CHECK(out.h[144 + i] == i % 32 + 64);
    }
}

/* ---- devices ------------------------------------------------------------- */

/* Call f(temporary memory, its size) twice, as CUB's users do. */
template <class F> static void twice(F f)
{
    void *temp = nullptr;
    size_t nbytes = 0;
    OK(f(temp, nbytes));
    OK(cudaMalloc(&temp, nbytes));
    OK(f(temp, nbytes));
    OK(cudaFree(temp));
}

struct add {
    template <class T> __host__ __device__ T operator()(T a, T b) const
    {
        return a + b;
    }
};
struct is_odd {
    __host__ __device__ bool operator()(int x) const
    {
        return x % 2 != 0;
    }
};

static const int N = 5000;

/* N numbers on host and device, and place for as many. */
struct numbers {
    array<int> in, out, count;
    numbers() : in(N), out(N), count(1)
    {
        for (int i = 0; i < N; i++)
            in.h[i] = some(i);
        in.put();
    }
};

PROBE(device_reduce)
{
    numbers v;
    int *const in = v.in.h, *const result = v.count.d;
    twice([&](void *t, size_t &n) {
        return cub::DeviceReduce::Sum(t, n, v.in.d, result, N);
    });
    CHECK(v.count.get()[0] == std::accumulate(in, in + N, 0));
    twice([&](void *t, size_t &n) {
        return cub::DeviceReduce::Min(t, n, v.in.d, result, N);
    });
    CHECK(v.count.get()[0] == *std::min_element(in, in + N));
    twice([&](void *t, size_t &n) {
        return cub::DeviceReduce::Max(t, n, v.in.d, result, N);
    });
    CHECK(v.count.get()[0] == *std::max_element(in, in + N));
    twice([&](void *t, size_t &n) {
        return cub::DeviceReduce::Reduce(t, n, v.in.d, result, N, add(), 7);
    });
    CHECK(v.count.get()[0] == std::accumulate(in, in + N, 7));
    array<cub::KeyValuePair<int, int>> best(1);
    twice([&](void *t, size_t &n) {
        return cub::DeviceReduce::ArgMax(t, n, v.in.d, best.d, N);
    });
    const int at = (int)(std::max_element(in, in + N) - in);
    CHECK(best.get()->key == at && best.h->value == in[at]);
}

PROBE(device_scan)
{
    numbers v;
    twice([&](void *t, size_t &n) {
        return cub::DeviceScan::ExclusiveSum(t, n, v.in.d, v.out.d, N);
    });
    int sum = 0;
    v.out.get();
    for (int i = 0; i < N; sum += v.in.h[i++])
        CHECK(v.out.h[i] == sum);
    twice([&](void *t, size_t &n) {
        return cub::DeviceScan::InclusiveSum(t, n, v.in.d, v.in.d, N);
    });
    CHECK(v.in.get()[N - 1] == sum);
}

PROBE(device_select)
{
    numbers v;
    std::vector<int> odd;
    std::copy_if(v.in.h, v.in.h + N, std::back_inserter(odd), is_odd());
    twice([&](void *t, size_t &n) {
        return cub::DeviceSelect::If(t, n, v.in.d, v.out.d, v.count.d, N,
                                     is_odd());
    });
    CHECK(v.count.get()[0] == (int)odd.size());
    CHECK(std::equal(odd.begin(), odd.end(), v.out.get()));
    array<char> flags(N);
    for (int i = 0; i < N; i++)
        flags.h[i] = i % 3 == 0;
    flags.put();
    twice([&](void *t, size_t &n) {
        return cub::DeviceSelect::Flagged(t, n, v.in.d, flags.d, v.out.d,
                                          v.count.d, N);
    });
    CHECK(v.count.get()[0] == (N + 2) / 3 && v.out.get()[5] == v.in.h[15]);
    twice([&](void *t, size_t &n) {
        return cub::DevicePartition::If(t, n, v.in.d, v.out.d, v.count.d, N,
                                        is_odd());
    });
    int last_even = N - 1;
    while (is_odd()(v.in.h[last_even]))
        last_even--;
    CHECK(v.out.get()[odd.size()] == v.in.h[last_even]);
}

PROBE(device_runs)
{
    array<int> in(8), unique(8), lengths(8), runs(1);
    const int k[8] = {2, 2, 2, 5, 8, 8, 8, 8};
    std::copy(k, k + 8, in.h);
    in.put();
    twice([&](void *t, size_t &n) {
        return cub::DeviceRunLengthEncode::Encode(t, n, in.d, unique.d,
                                                  lengths.d, runs.d, 8);
    });
    CHECK(runs.get()[0] == 3 && unique.get()[2] == 8);
    CHECK(lengths.get()[0] == 3 && lengths.h[1] == 1 && lengths.h[2] == 4);
    twice([&](void *t, size_t &n) {
        return cub::DeviceReduce::ReduceByKey(t, n, in.d, unique.d, in.d,
                                              lengths.d, runs.d, add(), 8);
    });
    CHECK(lengths.get()[0] == 6 && lengths.h[1] == 5 && lengths.h[2] == 32);
}

template <class T> static void radix_sorts_as_std(T scale)
{
    array<T> in(N), out(N);
    array<int> index(N), order(N);
    for (int i = 0; i < N; i++) {
        in.h[i] = (T)(some(i) * scale);
        index.h[i] = i;
    }
    in.put();
    index.put();
    std::vector<T> want(in.h, in.h + N);
    std::sort(want.begin(), want.end());
    twice([&](void *t, size_t &n) {
        return cub::DeviceRadixSort::SortKeys(t, n, in.d, out.d, N);
    });
    CHECK(std::equal(want.begin(), want.end(), out.get()));
    twice([&](void *t, size_t &n) {
        return cub::DeviceRadixSort::SortPairsDescending(t, n, in.d, out.d,
                                                         index.d, order.d, N);
    });
    CHECK(std::equal(want.rbegin(), want.rend(), out.get()));
    order.get();
    for (int i = 0; i < N; i++)
        CHECK(in.h[order.h[i]] == out.h[i]);
    cub::DoubleBuffer<T> keys(in.d, out.d);
    cub::DoubleBuffer<int> values(index.d, order.d);
    twice([&](void *t, size_t &n) {
        return cub::DeviceRadixSort::SortPairs(t, n, keys, values, N);
    });
    OK(cudaMemcpy(out.h, keys.Current(), N * sizeof(T),
                  cudaMemcpyDeviceToHost));
    CHECK(std::equal(want.begin(), want.end(), out.h));
}

PROBE(device_radix_sort)
{
    radix_sorts_as_std<unsigned long long>(977);
    radix_sorts_as_std<float>(0.5f);
    numbers v; // by 3 bits: as stable as the whole
    twice([&](void *t, size_t &n) {
        return cub::DeviceRadixSort::SortKeys(t, n, v.in.d, v.out.d, N, 2, 5);
    });
    std::vector<int> want(v.in.h, v.in.h + N);
    std::stable_sort(want.begin(), want.end(), [](int a, int b) {
        return ((unsigned)a >> 2 & 7) < ((unsigned)b >> 2 & 7);
    });
    CHECK(std::equal(want.begin(), want.end(), v.out.get()));
}

struct by_tens {
    __host__ __device__ bool operator()(int a, int b) const
    {
        return a / 10 < b / 10;
    }
};

PROBE(device_merge_sort)
{
    numbers v;
    std::vector<int> want(v.in.h, v.in.h + N);
    std::stable_sort(want.begin(), want.end(), by_tens());
    twice([&](void *t, size_t &n) {
        return cub::DeviceMergeSort::StableSortKeys(t, n, v.in.d, N, by_tens());
    });
    CHECK(std::equal(want.begin(), want.end(), v.in.get()));
}

PROBE(device_histogram)
{
    numbers v;
    array<int> bins(10);
    twice([&](void *t, size_t &n) {
        return cub::DeviceHistogram::HistogramEven(t, n, v.in.d, bins.d, 11,
                                                   -500, 500, N);
    });
    bins.get();
    std::vector<int> want(10);
    for (int i = 0; i < N; i++)
        if (v.in.h[i] < 500)
            want[(v.in.h[i] + 500) / 100]++;
    CHECK(std::equal(want.begin(), want.end(), bins.h));
}

PROBE(device_segments)
{
    numbers v;
    array<int> begins(4), sums(3);
    const int b[4] = {0, 100, 100, 1234};
    std::copy(b, b + 4, begins.h);
    begins.put();
    twice([&](void *t, size_t &n) {
        return cub::DeviceSegmentedReduce::Sum(t, n, v.in.d, sums.d, 3,
                                               begins.d, begins.d + 1);
    });
    sums.get();
    for (int s = 0; s < 3; s++)
        CHECK(sums.h[s] ==
              std::accumulate(v.in.h + b[s], v.in.h + b[s + 1], 0));
    twice([&](void *t, size_t &n) {
        return cub::DeviceSegmentedSort::SortKeys(t, n, v.in.d, v.out.d, 1234,
                                                  3, begins.d, begins.d + 1);
    });
    std::vector<int> want(v.in.h, v.in.h + 1234);
    std::sort(want.begin(), want.begin() + 100);
    std::sort(want.begin() + 100, want.end());
    CHECK(std::equal(want.begin(), want.end(), v.out.get()));
}

PROBE(too_little_memory)
{
    numbers v;
    size_t nbytes = 1;
    CHECK(cub::DeviceRadixSort::SortKeys(v.out.d, nbytes, v.in.d, v.out.d, N) !=
          cudaSuccess);
    (void)cudaGetLastError();
}
