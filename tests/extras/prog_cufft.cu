// cuFFT: transforms against their definition. links: -lcufft
#include <complex>
#include <cufft.h>
#include <cufftXt.h>
#include <vector>

#include "probe.h"

typedef std::complex<double> number;
typedef std::vector<number> numbers;

static number root(size_t k, size_t n, int sign)
{
    const double angle =
        sign * 2 * 3.14159265358979323846 * (double)k / (double)n;
    return number(cos(angle), sin(angle));
}

/* Along the dimension whose numbers lie `stride` apart. */
static numbers transformed(const numbers &x, size_t n, size_t stride, int sign)
{
    numbers y(x.size()), roots(n);
    for (size_t k = 0; k < n; k++)
        roots[k] = root(k, n, sign);
    for (size_t i = 0; i < x.size(); i++) {
        const size_t k = i / stride % n, first = i - k * stride;
        for (size_t j = 0; j < n; j++)
            y[i] += x[first + j * stride] * roots[j * k % n];
    }
    return y;
}

static number sample(size_t i)
{
    return number((double)(i * 7 % 11) - 5, (double)(i * 5 % 13) - 6);
}

static bool near(number a, number b, size_t n, double unit)
{
    return std::abs(a - b) <= unit * 100 * (double)n;
}
static number value(float2 z)
{
    return number(z.x, z.y);
}
static number value(double2 z)
{
    return number(z.x, z.y);
}
static const double SINGLE = 1.2e-7, DOUBLE = 2.3e-16;

static void check_length(size_t n, int batch, int sign)
{
    array<cufftComplex> a(n * (size_t)batch);
    numbers x(a.n);
    cufftHandle plan;
    for (size_t i = 0; i < a.n; i++) {
        x[i] = sample(i);
        a.h[i] = make_float2((float)x[i].real(), (float)x[i].imag());
    }
    a.put();
    CHECK(cufftPlan1d(&plan, (int)n, CUFFT_C2C, batch) == CUFFT_SUCCESS);
    CHECK(cufftExecC2C(plan, a.d, a.d, sign) == CUFFT_SUCCESS);
    a.get();
    const numbers y = transformed(x, n, 1, sign);
    size_t different = 0;
    for (size_t i = 0; i < a.n; i++)
        different += !near(value(a.h[i]), y[i], n, SINGLE);
    if (different)
        printf("length %zu: %zu differ\n", n, different);
    CHECK(different == 0);
    CHECK(cufftDestroy(plan) == CUFFT_SUCCESS);
}

// Small primes, large ones, and products of both.
PROBE(fft_of_any_length)
{
    static const size_t lengths[] = {1,  2,  3,  5,   8,    12,   31,
                                     37, 74, 97, 128, 1000, 1009, 1369};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        check_length(lengths[i], 2, i % 2 ? CUFFT_FORWARD : CUFFT_INVERSE);
}

PROBE(fft_of_doubles_in_three_dimensions)
{
    const size_t n0 = 3, n1 = 4, n2 = 5, n = n0 * n1 * n2;
    array<cufftDoubleComplex> in(n), out(n);
    numbers x(n);
    cufftHandle plan;
    for (size_t i = 0; i < n; i++) {
        x[i] = sample(i);
        in.h[i] = make_double2(x[i].real(), x[i].imag());
    }
    in.put();
    CHECK(!cufftPlan3d(&plan, (int)n0, (int)n1, (int)n2, CUFFT_Z2Z));
    CHECK(!cufftExecZ2Z(plan, in.d, out.d, CUFFT_FORWARD));
    out.get();
    const numbers y = transformed(
        transformed(transformed(x, n2, 1, -1), n1, n2, -1), n0, n1 * n2, -1);
    for (size_t i = 0; i < n; i++)
        CHECK(near(value(out.h[i]), y[i], n, DOUBLE));
    CHECK(!cufftExecZ2Z(plan, out.d, in.d, CUFFT_INVERSE));
    in.get();
    for (size_t i = 0; i < n; i++)
        CHECK(near(value(in.h[i]), x[i] * (double)n, n, DOUBLE * (double)n));
    CHECK(!cufftDestroy(plan));
}

/* Half a spectrum, out of place and in place, and back. */
static void check_real(int rows, int cols, bool in_place)
{
    const int half = cols / 2 + 1, room = in_place ? 2 * half : cols;
    array<cufftReal> real((size_t)(rows * room));
    array<cufftComplex> other((size_t)(rows * half));
    cufftComplex *const spectrum = in_place ? (cufftComplex *)real.d : other.d;
    numbers x((size_t)(rows * cols));
    cufftHandle there, back;
    for (int i = 0; i < rows; i++)
        for (int k = 0; k < cols; k++) {
            x[(size_t)(i * cols + k)] = sample((size_t)(i * cols + k)).real();
            real.h[i * room + k] = (float)x[(size_t)(i * cols + k)].real();
        }
    real.put();
    CHECK(!cufftPlan2d(&there, rows, cols, CUFFT_R2C));
    CHECK(!cufftPlan2d(&back, rows, cols, CUFFT_C2R));
    CHECK(!cufftExecR2C(there, real.d, spectrum));
    OK(cudaMemcpy(other.h, spectrum, other.n * sizeof *other.h,
                  cudaMemcpyDeviceToHost));
    const numbers y = transformed(transformed(x, (size_t)cols, 1, -1),
                                  (size_t)rows, (size_t)cols, -1);
    for (int i = 0; i < rows; i++)
        for (int k = 0; k < half; k++)
            CHECK(near(value(other.h[i * half + k]), y[(size_t)(i * cols + k)],
                       x.size(), SINGLE));
    CHECK(!cufftExecC2R(back, spectrum, real.d));
    real.get();
    for (int i = 0; i < rows; i++)
        for (int k = 0; k < cols; k++)
            CHECK(near(real.h[i * room + k] / (double)x.size(),
                       x[(size_t)(i * cols + k)], x.size(), SINGLE));
    CHECK(!cufftDestroy(there));
    CHECK(!cufftDestroy(back));
}
PROBE(fft_of_real_numbers)
{
    check_real(4, 10, false);
    check_real(6, 7, false);
    check_real(4, 10, true);
    check_real(3, 9, true);
}

// The columns of a matrix: each a transform, its numbers a row apart.
PROBE(fft_of_columns)
{
    enum { ROWS = 8, COLS = 6 };
    int n[] = {ROWS}, embed[] = {ROWS};
    size_t workspace = 1;
    array<cufftComplex> a(ROWS * COLS);
    numbers x(a.n);
    cufftHandle plan;
    cudaStream_t stream;
    for (size_t i = 0; i < a.n; i++) {
        x[i] = sample(i);
        a.h[i] = make_float2((float)x[i].real(), (float)x[i].imag());
    }
    OK(cudaStreamCreate(&stream));
    OK(cudaMemcpyAsync(a.d, a.h, a.n * sizeof *a.h, cudaMemcpyHostToDevice,
                       stream));
    CHECK(!cufftCreate(&plan));
    CHECK(!cufftMakePlanMany(plan, 1, n, embed, COLS, 1, embed, COLS, 1,
                             CUFFT_C2C, COLS, &workspace));
    CHECK(!cufftSetStream(plan, stream));
    CHECK(!cufftExecC2C(plan, a.d, a.d, CUFFT_FORWARD));
    OK(cudaStreamSynchronize(stream));
    a.get();
    const numbers y = transformed(x, ROWS, COLS, -1);
    for (size_t i = 0; i < a.n; i++)
        CHECK(near(value(a.h[i]), y[i], ROWS, SINGLE));
    CHECK(!cufftDestroy(plan));
    OK(cudaStreamDestroy(stream));
}

PROBE(fft_errors)
{
    array<cufftComplex> a(4);
    cufftHandle plan, none;
    CHECK(cufftPlan1d(&none, 0, CUFFT_C2C, 1) == CUFFT_INVALID_SIZE);
    CHECK(cufftPlan1d(&none, 4, (cufftType)7, 1) == CUFFT_INVALID_TYPE);
    CHECK(!cufftPlan1d(&plan, 4, CUFFT_C2C, 1));
    CHECK(cufftExecC2C(plan, a.d, a.d, 3) == CUFFT_INVALID_VALUE);
    CHECK(!cufftDestroy(plan));
    CHECK(cufftExecC2C(plan, a.d, a.d, 1) == CUFFT_INVALID_PLAN);
    CHECK(cufftDestroy(plan) == CUFFT_INVALID_PLAN);
}

/* A plan by types gives what cufftPlanMany()'s gives. */
PROBE(plans_by_types)
{
    enum { LENGTH = 48, BATCH = 3 };
    array<float> in(LENGTH * BATCH);
    array<cufftComplex> one(BATCH * (LENGTH / 2 + 1)), other(one.n);
    long long n[] = {LENGTH};
    int length = LENGTH;
    size_t nbytes = 1;
    cufftHandle a, b;
    for (size_t i = 0; i < in.n; i++)
        in.h[i] = (float)(i * i % 17);
    in.put();
    CHECK(cufftPlanMany(&a, 1, &length, NULL, 1, 0, NULL, 1, 0, CUFFT_R2C,
                        BATCH) == CUFFT_SUCCESS);
    CHECK(cufftCreate(&b) == CUFFT_SUCCESS);
    CHECK(cufftXtMakePlanMany(b, 1, n, NULL, 1, 0, CUDA_R_32F, NULL, 1, 0,
                              CUDA_C_64F, BATCH, &nbytes,
                              CUDA_C_32F) != CUFFT_SUCCESS);
    CHECK(cufftXtMakePlanMany(b, 1, n, NULL, 1, 0, CUDA_R_32F, NULL, 1, 0,
                              CUDA_C_32F, BATCH, &nbytes,
                              CUDA_C_32F) == CUFFT_SUCCESS);
    CHECK(cufftExecR2C(a, in.d, one.d) == CUFFT_SUCCESS);
    CHECK(cufftXtExec(b, in.d, other.d, CUFFT_FORWARD) == CUFFT_SUCCESS);
    CHECK(memcmp(one.get(), other.get(), one.n * sizeof *one.h) == 0);
    CHECK(one.h[0].x != 0);
    cufftDestroy(a);
    cufftDestroy(b);
}
