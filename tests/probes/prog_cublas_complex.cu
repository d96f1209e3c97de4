/* cuBLAS: complex numbers. Small integers, so that all results are exact. */
#include <cublas_v2.h> // brings cuComplex, __half and __nv_bfloat16

#include "blas.h"

/* ---- the two types, and the functions of either -------------------------- */

template <class Z> static Z z(double re, double im)
{
    Z r;
    r.x = re;
    r.y = im;
    return r;
}

template <class Z> static bool is(Z a, double re, double im)
{
    return a.x == re && a.y == im;
}

template <class Z> static Z times(Z a, Z b)
{
    return z<Z>(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

#define BY_TYPE(name, single, twice)                                           \
    template <class... A> static cublasStatus_t name(cuComplex, const A &...a) \
    {                                                                          \
        return cublas##single(a...);                                           \
    }                                                                          \
    template <class... A>                                                      \
    static cublasStatus_t name(cuDoubleComplex, const A &...a)                 \
    {                                                                          \
        return cublas##twice(a...);                                            \
    }

BY_TYPE(axpy, Caxpy, Zaxpy)
BY_TYPE(scal, Cscal, Zscal)
BY_TYPE(real_scal, Csscal, Zdscal)
BY_TYPE(copy, Ccopy, Zcopy)
BY_TYPE(swap, Cswap, Zswap)
BY_TYPE(dotu, Cdotu, Zdotu)
BY_TYPE(dotc, Cdotc, Zdotc)
BY_TYPE(nrm2, Scnrm2, Dznrm2)
BY_TYPE(asum, Scasum, Dzasum)
BY_TYPE(amax, Icamax, Izamax)
BY_TYPE(amin, Icamin, Izamin)
BY_TYPE(gemv, Cgemv, Zgemv)
BY_TYPE(geru, Cgeru, Zgeru)
BY_TYPE(gerc, Cgerc, Zgerc)
BY_TYPE(hemv, Chemv, Zhemv)
BY_TYPE(hemm, Chemm, Zhemm)
BY_TYPE(symm, Csymm, Zsymm)
BY_TYPE(syrk, Csyrk, Zsyrk)
BY_TYPE(herk, Cherk, Zherk)
BY_TYPE(trsv, Ctrsv, Ztrsv)
BY_TYPE(trsm, Ctrsm, Ztrsm)
BY_TYPE(geam, Cgeam, Zgeam)
BY_TYPE(gemm, Cgemm, Zgemm)
BY_TYPE(gemm3m, Cgemm3m, Zgemm3m)
BY_TYPE(gemm_strided, CgemmStridedBatched, ZgemmStridedBatched)
BY_TYPE(gemm_batched, CgemmBatched, ZgemmBatched)

#define TWICE(name)                                                            \
    PROBE(complex_##name)                                                      \
    {                                                                          \
        name<cuComplex, float>();                                              \
        name<cuDoubleComplex, double>();                                       \
    }

/* ---- vectors ------------------------------------------------------------- */

/* x[i] = i + 1 - i j, y[i] = 1 + 2 j */
template <class Z> static void fill(array<Z> &x, array<Z> &y)
{
    for (size_t i = 0; i < x.n; i++) {
        x.h[i] = z<Z>(i + 1, -(double)i);
        y.h[i] = z<Z>(1, 2);
    }
    x.put();
    y.put();
}

template <class Z, class R> static void vectors()
{
    enum { N = 4 };
    handle h;
    array<Z> x(N), y(N);
    const Z i = z<Z>(0, 1);
    const R two = 2;
    fill(x, y);
    BLAS(axpy(i, h, N, &i, x.d, 1, y.d, 1)); // y += j x: 1 + i, 3 + i
    y.get();
    CHECK(is(y.h[0], 1, 3) && is(y.h[3], 4, 6));
    BLAS(scal(i, h, N, &i, x.d, 1)); // x: i, i + 1
    BLAS(real_scal(i, h, 2, &two, x.d + 2, 1));
    x.get();
    CHECK(is(x.h[1], 1, 2) && is(x.h[2], 4, 6) && is(x.h[3], 6, 8));
    BLAS(copy(i, h, 2, x.d + 2, 1, y.d, -1)); // backwards
    BLAS(swap(i, h, 1, x.d, 1, y.d + 3, 1));
    CHECK(is(y.get()[0], 6, 8) && is(y.h[1], 4, 6) && is(y.h[3], 0, 1));
    CHECK(is(x.get()[0], 4, 6));
}
TWICE(vectors)

template <class Z, class R> static void sums()
{
    enum { N = 4 };
    handle h;
    array<Z> x(N), y(N);
    fill(x, y);
    Z dot;
    R norm, sum;
    int most, least;
    BLAS(dotu(dot, h, N, x.d, 1, y.d, 1, &dot));
    CHECK(is(dot, 10 + 12, 20 - 6));
    BLAS(dotc(dot, h, N, x.d, 1, y.d, 1, &dot));
    CHECK(is(dot, 10 - 12, 20 + 6));
    BLAS(nrm2(dot, h, 1, x.d + 3, 1, &norm)); // 4 - 3 j
    BLAS(asum(dot, h, N, x.d, 1, &sum));
    BLAS(amax(dot, h, N, x.d, 1, &most));
    BLAS(amin(dot, h, N, x.d, 1, &least));
    CHECK(norm == 5 && sum == 16 && most == 4 && least == 1);
    BLAS(cublasSetPointerMode(h, CUBLAS_POINTER_MODE_DEVICE));
    BLAS(dotu(dot, h, 1, x.d, 1, y.d, 1, y.d + 1)); // (1)(1 + 2 j)
    BLAS(axpy(dot, h, 1, y.d + 1, x.d, 1, y.d, 1)); // scalar of the device
    CHECK(is(y.get()[1], 1, 2) && is(y.h[0], 2, 4));
}
TWICE(sums)

/* ---- matrices ------------------------------------------------------------ */

template <class Z> static void fill(array<Z> &a, int seed)
{
    for (size_t i = 0; i < a.n; i++)
        a.h[i] = z<Z>((int)(i * 7 + seed) % 5 - 2, (int)(i * 3 + seed) % 7 - 3);
    a.put();
}

/* Element (row, col) of op(A). */
template <class Z>
static Z at(const Z *a, int ld, cublasOperation_t op, int row, int col)
{
    Z v = op == CUBLAS_OP_N ? a[col * ld + row] : a[row * ld + col];
    v.y = op == CUBLAS_OP_C ? -v.y : v.y;
    return v;
}

/* Element (row, col) of op(A) op(B). */
template <class Z>
static Z product(const Z *a, int lda, cublasOperation_t ta, const Z *b, int ldb,
                 cublasOperation_t tb, int k, int row, int col)
{
    Z sum = z<Z>(0, 0);
    for (int i = 0; i < k; i++) {
        const Z p = times(at(a, lda, ta, row, i), at(b, ldb, tb, i, col));
        sum = z<Z>(sum.x + p.x, sum.y + p.y);
    }
    return sum;
}

/* C = alpha op(A) op(B) + beta C for a square of N, in all forms. */
template <class Z, class R> static void products()
{
    enum { N = 3, NN = N * N, BATCH = 2 };
    static const cublasOperation_t ops[] = {CUBLAS_OP_N, CUBLAS_OP_T,
                                            CUBLAS_OP_C};
    handle h;
    const Z alpha = z<Z>(1, 1), beta = z<Z>(0, 2);
    array<Z> a(BATCH * NN), b(BATCH * NN), c(BATCH * NN), was(BATCH * NN);
    array<Z *> as(BATCH), bs(BATCH), cs(BATCH);
    fill(a, 1);
    fill(b, 2);
    fill(was, 3);
    for (int i = 0; i < BATCH; i++) {
        as.h[i] = a.d + i * NN;
        bs.h[i] = b.d + i * NN;
        cs.h[i] = c.d + i * NN;
    }
    as.put(), bs.put(), cs.put();
    for (int form = 0; form < 4; form++)
        for (int o = 0; o < 9; o++) {
            const cublasOperation_t ta = ops[o / 3], tb = ops[o % 3];
            const int n = form < 2 ? 1 : BATCH;
            fill(c, 3);
            BLAS(form == 0   ? gemm(alpha, h, ta, tb, N, N, N, &alpha, a.d, N,
                                    b.d, N, &beta, c.d, N)
                 : form == 1 ? gemm3m(alpha, h, ta, tb, N, N, N, &alpha, a.d, N,
                                      b.d, N, &beta, c.d, N)
                 : form == 2
                     ? gemm_strided(alpha, h, ta, tb, N, N, N, &alpha, a.d, N,
                                    NN, b.d, N, NN, &beta, c.d, N, NN, BATCH)
                     : gemm_batched(alpha, h, ta, tb, N, N, N, &alpha, as.d, N,
                                    bs.d, N, &beta, cs.d, N, BATCH));
            c.get();
            for (int i = 0; i < n * NN; i++) {
                const int m = i / NN * NN, row = i % N, col = i % NN / N;
                const Z p = times(alpha, product(a.h + m, N, ta, b.h + m, N, tb,
                                                 N, row, col));
                const Z q = times(beta, was.h[i]);
                CHECK(is(c.h[i], p.x + q.x, p.y + q.y));
            }
        }
}
TWICE(products)

template <class Z, class R> static void products_by_type()
{
    enum { N = 2 };
    handle h;
    array<Z> a(N * N), b(N * N), c(N * N);
    fill(a, 1);
    fill(b, 2);
    const Z one = z<Z>(1, 0), zero = z<Z>(0, 0);
    const bool twice = sizeof(R) == sizeof(double);
    const cudaDataType type = twice ? CUDA_C_64F : CUDA_C_32F;
    BLAS(cublasGemmEx(h, CUBLAS_OP_C, CUBLAS_OP_N, N, N, N, &one, a.d, type, N,
                      b.d, type, N, &zero, c.d, type, N,
                      twice ? CUBLAS_COMPUTE_64F : CUBLAS_COMPUTE_32F,
                      CUBLAS_GEMM_DEFAULT));
    const Z p = product(a.h, N, CUBLAS_OP_C, b.h, N, CUBLAS_OP_N, N, 1, 0);
    CHECK(is(c.get()[1], p.x, p.y));
}
TWICE(products_by_type)

template <class Z, class R> static void matrix_and_vectors()
{
    enum { N = 3 };
    const cublasFillMode_t low = CUBLAS_FILL_MODE_LOWER;
    handle h;
    const Z one = z<Z>(1, 0), zero = z<Z>(0, 0), i = z<Z>(0, 1);
    array<Z> a(N * N), x(N), y(N);
    fill(a, 1);
    fill(x, 2);
    BLAS(gemv(i, h, CUBLAS_OP_C, N, N, &i, a.d, N, x.d, 1, &zero, y.d, 1));
    Z p = product(a.h, N, CUBLAS_OP_C, x.h, N, CUBLAS_OP_N, N, 2, 0);
    CHECK(is(y.get()[2], -p.y, p.x));
    BLAS(geru(i, h, N, N, &one, x.d, 1, x.d, 1, a.d, N));
    BLAS(gerc(i, h, N, N, &one, x.d, 1, x.d, 1, a.d, N));
    p = a.h[N]; // row 0, column 1
    const Z u = times(x.h[0], x.h[1]), conj1 = z<Z>(x.h[1].x, -x.h[1].y);
    const Z c = times(x.h[0], conj1);
    CHECK(is(a.get()[N], p.x + u.x + c.x, p.y + u.y + c.y));
    for (int k = 0; k < N; k++) // a Hermitian matrix's diagonal is real
        a.h[k * N + k].y = 0;
    a.put();
    BLAS(hemv(i, h, low, N, &one, a.d, N, x.d, 1, &zero, y.d, 1));
    const Z up = z<Z>(a.h[1].x, -a.h[1].y); // above the diagonal, conjugated
    const Z up2 = z<Z>(a.h[2].x, -a.h[2].y);
    const Z p0 = times(a.h[0], x.h[0]), p1 = times(up, x.h[1]),
            p2 = times(up2, x.h[2]);
    CHECK(is(y.get()[0], p0.x + p1.x + p2.x, p0.y + p1.y + p2.y));
    a.h[0] = i, a.h[1] = one; // j x0 = b0
    a.put();
    BLAS(trsv(i, h, low, CUBLAS_OP_N, CUBLAS_DIAG_NON_UNIT, 1, a.d, N, x.d, 1));
    p = x.h[0];
    CHECK(is(x.get()[0], p.y, -p.x));
}
TWICE(matrix_and_vectors)

template <class Z, class R> static void matrices_of_triangles()
{
    enum { N = 2 };
    const cublasFillMode_t low = CUBLAS_FILL_MODE_LOWER;
    const cublasSideMode_t left = CUBLAS_SIDE_LEFT;
    handle h;
    const Z one = z<Z>(1, 0), zero = z<Z>(0, 0), i = z<Z>(0, 1);
    const R real = 1, none = 0;
    array<Z> a(N * N), b(N * N), c(N * N);
    // a = [2, *; 1 + j, 3], b = the identity times j
    a.h[0] = z<Z>(2, 0), a.h[1] = z<Z>(1, 1), a.h[3] = z<Z>(3, 0);
    b.h[0] = b.h[3] = i;
    a.put();
    b.put();
    BLAS(symm(i, h, left, low, N, N, &one, a.d, N, b.d, N, &zero, c.d, N));
    CHECK(is(c.get()[2], -1, 1) && is(c.h[3], 0, 3)); // (1 + j) j
    BLAS(hemm(i, h, left, low, N, N, &one, a.d, N, b.d, N, &zero, c.d, N));
    CHECK(is(c.get()[2], 1, 1) && is(c.h[1], -1, 1)); // (1 - j) j
    BLAS(syrk(i, h, low, CUBLAS_OP_N, N, N, &one, b.d, N, &zero, c.d, N));
    CHECK(is(c.get()[0], -1, 0));
    BLAS(herk(i, h, low, CUBLAS_OP_C, N, N, &real, b.d, N, &none, c.d, N));
    CHECK(is(c.get()[0], 1, 0) && is(c.h[3], 1, 0));
    BLAS(geam(i, h, CUBLAS_OP_C, CUBLAS_OP_N, N, N, &one, a.d, N, &i, b.d, N,
              c.d, N)); // a's conjugate transpose - 1
    CHECK(is(c.get()[0], 1, 0) && is(c.h[2], 1, -1));
    BLAS(trsm(i, h, left, low, CUBLAS_OP_N, CUBLAS_DIAG_UNIT, N, N, &one, a.d,
              N, b.d, N)); // [j, 0; -(1 + j) j, j]
    CHECK(is(b.get()[1], 1, -1) && is(b.h[3], 0, 1));
}
TWICE(matrices_of_triangles)
