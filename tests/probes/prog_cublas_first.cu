/* cuBLAS's first interface: no handles, letters, scalars by value. */
#include <cublas.h>

#include "probe.h"

static const int N = 4;

/* A (N, N) of small integers, the identity, and zeros. */
template <class T> struct matrices {
    array<T> a, one, c;
    matrices() : a(N * N), one(N * N), c(N * N)
    {
        for (int i = 0; i < N * N; i++)
            a.h[i] = (T)(i - 5);
        for (int i = 0; i < N; i++)
            one.h[i * N + i] = 1;
        a.put();
        one.put();
    }
};

PROBE(products_and_solutions)
{
    matrices<float> f;
    matrices<double> d;
    CHECK(cublasInit() == CUBLAS_STATUS_SUCCESS);
    cublasSgemm('t', 'N', N, N, N, 2, f.a.d, N, f.one.d, N, 0, f.c.d, N);
    CHECK(f.c.get()[1] == 2 * (4 - 5) && f.c.h[4] == 2 * (1 - 5));
    cublasDgemm('N', 'T', N, N, N, 1, d.a.d, N, d.one.d, N, 0, d.c.d, N);
    CHECK(memcmp(d.c.get(), d.a.h, N * N * sizeof(double)) == 0);
    cublasDtrsm('L', 'U', 'N', 'N', N, N, 3, d.one.d, N, d.c.d, N);
    CHECK(d.c.get()[0] == -15);
    cublasSgemv('N', N, N, 1, f.a.d, N, f.one.d, 1, 0, f.c.d, 1);
    CHECK(f.c.get()[2] == f.a.h[2]);
    CHECK(cublasGetError() == CUBLAS_STATUS_SUCCESS);
    cublasSgemm('N', 'N', -1, N, N, 1, f.a.d, N, f.one.d, N, 0, f.c.d, N);
    CHECK(cublasGetError() == CUBLAS_STATUS_INVALID_VALUE);
    CHECK(cublasGetError() == CUBLAS_STATUS_SUCCESS);
    CHECK(cublasShutdown() == CUBLAS_STATUS_SUCCESS);
}

/* The vector is A's first column, -15, -12, -9, -6. */
PROBE(triangles_and_updates)
{
    matrices<double> d;
    CHECK(cublasInit() == CUBLAS_STATUS_SUCCESS);
    cublasDtrmm('R', 'U', 'T', 'N', N, N, 3, d.one.d, N, d.a.d, N);
    for (int i = 0; i < N * N; i++)
        CHECK(d.a.get()[i] == 3 * (i - 5));
    cublasDtrmv('L', 'N', 'U', N, d.one.d, N, d.a.d, 1);
    CHECK(d.a.get()[0] == -15);
    cublasDsyr('L', N, 2, d.a.d, 1, d.c.d, N);
    CHECK(d.c.get()[1] == 2 * 15 * 12 && d.c.h[N] == 0);
    cublasDsyr2('U', N, 1, d.a.d, 1, d.a.d, 1, d.c.d, N);
    CHECK(d.c.get()[1] == 2 * 15 * 12 && d.c.h[N] == 2 * 15 * 12);
    cublasDsyr2k('U', 'N', N, N, 1, d.a.d, N, d.one.d, N, 0, d.c.d, N);
    CHECK(d.c.get()[N] == d.a.h[1] + d.a.h[N] && d.c.h[1] == 2 * 15 * 12);
    CHECK(cublasGetError() == CUBLAS_STATUS_SUCCESS);
    CHECK(cublasShutdown() == CUBLAS_STATUS_SUCCESS);
}

PROBE(vectors_and_memory)
{
    double *x, h[] = {1, -2, 3, -4};
    CHECK(cublasInit() == CUBLAS_STATUS_SUCCESS);
    CHECK(cublasAlloc(4, sizeof *x, (void **)&x) == CUBLAS_STATUS_SUCCESS);
    CHECK(cublasSetVector(4, sizeof *x, h, 1, x, 1) == CUBLAS_STATUS_SUCCESS);
    cublasDscal(4, 2, x, 1);
    CHECK(cublasDasum(4, x, 1) == 20 && cublasDdot(4, x, 1, x, 1) == 120);
    CHECK(cublasIdamax(4, x, 1) == 4 && cublasIdamin(4, x, 1) == 1);
    CHECK(cublasFree(x) == CUBLAS_STATUS_SUCCESS);
    CHECK(cublasShutdown() == CUBLAS_STATUS_SUCCESS);
}
