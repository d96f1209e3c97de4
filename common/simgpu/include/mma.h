/*
 * mma.h: products of small matrices by the threads of a warp
 *
 * Fragments have as many elements as CUDA's. Which element each lane has is
 * simgpu's choice, since CUDA doesn't specify it. A product is computed exactly
 * (in double) and rounded once; a GPU's tensor cores round more often.
 */
#ifndef SIMGPU_MMA_H
#define SIMGPU_MMA_H

#include <assert.h> /* __assert_fail */

#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "simgpu/kernel.h"
#include "simgpu/narrow.h" /* narrow_tf32 */

namespace nvcuda
{
namespace wmma
{
struct row_major;
struct col_major;
struct matrix_a;
struct matrix_b;
struct accumulator;
enum layout_t { mem_row_major, mem_col_major };
namespace precision
{
struct tf32;
}

namespace simgpu_mma
{
/* The type that a fragment stores. */
template <class T> struct element {
    typedef T storage;
};
template <> struct element<precision::tf32> {
    typedef float storage;
};

/* Shapes allowed for the types of the factors. */
template <class T, int M, int N, int K> struct shape {
    static const bool known =
        K == 16 && M * N == 256 && (M == 16 || M == 32 || M == 8);
};
template <int M, int N, int K> struct shape<precision::tf32, M, N, K> {
    static const bool known = M == 16 && N == 16 && K == 8;
};
template <int M, int N, int K> struct shape<double, M, N, K> {
    static const bool known = M == 8 && N == 8 && K == 4;
};

template <class Use, class T, int M, int N, int K> struct matrix;
template <class T, int M, int N, int K> struct matrix<matrix_a, T, M, N, K> {
    enum { rows = M, columns = K, copies = 1 };
    static_assert(shape<T, M, N, K>::known, "no such shape of this type");
};
template <class T, int M, int N, int K> struct matrix<matrix_b, T, M, N, K> {
    enum { rows = K, columns = N, copies = 1 };
    static_assert(shape<T, M, N, K>::known, "no such shape of this type");
};
/* Two lanes hold each element of an fp16 factor. */
template <int M, int N, int K> struct matrix<matrix_a, __half, M, N, K> {
    enum { rows = M, columns = K, copies = 512 / (M * K) };
    static_assert(shape<__half, M, N, K>::known, "no such shape of this type");
};
template <int M, int N, int K> struct matrix<matrix_b, __half, M, N, K> {
    enum { rows = K, columns = N, copies = 512 / (K * N) };
    static_assert(shape<__half, M, N, K>::known, "no such shape of this type");
};
template <class T, int M, int N, int K> struct matrix<accumulator, T, M, N, K> {
    enum { rows = M, columns = N, copies = 1 };
};

template <class T> static inline double widen(T x)
{
    return (double)x;
}
static inline double widen(__half x)
{
    return (double)__half2float(x);
}
static inline double widen(__nv_bfloat16 x)
{
    return (double)__bfloat162float(x);
}
static inline void narrow(double x, double &out)
{
    out = x;
}
static inline void narrow(double x, float &out)
{
    out = (float)x;
}
static inline void narrow(double x, __half &out)
{
    out = __double2half(x);
}
static inline void narrow(double x, int &out)
{
    // sums wrap around; a double represents them exactly
    out = (int)(unsigned)(long long)x;
}

static inline void saturate(double &sum)
{
    sum = sum > 2147483647.    ? 2147483647.
          : sum < -2147483648. ? -2147483648.
                               : sum;
}

template <class L> struct is_rows {
    static const bool value = false;
};
template <> struct is_rows<row_major> {
    static const bool value = true;
};

/* Wait for all lanes, and get their values. */
static inline void meet(uint64_t value, uint64_t all[32], const char *call)
{
    if (simgpu_gather(value, ~0u, all) != ~0u)
        __assert_fail("all 32 threads of the warp are there", __FILE__,
                      __LINE__, call);
}
static inline unsigned lane()
{
    const simgpu_uint3 t = simgpu_thread_idx, n = simgpu_block_dim;
    return (t.x + n.x * (t.y + n.y * t.z)) % 32;
}
} // namespace simgpu_mma

/* Element i of a lane is element 32 i + lane of the matrix, by rows. */
template <class Use, int M, int N, int K, class T, class Layout = void>
class fragment
{
  public:
    typedef simgpu_mma::matrix<Use, T, M, N, K> matrix;
    typedef T element_type;
    typedef typename simgpu_mma::element<T>::storage storage_element_type;
    enum {
        size = matrix::rows * matrix::columns,
        num_elements = size * matrix::copies / 32,
        num_storage_elements = num_elements
    };
    storage_element_type x[num_elements];
};

namespace simgpu_mma
{
/* Call f(element of the lane, offset in memory). */
template <class F, class Visit>
static inline void each(unsigned ldm, bool by_rows, Visit visit)
{
    for (unsigned i = 0; i < F::num_elements; i++) {
        const unsigned at = (i * 32 + lane()) % F::size;
        const unsigned row = at / F::matrix::columns;
        const unsigned column = at % F::matrix::columns;
        visit(i, by_rows ? (size_t)row * ldm + column
                         : (size_t)column * ldm + row);
    }
}

template <class F, class S>
static inline void load(F &f, const S *p, unsigned ldm, bool by_rows)
{
    uint64_t all[32];
    meet(0, all, "load_matrix_sync");
    each<F>(ldm, by_rows, [&](unsigned i, size_t at) { f.x[i] = p[at]; });
    meet(0, all, "load_matrix_sync");
}

/* Element (row, column) of the lanes' fragments. It is not an access by the
 * program, so it is not recorded. */
template <class F>
__attribute__((no_sanitize("thread"))) static inline double
peek(const uint64_t lanes[32], unsigned row, unsigned column)
{
    const unsigned at = row * F::matrix::columns + column;
    return widen(((const F *)lanes[at % 32])->x[at / 32]);
}

} // namespace simgpu_mma

template <class Use, int M, int N, int K, class T, class L, class V>
static inline void fill_fragment(fragment<Use, M, N, K, T, L> &f,
                                 const V &value)
{
    typedef typename fragment<Use, M, N, K, T, L>::storage_element_type S;
    for (int i = 0; i < f.num_elements; i++)
        f.x[i] = (S)value;
}

template <class Use, int M, int N, int K, class T, class L, class S>
static inline void load_matrix_sync(fragment<Use, M, N, K, T, L> &f, const S *p,
                                    unsigned ldm)
{
    simgpu_mma::load(f, p, ldm, simgpu_mma::is_rows<L>::value);
}

template <int M, int N, int K, class T, class S>
static inline void load_matrix_sync(fragment<accumulator, M, N, K, T> &f,
                                    const S *p, unsigned ldm, layout_t layout)
{
    simgpu_mma::load(f, p, ldm, layout == mem_row_major);
}

template <int M, int N, int K, class T>
static inline void store_matrix_sync(T *p,
                                     const fragment<accumulator, M, N, K, T> &f,
                                     unsigned ldm, layout_t layout)
{
    uint64_t all[32];
    simgpu_mma::meet(0, all, "store_matrix_sync");
    simgpu_mma::each<fragment<accumulator, M, N, K, T>>(
        ldm, layout == mem_row_major,
        [&](unsigned i, size_t at) { p[at] = f.x[i]; });
    simgpu_mma::meet(0, all, "store_matrix_sync");
}

/* d = a b + c. With satf, integers saturate. */
template <int M, int N, int K, class D, class T, class LA, class LB, class C>
static inline void mma_sync(fragment<accumulator, M, N, K, D> &d,
                            const fragment<matrix_a, M, N, K, T, LA> &a,
                            const fragment<matrix_b, M, N, K, T, LB> &b,
                            const fragment<accumulator, M, N, K, C> &c,
                            bool satf = false)
{
    typedef fragment<matrix_a, M, N, K, T, LA> A;
    typedef fragment<matrix_b, M, N, K, T, LB> B;
    uint64_t as[32], bs[32];
    fragment<accumulator, M, N, K, D> sums;
    simgpu_mma::meet((uint64_t)&a, as, "mma_sync");
    simgpu_mma::meet((uint64_t)&b, bs, "mma_sync");
    for (unsigned i = 0; i < sums.num_elements; i++) {
        const unsigned at = i * 32 + simgpu_mma::lane();
        double sum = simgpu_mma::widen(c.x[i]);
        for (unsigned k = 0; k < K; k++)
            sum += simgpu_mma::peek<A>(as, at / N, k) *
                   simgpu_mma::peek<B>(bs, k, at % N);
        if (satf)
            simgpu_mma::saturate(sum);
        simgpu_mma::narrow(sum, sums.x[i]);
    }
    simgpu_mma::meet(0, as, "mma_sync"); // the others have read a and b
    d = sums;
}

/* Round to nearest, ties away from zero. */
static inline float __float_to_tf32(float x)
{
    return narrow_tf32(x);
}
} // namespace wmma
} // namespace nvcuda

#endif
