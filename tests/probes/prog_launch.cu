// Launches, as C++ sees them.
#include <atomic>
#include <cuda_occupancy.h>
#include <functional>
#include <future>
#include <iostream>
#include <memory>
#include <vector>

#include "probe.h"

__global__ void over(int *p)
{
    *p = 1;
}
__global__ void __launch_bounds__(128) over(float *p)
{
    *p = 2;
}
__global__ void over(int *p, int add)
{
    *p = 3 + add;
}

PROBE(overloaded_kernels)
{
    array<int> a(1);
    array<float> f(1);
    over<<<1, 1>>>(a.d);
    CHECK(a.get()[0] == 1);
    over<<<1, 1>>>(f.d);
    CHECK(f.get()[0] == 2);
    over<<<1, 1>>>(a.d, 4);
    CHECK(a.get()[0] == 7);
}

// As some editors write a launch.
PROBE(brackets_apart)
{
    array<int> a(1);
    // clang-format off
    over << <1, 1 >> >(a.d, 5);
    // clang-format on
    CHECK(a.get()[0] == 8);
}

__global__ void defaults(int *p, int a, int b = 20, const int * = nullptr)
{
    *p = a + b;
}

PROBE(default_arguments)
{
    array<int> a(1);
    defaults<<<1, 1>>>(a.d, 1);
    CHECK(a.get()[0] == 21);
    defaults<<<1, 1>>>(a.d, 1, 2, NULL);
    CHECK(a.get()[0] == 3);
}

__global__ void named_alike(int *named_alike, int by)
{
    *named_alike += by;
}

template <class T>
__global__ void __launch_bounds__(32) alike(const T *x, T *__restrict__ alike)
{
    alike[0] = x[0];
}

PROBE(parameter_of_the_kernels_name)
{
    array<int> a(1), b(1);
    named_alike<<<1, 1>>>(a.d, 3);
    alike<<<1, 1>>>(a.d, b.d);
    CHECK(a.get()[0] == 3 && b.get()[0] == 3);
}

struct element {
    int key;
    char name[12];
};

__global__ void by_reference(element &e, const int &add, int times)
{
    e.key = (e.key + add) * times;
    e.name[0] = 'b';
}

// To memory that host and device share.
PROBE(reference_parameters)
{
    element *e;
    int *add;
    OK(cudaMallocManaged(&e, sizeof *e));
    OK(cudaMallocManaged(&add, sizeof *add));
    *e = {1, "a"};
    *add = 2;
    by_reference<<<1, 1>>>(*e, *add, 5);
    OK(cudaDeviceSynchronize());
    CHECK(e->key == 15 && strcmp(e->name, "b") == 0);
    OK(cudaFree(add));
    OK(cudaFree(e));
}

template <int N, class T> __global__ void deduced(T *p, T add)
{
    p[threadIdx.x] = (T)(N + add);
}

PROBE(deduced_templates)
{
    array<int> a(4);
    array<double> f(4);
    deduced<4><<<1, 4>>>(a.d, 3);
    CHECK(a.get()[3] == 7);
    deduced<5><<<1, 4>>>(f.d, 0.5);
    CHECK(f.get()[0] == 5.5);
    deduced<1, int><<<1, 4>>>(a.d, 1);
    CHECK(a.get()[0] == 2);
}

template <class T> __global__ void special(T *p)
{
    *p = 1;
}
template <> __global__ void special<float>(float *p)
{
    *p = 2;
}

PROBE(specialised_templates)
{
    array<int> a(1);
    array<float> f(1);
    special<<<1, 1>>>(a.d);
    special<<<1, 1>>>(f.d);
    CHECK(a.get()[0] == 1 && f.get()[0] == 2);
}

template <class... Ts> __global__ void pack(int *out, Ts... args)
{
    *out = (args + ... + 0);
}

PROBE(parameter_packs)
{
    array<int> a(1);
    pack<<<1, 1>>>(a.d, 1, 2, 3);
    CHECK(a.get()[0] == 6);
    pack<<<1, 1>>>(a.d);
    CHECK(a.get()[0] == 0);
}

namespace outer
{
namespace
{
__global__ void hidden(int *p)
{
    *p = 11;
}
} // namespace
namespace inner
{
template <class T, int N = 3> __global__ void k(T *p)
{
    *p = N;
}
} // namespace inner
} // namespace outer

PROBE(namespaces)
{
    array<int> a(1);
    outer::hidden<<<1, 1>>>(a.d);
    CHECK(a.get()[0] == 11);
    outer::inner::k<int, 5><<<1, 1>>>(a.d);
    CHECK(a.get()[0] == 5);
    ::outer::inner::k<<<1, 1>>>(a.d);
    CHECK(a.get()[0] == 3);
}

template <class T> __global__ void by_address(T *p, T v)
{
    *p = v;
}

PROBE(launch_by_address)
{
    array<int> a(1);
    int v = 9;
    void *args[] = {&a.d, &v};
    OK(cudaLaunchKernel((const void *)by_address<int>, dim3(1), dim3(1), args,
                        0, 0));
    CHECK(a.get()[0] == 9);
    void (*const f)(int *, int) = by_address<int>;
    f<<<1, 1>>>(a.d, 10);
    CHECK(a.get()[0] == 10);
    void (*const table[])(int *) = {over, outer::hidden};
    table[1]<<<1, 1>>>(a.d);
    CHECK(a.get()[0] == 11);
}

struct saxpy { // a functor
    float a;
    __host__ __device__ float operator()(float x, float y) const
    {
        return a * x + y;
    }
};

template <class F> __global__ void apply2(float *p, int n, F f)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i] = f(i, p[i]);
}

PROBE(functors)
{
    array<float> a(100);
    for (int i = 0; i < 100; i++)
        a.h[i] = 1;
    a.put();
    apply2<<<4, 32>>>(a.d, 100, saxpy{2});
    CHECK(a.get()[99] == 199);
}

PROBE(evaluation_once)
{
    array<int> a(8);
    int i = 0, *p = a.d;
    over<<<1, 1>>>(p++, i++);
    over<<<1, 1>>>(p++, i++);
    CHECK(a.get()[0] == 3 && a.h[1] == 4 && i == 2);
    i > 1 ? over<<<1, 1>>>(a.d) : over<<<1, 1>>>(a.d + 1);
    CHECK(a.get()[0] == 1 && a.h[1] == 4);
}

// A kernel that may start while the one before it still runs.
__global__ void first(int *p)
{
    p[threadIdx.x] = (int)threadIdx.x;
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
    cudaTriggerProgrammaticLaunchCompletion();
#endif
}
__global__ void second(int *p)
{
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
    cudaGridDependencySynchronize();
#endif
    p[threadIdx.x]++;
}
PROBE(programmatic_launch)
{
    array<int> a(64);
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute early[1];
    early[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early[0].val.programmaticStreamSerializationAllowed = 1;
    config.gridDim = dim3(1);
    config.blockDim = dim3(64);
    config.attrs = early;
    config.numAttrs = 1;
    first<<<1, 64>>>(a.d);
    OK(cudaLaunchKernelEx(&config, second, a.d));
    CHECK(a.get()[63] == 64);
}

__global__ void bounded(int *);
__global__ void __launch_bounds__(64, 2) bounded(int *p)
{
    atomicAdd(p, 1);
}

PROBE(launch_bounds)
{
    array<int> a(1);
    bounded<<<2, 64>>>(a.d);
    CHECK(a.get()[0] == 128);
    bounded<<<2, 128>>>(a.d); // more threads than its bounds
    CHECK(cudaGetLastError() != cudaSuccess);
    cudaFuncAttributes attr;
    OK(cudaFuncGetAttributes(&attr, bounded));
    CHECK(attr.maxThreadsPerBlock == 64);
}

extern "C" __global__ void with_c_linkage(int *p)
{
    *p = 77;
}

PROBE(extern_c_kernel)
{
    array<int> a(1);
    with_c_linkage<<<1, 1>>>(a.d);
    CHECK(a.get()[0] == 77);
}

struct owner {
    int value;
    int *d;
    void run();
    __device__ static int twice(int x)
    {
        return 2 * x;
    }
};
__global__ void from_member(int *p, owner o)
{
    *p = owner::twice(o.value);
}
void owner::run()
{
    from_member<<<1, 1>>>(this->d, *this);
}

PROBE(classes_as_arguments)
{
    array<int> a(1);
    owner o = {21, a.d};
    o.run();
    CHECK(a.get()[0] == 42);
}

struct huge_arg {
    int v[512];
};
__global__ void large(int *p, const __grid_constant__ huge_arg h)
{
    *p = h.v[511] + h.v[0];
}

PROBE(large_parameters)
{
    array<int> a(1);
    static huge_arg h;
    h.v[0] = 1, h.v[511] = 2;
    large<<<1, 1>>>(a.d, h);
    CHECK(a.get()[0] == 3);
}

template <class T> void generic_launch(T *p)
{
    deduced<8, T><<<dim3(1), dim3(2)>>>(p, T(1));
}

PROBE(launch_in_a_template)
{
    array<int> a(2);
    generic_launch(a.d);
    CHECK(a.get()[1] == 9);
}

#define LAUNCH(k, g, b, ...)                                                   \
    do {                                                                       \
        k<<<(g), (b)>>>(__VA_ARGS__);                                          \
    } while (0)

PROBE(launch_in_a_macro)
{
    array<int> a(1);
    LAUNCH(over, 1, 1, a.d, 2);
    CHECK(a.get()[0] == 5);
}

static std::atomic<int> counter;
static int once()
{
    static const std::vector<int> v(3, 1); // a guarded static
    return (int)v.size();
}

PROBE(cpp_headers)
{
    counter++;
    counter.fetch_add(2);
    CHECK(counter == 3 && once() == 3);
    const std::unique_ptr<int> u(new int(4));
    const std::shared_ptr<int> s = std::make_shared<int>(5);
    const std::function<int(int)> f = [&](int x) { return x + *u + *s; };
    CHECK(f(1) == 10);
    CHECK(std::async(std::launch::async, [] { return 6; }).get() == 6);
    int expected = 3;
    CHECK(counter.compare_exchange_strong(expected, 8) && counter == 8);
}

__noinline__ __device__ int kept(int x)
{
    return x + 1;
}
__forceinline__ __device__ int inlined(int x)
{
    return x + 2;
}
__global__ void uses_both(int *p)
{
    *p = kept(1) + inlined(1);
}

PROBE(inline_words)
{
    array<int> a(1);
    uses_both<<<1, 1>>>(a.d);
    CHECK(a.get()[0] == 5);
}

extern __shared__ float at_file_scope[];
__global__ void reversed(float *p)
{
    at_file_scope[threadIdx.x] = threadIdx.x;
    __syncthreads();
    p[threadIdx.x] = at_file_scope[blockDim.x - 1 - threadIdx.x];
}

PROBE(extern_shared_at_file_scope)
{
    array<float> a(32);
    reversed<<<1, 32, 32 * sizeof(float)>>>(a.d);
    CHECK(a.get()[0] == 31 && a.h[31] == 0);
}

template <class T> __global__ void dynamic_pair(T *p)
{
    extern __shared__ __align__(16) unsigned char raw[];
    T *const x = (T *)raw, *const y = x + blockDim.x;
    x[threadIdx.x] = T(threadIdx.x), y[threadIdx.x] = T(1);
    __syncthreads();
    p[threadIdx.x] = x[(threadIdx.x + 1) % blockDim.x] + y[threadIdx.x];
}

PROBE(dynamic_shared_memory)
{
    array<double> a(64);
    dynamic_pair<<<1, 64, 2 * 64 * sizeof(double)>>>(a.d);
    CHECK(a.get()[0] == 2 && a.h[63] == 1);
    OK(cudaFuncSetAttribute(dynamic_pair<double>,
                            cudaFuncAttributeMaxDynamicSharedMemorySize,
                            65536));
    dynamic_pair<<<1, 64, 65536>>>(a.d);
    OK(cudaGetLastError());
}

struct cell {
    int a;
    float b[2];
};
__global__ void shared_classes(int *p)
{
    __shared__ cell c[4];
    static __shared__ float3 v[4];
    __shared__ volatile int flag;
    c[threadIdx.x].a = threadIdx.x;
    v[threadIdx.x] = make_float3(1, 2, 3);
    if (threadIdx.x == 0)
        flag = 5;
    __syncthreads();
    p[threadIdx.x] = c[3 - threadIdx.x].a + (int)v[threadIdx.x].z + flag;
}

PROBE(shared_arrays_of_classes)
{
    array<int> a(4);
    shared_classes<<<1, 4>>>(a.d);
    CHECK(a.get()[0] == 11 && a.h[3] == 8);
}

__global__ void tall(int *p)
{
    __shared__ int s[1000];
    s[threadIdx.x % 1000] = 1;
    __syncthreads();
    *p = s[0];
}

// The header computes what the runtime answers; by documented limits.
PROBE(occupancy_by_its_header)
{
    cudaDeviceProp device;
    cudaFuncAttributes f;
    OK(cudaGetDeviceProperties(&device, 0));
    OK(cudaFuncGetAttributes(&f, tall));
    const cudaOccDeviceProp p = device;
    const cudaOccFuncAttributes a = f;
    const cudaOccDeviceState s;
    cudaOccResult r;
    for (int n = 32; n <= 1024; n += 96)
        for (size_t dynamic = 0; dynamic <= 40000; dynamic += 8000) {
            int blocks = -1;
            OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, tall, n,
                                                             dynamic));
            CHECK(cudaOccMaxActiveBlocksPerMultiprocessor(
                      &r, &p, &a, &s, n, dynamic) == CUDA_OCC_SUCCESS);
            CHECK(r.activeBlocksPerMultiprocessor == blocks);
        }

    cudaOccDeviceProp h100 = p;
    cudaOccFuncAttributes k = a;
    int grid, block;
    h100.computeMajor = 9, h100.computeMinor = 0;
    h100.maxThreadsPerMultiprocessor = 2048, h100.maxThreadsPerBlock = 1024;
    h100.regsPerBlock = h100.regsPerMultiprocessor = 65536;
    h100.sharedMemPerMultiprocessor = 228 << 10;
    h100.sharedMemPerBlock = 48 << 10;
    h100.sharedMemPerBlockOptin = 227 << 10;
    h100.reservedSharedMemPerBlock = 1 << 10;
    h100.numSms = 132;
    k.maxThreadsPerBlock = 1024;
    k.numRegs = 64;
    k.sharedSizeBytes = 0;
    k.maxDynamicSharedSizeBytes = 100 << 10;
    CHECK(!cudaOccMaxActiveBlocksPerMultiprocessor(&r, &h100, &k, &s, 128, 0) &&
          r.activeBlocksPerMultiprocessor == 8 &&
          r.limitingFactors == OCC_LIMIT_REGISTERS);
    k.numRegs = 16;
    CHECK(!cudaOccMaxActiveBlocksPerMultiprocessor(&r, &h100, &k, &s, 32, 0) &&
          r.activeBlocksPerMultiprocessor == 32 &&
          r.limitingFactors == OCC_LIMIT_BLOCKS);
    CHECK(!cudaOccMaxActiveBlocksPerMultiprocessor(&r, &h100, &k, &s, 256,
                                                   75 << 10) &&
          r.activeBlocksPerMultiprocessor == 3 &&
          r.limitingFactors == OCC_LIMIT_SHARED_MEMORY);
    CHECK(
        !cudaOccMaxPotentialOccupancyBlockSize(&grid, &block, &h100, &k, &s) &&
        block == 1024 && grid == 2 * 132);
    size_t nbytes = 0;
    CHECK(
        !cudaOccAvailableDynamicSMemPerBlock(&nbytes, &h100, &k, &s, 4, 256) &&
        nbytes == 57 << 10);
    h100.computeMajor = 99;
    CHECK(cudaOccMaxActiveBlocksPerMultiprocessor(&r, &h100, &k, &s, 128, 0) ==
          CUDA_OCC_ERROR_UNKNOWN_DEVICE);
}

__host__ __device__ int where_am_i()
{
#ifdef __CUDA_ARCH__
    return 1;
#else
    return 2;
#endif
}

// In a constant expression it is host code, also in a kernel.
__host__ __device__ constexpr int sizes_of()
{
#ifdef __CUDA_ARCH__
    return 3;
#else
    return 3 + 0;
#endif
}

#ifdef __CUDA_ARCH__
static __device__ int only_there(int x)
{
    return x + 1;
}
#endif

// Types of the device's half only, in a class and outside of one.
#ifdef __CUDA_ARCH__
struct device_pair {
    int a, b;
};
enum { DEVICE_ONLY = 64 };
template <class T> __device__ T far_from(T x)
{
    return x + DEVICE_ONLY;
}
#endif
template <class T> struct device_calls {
    static __device__ T twice(T x)
    {
        return far_from(x);
    }
};
template <class T> struct two_faces {
    struct {
        T x;
    } kept;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 300
    typedef device_calls<T> calls;
    __device__ T get(T x) const
    {
        const device_pair pair = {(int)x, 3};
        return calls::twice(pair.a + pair.b);
    }
#else
    __device__ T get(T x) const
    {
        return x;
    }
#endif
};
__global__ void arch(int *p)
{
#if __CUDA_ARCH__ >= 700
    p[0] = __CUDA_ARCH__;
#endif
    p[1] = where_am_i();
#ifdef __CUDA_ARCH__
    p[2] = only_there(2);
#endif
    p[3] = two_faces<int>().get(4);
}

PROBE(cuda_arch)
{
    constexpr int n = sizes_of();
    array<int> a(n + 1);
    arch<<<1, 1>>>(a.d);
    CHECK(a.get()[0] >= 700 && a.h[1] == 1 && where_am_i() == 2);
    CHECK(a.h[2] == 3 && a.h[3] == 64 + 7);
#if !defined(__NVCC__) || !defined(__CUDACC__) || __CUDACC_VER_MAJOR__ < 12
#error "not nvcc"
#endif
}

template <class To, class From> struct casts {
    template <int N> static __device__ void copy(To *to, const From *from)
    {
        for (int i = 0; i < N; i++)
            to[i] = To(from[i]);
    }
};
/* C++ demands casts<To, From>::template copy<4>, but not nvcc. */
template <class To, class From> __device__ void cast4(To *to, const From *from)
{
    casts<To, From>::copy<4>(to, from);
}
__global__ void cast(int *p)
{
    const float from[] = {1.5f, 2.5f, 3.5f, 4.5f};
    cast4(p, from);
}

PROBE(members_that_are_templates)
{
    array<int> a(4);
    cast<<<1, 1>>>(a.d);
    CHECK(a.get()[0] == 1 && a.h[3] == 4);
}
