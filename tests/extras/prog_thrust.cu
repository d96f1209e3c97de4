/* Thrust: vectors, iterators and algorithms, on device and host. */
#include <thrust/adjacent_difference.h>
#include <thrust/binary_search.h>
#include <thrust/complex.h>
#include <thrust/copy.h>
#include <thrust/count.h>
#include <thrust/device_free.h>
#include <thrust/device_malloc.h>
#include <thrust/device_vector.h>
#include <thrust/equal.h>
#include <thrust/execution_policy.h>
#include <thrust/extrema.h>
#include <thrust/fill.h>
#include <thrust/find.h>
#include <thrust/for_each.h>
#include <thrust/functional.h>
#include <thrust/gather.h>
#include <thrust/host_vector.h>
#include <thrust/inner_product.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/logical.h>
#include <thrust/merge.h>
#include <thrust/partition.h>
#include <thrust/random.h>
#include <thrust/reduce.h>
#include <thrust/remove.h>
#include <thrust/replace.h>
#include <thrust/reverse.h>
#include <thrust/scan.h>
#include <thrust/scatter.h>
#include <thrust/sequence.h>
#include <thrust/set_operations.h>
#include <thrust/sort.h>
#include <thrust/tabulate.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>
#include <thrust/transform_scan.h>
#include <thrust/tuple.h>
#include <thrust/unique.h>
#include <thrust/universal_vector.h>
#include <thrust/zip_function.h>

#include <algorithm>
#include <cuda/std/functional>
#include <numeric>
#include <vector>

#include "probe.h"

struct square {
    __host__ __device__ int operator()(int x) const
    {
        return x * x;
    }
};
struct is_odd {
    __host__ __device__ bool operator()(int x) const
    {
        return x % 2 != 0;
    }
};
struct by_tens { // an order in which many are equal
    __host__ __device__ bool operator()(int a, int b) const
    {
        return a / 10 < b / 10;
    }
};

struct negative_at { // p[i] = -i
    int *p;
    __host__ __device__ void operator()(int i) const
    {
        p[i] = -i;
    }
};
struct sum_of_two { // of a tuple's first, in its third
    template <class Tuple> __host__ __device__ void operator()(Tuple t) const
    {
        thrust::get<2>(t) = thrust::get<0>(t) + thrust::get<1>(t);
    }
};

/* n numbers in no order. */
static std::vector<int> some(int n)
{
    std::vector<int> v(n);
    for (int i = 0; i < n; i++)
        v[i] = (i * 7919 + 13) % 1009 - 500;
    return v;
}

template <class V> static bool holds(const V &v, const std::vector<int> &want)
{
    thrust::host_vector<int> h(v.begin(), v.end());
    return h.size() == want.size() &&
           std::equal(want.begin(), want.end(), h.begin());
}

PROBE(vectors)
{
    thrust::device_vector<int> a(3, 7), b;
    a[1] = 8;
    CHECK(a[0] == 7 && a[1] == 8 && a.front() + a.back() == 14);
    a.push_back(9);
    b = a;
    CHECK(b.size() == 4 && b == a && holds(b, {7, 8, 7, 9}));
    b.erase(b.begin() + 1);
    b.insert(b.begin(), 1);
    CHECK(holds(b, {1, 7, 7, 9}) && b != a);
    b.resize(2);
    b.resize(3);
    CHECK(holds(b, {1, 7, 0}));
    thrust::host_vector<int> h = b;
    h[2] = 5;
    a = h;
    CHECK(holds(a, {1, 7, 5}));
    std::vector<int> s(2, 4);
    thrust::device_vector<int> c = s, d(s.begin(), s.end()), e{1, 2, 3};
    CHECK(holds(c, s) && holds(d, s) && holds(e, {1, 2, 3}));
    c.swap(e);
    c.assign(2, 6);
    CHECK(holds(c, {6, 6}) && e.size() == 2 && !e.empty());
    thrust::device_vector<double> wide(h.begin(), h.end());
    CHECK(wide[1] == 7.0);
    thrust::universal_vector<int> u(4, 2);
    u[3] = 9;
    CHECK(thrust::reduce(u.begin(), u.end()) == 15);
}

PROBE(pointers)
{
    thrust::device_ptr<int> p = thrust::device_malloc<int>(4);
    thrust::fill(p, p + 4, 3);
    p[2] = 10;
    *p += 1;
    CHECK(thrust::reduce(p, p + 4) == 20);
    int *const raw = thrust::raw_pointer_cast(p);
    CHECK(thrust::count(thrust::device, raw, raw + 4, 3) == 2);
    thrust::device_ptr<int> again = thrust::device_pointer_cast(raw);
    CHECK(again == p && again + 1 - p == 1 && &p[0] == p);
    thrust::device_free(p);
    thrust::device_vector<int> v(2);
    CHECK(thrust::raw_pointer_cast(&v[1]) ==
          thrust::raw_pointer_cast(v.data()) + 1);
}

PROBE(a_thread_for_each)
{
    using namespace thrust::placeholders;
    thrust::device_vector<int> a(1000), b(1000), c(1000);
    thrust::sequence(a.begin(), a.end());
    thrust::sequence(b.begin(), b.end(), 5, 2);
    thrust::transform(a.begin(), a.end(), b.begin(), c.begin(),
                      thrust::plus<int>());
    CHECK(c[0] == 5 && c[999] == 3002);
    thrust::transform(c.begin(), c.end(), c.begin(), 2 * _1 + 1);
    CHECK(c[999] == 6005);
    thrust::transform_if(a.begin(), a.end(), c.begin(), square(), is_odd());
    CHECK(c[0] == 11 && c[3] == 9);
    thrust::tabulate(c.begin(), c.end(), square());
    CHECK(c[31] == 961);
    thrust::replace_if(a.begin(), a.end(), is_odd(), -1);
    thrust::replace(a.begin(), a.end(), 2, -2);
    CHECK(a[1] == -1 && a[2] == -2 && a[4] == 4);
    thrust::reverse(b.begin(), b.end());
    CHECK(b[0] == 2003 && b[999] == 5);
    thrust::for_each(thrust::counting_iterator<int>(0),
                     thrust::counting_iterator<int>(1000),
                     negative_at{thrust::raw_pointer_cast(c.data())});
    CHECK(c[10] == -10);
    thrust::device_vector<int> map{3, 1, 2}, out(4, 0);
    thrust::gather(map.begin(), map.end(), c.begin(), out.begin());
    CHECK(holds(out, {-3, -1, -2, 0}));
    thrust::scatter(thrust::constant_iterator<int>(5),
                    thrust::constant_iterator<int>(5, 3), map.begin(),
                    out.begin());
    CHECK(holds(out, {-3, 5, 5, 5}));
    thrust::fill_n(out.begin(), 2, 8);
    CHECK(thrust::copy_n(out.begin(), 2, out.begin() + 2) == out.end());
    CHECK(holds(out, {8, 8, 8, 8}));
}

PROBE(folds)
{
    const std::vector<int> v = some(10000);
    thrust::device_vector<int> d = v;
    const int sum = std::accumulate(v.begin(), v.end(), 0);
    CHECK(thrust::reduce(d.begin(), d.end()) == sum);
    CHECK(thrust::reduce(thrust::device, d.begin(), d.end(), 5) == sum + 5);
    CHECK(thrust::reduce(d.begin(), d.end(), -1000, thrust::maximum<int>()) ==
          *std::max_element(v.begin(), v.end()));
    CHECK(thrust::transform_reduce(d.begin(), d.end(), square(), 0LL,
                                   thrust::plus<long long>()) ==
          std::inner_product(v.begin(), v.end(), v.begin(), 0LL));
    CHECK(thrust::inner_product(d.begin(), d.end(), d.begin(), 0) ==
          std::inner_product(v.begin(), v.end(), v.begin(), 0));
    CHECK(thrust::count_if(d.begin(), d.end(), is_odd()) ==
          std::count_if(v.begin(), v.end(), is_odd()));
    CHECK(thrust::min_element(d.begin(), d.end()) - d.begin() ==
          std::min_element(v.begin(), v.end()) - v.begin());
    CHECK(thrust::max_element(d.begin(), d.end()) - d.begin() ==
          std::max_element(v.begin(), v.end()) - v.begin());
    const auto both = thrust::minmax_element(d.begin(), d.end());
    CHECK(*both.first == *std::min_element(v.begin(), v.end()));
    CHECK(thrust::find(d.begin(), d.end(), v[77]) - d.begin() == 77);
    CHECK(thrust::find(d.begin(), d.end(), 12345) == d.end());
    CHECK(thrust::any_of(d.begin(), d.end(), is_odd()));
    CHECK(!thrust::all_of(d.begin(), d.end(), is_odd()));
    thrust::device_vector<int> e = d;
    CHECK(thrust::equal(d.begin(), d.end(), e.begin()));
    e[99] = 4711;
    CHECK(!thrust::equal(d.begin(), d.end(), e.begin()));
    CHECK(thrust::reduce(d.begin(), d.begin()) == 0);
    CHECK(thrust::distance(d.begin(), d.end()) == 10000);
}

PROBE(scans)
{
    thrust::device_vector<int> d{3, 1, 4, 1, 5}, out(5);
    thrust::inclusive_scan(d.begin(), d.end(), out.begin());
    CHECK(holds(out, {3, 4, 8, 9, 14}));
    thrust::exclusive_scan(d.begin(), d.end(), out.begin(), 10);
    CHECK(holds(out, {10, 13, 14, 18, 19}));
    thrust::inclusive_scan(d.begin(), d.end(), out.begin(),
                           thrust::maximum<int>());
    CHECK(holds(out, {3, 3, 4, 4, 5}));
    thrust::transform_inclusive_scan(d.begin(), d.end(), out.begin(), square(),
                                     thrust::plus<int>());
    CHECK(holds(out, {9, 10, 26, 27, 52}));
    thrust::adjacent_difference(d.begin(), d.end(), out.begin());
    CHECK(holds(out, {3, -2, 3, -3, 4}));
    thrust::exclusive_scan(d.begin(), d.end(), d.begin());
    CHECK(holds(d, {0, 3, 4, 8, 9}));
}

PROBE(runs_of_keys)
{
    thrust::device_vector<int> k{1, 1, 2, 3, 3, 3}, v{1, 2, 3, 4, 5, 6};
    thrust::device_vector<int> ko(6), vo(6);
    const auto ends = thrust::reduce_by_key(k.begin(), k.end(), v.begin(),
                                            ko.begin(), vo.begin());
    CHECK(ends.first - ko.begin() == 3 && ends.second - vo.begin() == 3);
    ko.resize(3);
    vo.resize(3);
    CHECK(holds(ko, {1, 2, 3}) && holds(vo, {3, 3, 15}));
    const auto counts = thrust::reduce_by_key(
        k.begin(), k.end(), thrust::constant_iterator<int>(1),
        thrust::make_discard_iterator(), vo.begin());
    CHECK(counts.second - vo.begin() == 3 && holds(vo, {2, 1, 3}));
    vo.resize(6);
    thrust::inclusive_scan_by_key(k.begin(), k.end(), v.begin(), vo.begin());
    CHECK(holds(vo, {1, 3, 3, 4, 9, 15}));
    thrust::exclusive_scan_by_key(k.begin(), k.end(), v.begin(), vo.begin());
    CHECK(holds(vo, {0, 1, 0, 0, 4, 9}));
    const auto u = thrust::unique_by_key(k.begin(), k.end(), v.begin());
    k.erase(u.first, k.end());
    v.erase(u.second, v.end());
    CHECK(holds(k, {1, 2, 3}) && holds(v, {1, 3, 4}));
}

PROBE(selections)
{
    const std::vector<int> v = some(500);
    thrust::device_vector<int> d = v, out(500);
    std::vector<int> odd;
    std::copy_if(v.begin(), v.end(), std::back_inserter(odd), is_odd());
    out.erase(thrust::copy_if(d.begin(), d.end(), out.begin(), is_odd()),
              out.end());
    CHECK(holds(out, odd));
    thrust::device_vector<int> parted = d;
    CHECK(thrust::stable_partition(parted.begin(), parted.end(), is_odd()) -
              parted.begin() ==
          (int)odd.size());
    std::vector<int> want = v;
    std::stable_partition(want.begin(), want.end(), is_odd());
    CHECK(holds(parted, want));
    d.erase(thrust::remove_if(d.begin(), d.end(), is_odd()), d.end());
    CHECK(d.size() == 500 - odd.size() && d[3] % 2 == 0);
    thrust::device_vector<int> flags{1, 0, 1}, three{4, 5, 6}, kept(2);
    thrust::copy_if(three.begin(), three.end(), flags.begin(), kept.begin(),
                    cuda::std::identity());
    CHECK(holds(kept, {4, 6}));
    three.erase(thrust::remove(three.begin(), three.end(), 5), three.end());
    CHECK(holds(three, {4, 6}));
    thrust::device_vector<int> same{1, 1, 2, 1};
    same.erase(thrust::unique(same.begin(), same.end()), same.end());
    CHECK(holds(same, {1, 2, 1}));
}

template <class T> static void sorts_as_std(T scale)
{
    std::vector<T> v;
    for (int x : some(3000))
        v.push_back((T)(x * scale));
    thrust::device_vector<T> d = v;
    thrust::sort(d.begin(), d.end());
    std::sort(v.begin(), v.end());
    CHECK(
        thrust::equal(d.begin(), d.end(), thrust::device_vector<T>(v).begin()));
    CHECK(thrust::is_sorted(d.begin(), d.end()));
    thrust::sort(d.begin(), d.end(), thrust::greater<T>());
    CHECK(d[0] == v.back() && d.back() == v.front());
}

PROBE(sorts)
{
    sorts_as_std<int>(3);
    sorts_as_std<unsigned char>(1);
    sorts_as_std<double>(-1e30);
    const std::vector<int> v = some(1000);
    thrust::device_vector<int> k = v, i(1000);
    thrust::sequence(i.begin(), i.end());
    thrust::sort_by_key(k.begin(), k.end(), i.begin());
    thrust::host_vector<int> hk = k, hi = i;
    for (int n = 0; n < 1000; n++)
        CHECK(v[hi[n]] == hk[n]);
    thrust::device_vector<int> d = v;
    std::vector<int> want = v;
    thrust::stable_sort(d.begin(), d.end(), by_tens());
    std::stable_sort(want.begin(), want.end(), by_tens());
    CHECK(holds(d, want));
    thrust::device_vector<int> x{2, 1, 2, 1}, y{4, 3, 1, 2};
    const auto pairs = thrust::make_zip_iterator(x.begin(), y.begin());
    thrust::sort(pairs, pairs + 4);
    CHECK(holds(x, {1, 1, 2, 2}) && holds(y, {2, 3, 1, 4}));
}

PROBE(sorted_ranges)
{
    thrust::device_vector<int> a{1, 3, 3, 7}, b{2, 3, 8}, out(7);
    CHECK(thrust::lower_bound(a.begin(), a.end(), 3) - a.begin() == 1);
    CHECK(thrust::upper_bound(a.begin(), a.end(), 3) - a.begin() == 3);
    CHECK(thrust::binary_search(a.begin(), a.end(), 7));
    CHECK(!thrust::binary_search(a.begin(), a.end(), 6));
    thrust::device_vector<int> at(3);
    thrust::upper_bound(a.begin(), a.end(), b.begin(), b.end(), at.begin());
    CHECK(holds(at, {1, 3, 4}));
    thrust::merge(a.begin(), a.end(), b.begin(), b.end(), out.begin());
    CHECK(holds(out, {1, 2, 3, 3, 3, 7, 8}));
    CHECK(
        thrust::set_union(a.begin(), a.end(), b.begin(), b.end(), out.begin()) -
            out.begin() ==
        6);
    out.erase(thrust::set_difference(a.begin(), a.end(), b.begin(), b.end(),
                                     out.begin()),
              out.end());
    CHECK(holds(out, {1, 3, 7}));
}

PROBE(iterators)
{
    thrust::device_vector<int> a{1, 2, 3, 4}, b{10, 20, 30, 40}, c(4);
    const auto squares = thrust::make_transform_iterator(a.begin(), square());
    CHECK(thrust::reduce(squares, squares + 4) == 30);
    thrust::device_vector<int> index{3, 0};
    const auto picked =
        thrust::make_permutation_iterator(b.begin(), index.begin());
    CHECK(thrust::reduce(picked, picked + 2) == 50);
    const auto pairs = thrust::make_zip_iterator(
        thrust::make_tuple(a.begin(), b.begin(), c.begin()));
    thrust::for_each(pairs, pairs + 4, sum_of_two());
    CHECK(holds(c, {11, 22, 33, 44}));
    const auto ab = thrust::make_zip_iterator(a.begin(), b.begin());
    thrust::transform(ab, ab + 4, c.begin(),
                      thrust::make_zip_function(thrust::minus<int>()));
    CHECK(holds(c, {-9, -18, -27, -36}));
    thrust::for_each(pairs, pairs + 4, [] __device__(auto t) {
        thrust::get<2>(t) = thrust::get<0>(t) * thrust::get<1>(t);
    });
    CHECK(holds(c, {10, 40, 90, 160}));
    thrust::transform(ab, ab + 4, c.begin(),
                      [] __host__ __device__(thrust::tuple<int, int> t) {
                          return thrust::get<1>(t) + thrust::get<0>(t) / 2;
                      });
    CHECK(holds(c, {10, 21, 31, 42}));
    thrust::copy(a.rbegin(), a.rend(), c.begin());
    CHECK(holds(c, {4, 3, 2, 1}));
    CHECK(thrust::reduce(thrust::make_counting_iterator(1),
                         thrust::make_counting_iterator(101)) == 5050);
}

PROBE(policies)
{
    cudaStream_t s;
    OK(cudaStreamCreate(&s));
    array<int> a(100);
    thrust::sequence(thrust::cuda::par.on(s), a.d, a.d + 100);
    CHECK(thrust::reduce(thrust::cuda::par.on(s), a.d, a.d + 100) == 4950);
    thrust::fill(thrust::cuda::par_nosync.on(s), a.d, a.d + 100, 2);
    OK(cudaStreamSynchronize(s));
    CHECK(a.get()[99] == 2);
    std::vector<int> h = some(100);
    thrust::sort(thrust::host, h.begin(), h.end());
    CHECK(std::is_sorted(h.begin(), h.end()));
    CHECK(thrust::reduce(h.begin(), h.end()) ==
          std::accumulate(h.begin(), h.end(), 0));
    OK(cudaStreamDestroy(s));
}

__global__ void in_a_kernel(int *p, int n)
{
    thrust::sort(thrust::seq, p, p + n);
    p[0] = thrust::reduce(thrust::seq, p, p + n);
}

PROBE(device_code)
{
    array<int> a(20);
    for (int i = 0; i < 20; i++)
        a.h[i] = 20 - i;
    a.put();
    in_a_kernel<<<1, 1>>>(a.d, 20);
    a.get();
    CHECK(a.h[0] == 210 && a.h[1] == 2 && a.h[19] == 20);
}

PROBE(random_numbers)
{
    thrust::default_random_engine e(1);
    for (int i = 0; i < 9999; i++)
        e();
    CHECK(e() == 399268537u); // the C++ standard's 10000th
    thrust::default_random_engine f(1);
    f.discard(9999);
    CHECK(f() == 399268537u);
    thrust::uniform_real_distribution<float> u(2, 4);
    thrust::uniform_int_distribution<int> n(-3, 3);
    for (int i = 0; i < 100; i++) {
        const float x = u(e);
        const int k = n(e);
        CHECK(x >= 2 && x < 4 && k >= -3 && k <= 3);
    }
    thrust::minstd_rand g(42);
    thrust::uniform_real_distribution<double> unit(0, 1);
    CHECK(fabs(unit(g) - 2027381 / 2147483647.) < 1e-9); // 42 * 48271 - 1
}

PROBE(complex_numbers)
{
    thrust::device_vector<thrust::complex<double>> z(
        2, thrust::complex<double>(0, 1));
    const thrust::complex<double> product =
        thrust::reduce(z.begin(), z.end(), thrust::complex<double>(1, 0),
                       thrust::multiplies<thrust::complex<double>>());
    CHECK(product.real() == -1 && product.imag() == 0);
    CHECK(thrust::abs(thrust::complex<float>(3, 4)) == 5);
}
