/* nvcuda::wmma: a warp multiplies matrices of small integers, whose products
 * every rounding leaves exact. */
#include <mma.h>

#include "probe.h"

using namespace nvcuda;

template <class T> __host__ __device__ T from(int x)
{
    return (T)x;
}
template <> __host__ __device__ __half from<__half>(int x)
{
    return __float2half((float)x);
}
template <> __host__ __device__ __nv_bfloat16 from<__nv_bfloat16>(int x)
{
    return __float2bfloat16((float)x);
}
template <class T> static int whole(T x)
{
    return (int)x;
}
template <> int whole(__half x)
{
    return (int)__half2float(x);
}

/* c = 2 a b + 1: a by rows, b by columns, c by rows. */
template <class E, class S, class D, int M, int N, int K>
__global__ void multiply(const S *a, const S *b, D *c)
{
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
    wmma::fragment<wmma::matrix_a, M, N, K, E, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, M, N, K, E, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, M, N, K, D> fc;
    wmma::fill_fragment(fc, from<D>(1));
    wmma::load_matrix_sync(fa, a, K);
    wmma::load_matrix_sync(fb, b, K);
    wmma::mma_sync(fc, fa, fb, fc);
    for (int i = 0; i < fa.num_elements; i++)
        fa.x[i] = from<S>(0);
    wmma::mma_sync(fc, fa, fb, fc); // adds nothing
    wmma::load_matrix_sync(fa, a, K);
    wmma::mma_sync(fc, fa, fb, fc);
    wmma::store_matrix_sync(c, fc, N, wmma::mem_row_major);
#else
    (void)a, (void)b, (void)c;
#endif
}

template <class E, class S, class D, int M, int N, int K> static void check()
{
    array<S> a(M * K), b(K * N);
    array<D> c(M * N);
    for (int i = 0; i < M * K; i++)
        a.h[i] = from<S>(i * 7 % 5);
    for (int i = 0; i < K * N; i++)
        b.h[i] = from<S>(i * 3 % 7);
    a.put();
    b.put();
    multiply<E, S, D, M, N, K><<<1, 32>>>(a.d, b.d, c.d);
    c.get();
    int differ = 0;
    for (int y = 0; y < M; y++)
        for (int x = 0; x < N; x++) {
            int sum = 0;
            for (int k = 0; k < K; k++)
                sum += (y * K + k) * 7 % 5 * ((x * K + k) * 3 % 7);
            differ += whole(c.h[y * N + x]) != 2 * sum + 1;
        }
    CHECK(differ == 0);
}

PROBE(half_matrices)
{
    check<__half, __half, float, 16, 16, 16>();
    check<__half, __half, __half, 16, 16, 16>();
    check<__half, __half, float, 32, 8, 16>();
    check<__half, __half, float, 8, 32, 16>();
}

// Older GPUs' passes of nvcc lack these types.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
PROBE(bfloat_matrices)
{
    check<__nv_bfloat16, __nv_bfloat16, float, 16, 16, 16>();
    check<__nv_bfloat16, __nv_bfloat16, float, 32, 8, 16>();
}

PROBE(tf32_matrices)
{
    check<wmma::precision::tf32, float, float, 16, 16, 8>();
}

PROBE(double_matrices)
{
    check<double, double, double, 8, 8, 4>();
}

#endif

PROBE(integer_matrices)
{
    check<signed char, signed char, int, 16, 16, 16>();
    check<unsigned char, unsigned char, int, 8, 32, 16>();
}

__global__ void by_columns(const __half *a, const float *c, float *out)
{
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::col_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
    wmma::load_matrix_sync(fa, a, 24);
    wmma::fill_fragment(fb, __float2half(1));
    wmma::load_matrix_sync(fc, c, 16, wmma::mem_col_major);
    wmma::mma_sync(fc, fa, fb, fc);
    for (int i = 0; i < fc.num_elements; i++)
        fc.x[i] *= 2;
    wmma::store_matrix_sync(out, fc, 20, wmma::mem_col_major);
}

PROBE(columns_and_strides)
{
    array<__half> a(24 * 16);
    array<float> c(256), out(20 * 16);
    for (int i = 0; i < 24 * 16; i++)
        a.h[i] = __float2half((float)(i % 24)); // row i of every column
    for (int i = 0; i < 256; i++)
        c.h[i] = (float)i;
    a.put();
    c.put();
    by_columns<<<1, 32>>>(a.d, c.d, out.d);
    out.get();
    for (int x = 0; x < 16; x++)
        for (int y = 0; y < 16; y++)
            CHECK(out.h[x * 20 + y] ==
                  2 * (16.0f * (float)y + c.h[x * 16 + y]));
    CHECK(out.h[16] == 0); // between columns
}
