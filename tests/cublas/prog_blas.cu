// cuBLAS's vectors and triangles, in both precisions, against plain loops; and
// Hgemm, double products, device results.
#include <cuda_fp16.h>

#include "plain.h"

template <class T> static double distance(const vec<T> &a, const vec<T> &b)
{
    double most = 0;
    for (size_t i = 0; i < a.size(); i++) {
        const double off = fabs((double)a[i] - (double)b[i]);
        if (!(off <= most))
            most = off;
    }
    return most;
}

// ---- names by type ---------------------------------------------------------

// clang-format off
BY_TYPE(axpy) BY_TYPE(scal) BY_TYPE(copy) BY_TYPE(swap) BY_TYPE(rot)
BY_TYPE(dot) BY_TYPE(nrm2) BY_TYPE(asum) BY_TYPE(gemv) BY_TYPE(ger)
BY_TYPE(symv) BY_TYPE(trsv) BY_TYPE(gemm) BY_TYPE(symm) BY_TYPE(syrk)
BY_TYPE(trsm) BY_TYPE(geam) BY_TYPE(gemmBatched)
    // clang-format on

    static cublasStatus_t amax(float, int n, const float *x, int inc, int *r)
{
    return cublasIsamax(handle, n, x, inc, r);
}
static cublasStatus_t amax(double, int n, const double *x, int inc, int *r)
{
    return cublasIdamax(handle, n, x, inc, r);
}
static cublasStatus_t amin(float, int n, const float *x, int inc, int *r)
{
    return cublasIsamin(handle, n, x, inc, r);
}
static cublasStatus_t amin(double, int n, const double *x, int inc, int *r)
{
    return cublasIdamin(handle, n, x, inc, r);
}

// ---- vectors ---------------------------------------------------------------

enum { N = 7, INC = 2, ROOM = N * INC };

template <class T> static void vectors(const char *type, double most)
{
    const T t = 0, alpha = (T)1.5, cosine = (T)0.6, sine = (T)0.8;
    const vec<T> x = random<T>(ROOM), y = random<T>(ROOM);
    vec<T> wx = x, wy = y;
    device<T> dx(x), dy(y);

    // y runs backwards
    axpy(t, N, &alpha, dx.at, (int)INC, dy.at, -1);
    for (int i = 0; i < N; i++)
        wy[N - 1 - i] += alpha * wx[i * INC];
    say(type, "axpy", distance(dy.host(), wy), most);
    scal(t, N, &alpha, dx.at, (int)INC);
    for (int i = 0; i < N; i++)
        wx[i * INC] *= alpha;
    say(type, "scal", distance(dx.host(), wx), most);
    rot(t, N, dx.at, (int)INC, dy.at, 1, &cosine, &sine);
    for (int i = 0; i < N; i++) {
        const T a = wx[i * INC], b = wy[i];
        wx[i * INC] = cosine * a + sine * b;
        wy[i] = cosine * b - sine * a;
    }
    say(type, "rot", distance(dx.host(), wx) + distance(dy.host(), wy), most);
    swap(t, N, dx.at, (int)INC, dy.at, 1);
    for (int i = 0; i < N; i++)
        std::swap(wx[i * INC], wy[i]);
    say(type, "swap", distance(dx.host(), wx) + distance(dy.host(), wy), most);
    copy(t, N, dx.at, (int)INC, dy.at, 1);
    for (int i = 0; i < N; i++)
        wy[i] = wx[i * INC];
    say(type, "copy", distance(dy.host(), wy), most);
}

template <class T> static void results(const char *type, double most)
{
    const T t = 0;
    const vec<T> x = random<T>(ROOM), y = random<T>(ROOM);
    device<T> dx(x), dy(y);
    double wdot = 0, wsum = 0, wsquares = 0;
    int wmax = 0, wmin = 0;
    for (int i = 0; i < N; i++) {
        const double a = x[i * INC];
        wdot += a * (double)y[i];
        wsum += fabs(a);
        wsquares += a * a;
        if (fabs(a) > fabs((double)x[wmax * INC]))
            wmax = i;
        if (fabs(a) < fabs((double)x[wmin * INC]))
            wmin = i;
    }
    T d = 0, n = 0, s = 0;
    int imax = 0, imin = 0;
    dot(t, N, dx.at, (int)INC, dy.at, 1, &d);
    nrm2(t, N, dx.at, (int)INC, &n);
    asum(t, N, dx.at, (int)INC, &s);
    amax(t, N, dx.at, INC, &imax);
    amin(t, N, dx.at, INC, &imin);
    say(type, "dot", fabs((double)d - wdot), most);
    say(type, "nrm2", fabs((double)n - sqrt(wsquares)), most);
    say(type, "asum", fabs((double)s - wsum), most);
    say(type, "amax, from 1 on", abs(imax - wmax - 1), 0);
    say(type, "amin, from 1 on", abs(imin - wmin - 1), 0);
    d = 7;
    imax = 7;
    dot(t, 0, dx.at, 1, dy.at, 1, &d);
    amax(t, 0, dx.at, 1, &imax);
    say(type, "dot and amax of nothing", fabs((double)d) + imax, 0);

    // scalars and results in device memory: nothing waits
    const device<T> scalars(vec<T>{(T)2, 0});
    cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE);
    scal(t, N, (const T *)scalars.at, dx.at, (int)INC);
    dot(t, N, dx.at, (int)INC, dy.at, 1, scalars.at + 1);
    cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_HOST);
    say(type, "dot in device memory",
        fabs((double)scalars.host()[1] - 2 * wdot), most);
}

// ---- matrices --------------------------------------------------------------

enum { M = 5, K = 4, LD = 8 };

template <class T> struct mat { // M x K or less, LD apart
    vec<T> v;
    bool transposed;
    double at(int i, int j) const
    {
        return transposed ? v[i * LD + j] : v[j * LD + i];
    }
};

// A symmetric matrix of which one triangle is stored, NaN in the other.
template <class T> static mat<T> triangle_of(int n, cublasFillMode_t fill)
{
    mat<T> a = {random<T>(LD * LD), false};
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            if (i == j)
                a.v[j * LD + i] += 3; // well-conditioned, if triangular
            if (fill == CUBLAS_FILL_MODE_LOWER ? i < j : i > j)
                a.v[j * LD + i] = NAN;
        }
    return a;
}

template <class T>
static double symmetric(const mat<T> &a, cublasFillMode_t fill, int i, int j)
{
    return (fill == CUBLAS_FILL_MODE_LOWER) == (i >= j) || i == j ? a.at(i, j)
                                                                  : a.at(j, i);
}

template <class T>
static double triangular(const mat<T> &a, cublasFillMode_t fill, int i, int j)
{
    return (fill == CUBLAS_FILL_MODE_LOWER ? i >= j : i <= j) ? a.at(i, j) : 0;
}

template <class T> static void with_vectors(const char *type, double most)
{
    const T t = 0, alpha = (T)1.5, beta = (T)-0.5;
    const mat<T> a = {random<T>(LD * LD), false};
    const vec<T> x = random<T>(M), y = random<T>(M);
    const device<T> da(a.v), dx(x);
    for (int trans = 0; trans < 2; trans++) {
        vec<T> want = y;
        const device<T> dy(y);
        gemv(t, trans ? CUBLAS_OP_T : CUBLAS_OP_N, M, K, &alpha,
             (const T *)da.at, (int)LD, (const T *)dx.at, 1, &beta, dy.at, 1);
        for (int i = 0; i < (trans ? K : M); i++) {
            double sum = 0;
            for (int j = 0; j < (trans ? M : K); j++)
                sum += (trans ? a.at(j, i) : a.at(i, j)) * (double)x[j];
            want[i] = (T)(alpha * sum + beta * (double)y[i]);
        }
        say(type, trans ? "gemv, transposed" : "gemv",
            distance(dy.host(), want), most);
    }
    const device<T> dy(y);
    vec<T> want = a.v;
    ger(t, M, K, &alpha, (const T *)dx.at, 1, (const T *)dy.at, 1, da.at,
        (int)LD);
    for (int j = 0; j < K; j++)
        for (int i = 0; i < M; i++)
            want[j * LD + i] += alpha * x[i] * y[j];
    say(type, "ger", distance(da.host(), want), most);
}

template <class T>
static void with_triangle(const char *type, cublasFillMode_t fill, double most)
{
    const T t = 0, alpha = (T)1.5, beta = (T)-0.5;
    const mat<T> a = triangle_of<T>(M, fill);
    const mat<T> b = {random<T>(LD * LD), false},
                 c = {random<T>(LD * LD), false};
    const vec<T> x = random<T>(M), y = random<T>(M);
    const device<T> da(a.v), db(b.v), dc(c.v), dx(x), dy(y);
    vec<T> want = y;
    symv(t, fill, M, &alpha, (const T *)da.at, (int)LD, (const T *)dx.at, 1,
         &beta, dy.at, 1);
    for (int i = 0; i < M; i++) {
        double sum = 0;
        for (int j = 0; j < M; j++)
            sum += symmetric(a, fill, i, j) * (double)x[j];
        want[i] = (T)(alpha * sum + beta * (double)y[i]);
    }
    say(type, "symv", distance(dy.host(), want), most);
    want = c.v;
    symm(t, CUBLAS_SIDE_LEFT, fill, M, K, &alpha, (const T *)da.at, (int)LD,
         (const T *)db.at, (int)LD, &beta, dc.at, (int)LD);
    for (int j = 0; j < K; j++)
        for (int i = 0; i < M; i++) {
            double sum = 0;
            for (int p = 0; p < M; p++)
                sum += symmetric(a, fill, i, p) * b.at(p, j);
            want[j * LD + i] = (T)(alpha * sum + beta * c.at(i, j));
        }
    say(type, "symm", distance(dc.host(), want), most);
    // A x = b: x back into the product gives b
    trsv(t, fill, CUBLAS_OP_T, CUBLAS_DIAG_NON_UNIT, M, (const T *)da.at,
         (int)LD, dx.at, 1);
    const vec<T> solved = dx.host();
    want = x;
    for (int i = 0; i < M; i++) {
        double sum = 0;
        for (int j = 0; j < M; j++)
            sum += triangular(a, fill, j, i) * (double)solved[j];
        want[i] = (T)sum;
    }
    say(type, "trsv", distance(x, want), most);
    trsm(t, CUBLAS_SIDE_LEFT, fill, CUBLAS_OP_N, CUBLAS_DIAG_NON_UNIT, M, K,
         &alpha, (const T *)da.at, (int)LD, db.at, (int)LD);
    const mat<T> many = {db.host(), false};
    double off = 0;
    for (int j = 0; j < K; j++)
        for (int i = 0; i < M; i++) {
            double sum = 0;
            for (int p = 0; p < M; p++)
                sum += triangular(a, fill, i, p) * many.at(p, j);
            off = fmax(off, fabs(sum - alpha * b.at(i, j)));
        }
    say(type, "trsm", off, most);
}

template <class T>
static void products(const char *type, cublasFillMode_t fill, double most)
{
    const T t = 0, alpha = (T)1.5, beta = (T)-0.5, zero = 0;
    const mat<T> a = {random<T>(LD * LD), false},
                 b = {random<T>(LD * LD), true};
    const mat<T> c = triangle_of<T>(M, fill);
    const device<T> da(a.v), db(b.v), dc(c.v), de(c.v);
    vec<T> want = c.v;
    syrk(t, fill, CUBLAS_OP_N, M, K, &alpha, (const T *)da.at, (int)LD, &beta,
         dc.at, (int)LD);
    for (int j = 0; j < M; j++)
        for (int i = 0; i < M; i++) {
            double sum = 0;
            for (int p = 0; p < K; p++)
                sum += a.at(i, p) * a.at(j, p);
            want[j * LD + i] = (T)(alpha * sum + beta * c.at(i, j));
        }
    const vec<T> got = dc.host();
    double off = 0;
    for (int i = 0; i < LD * LD; i++) // elsewhere there are NaNs, untouched
        if (!isnan((double)c.v[i]))
            off = fmax(off, fabs((double)got[i] - (double)want[i]));
        else if (!isnan((double)got[i]))
            off = INFINITY;
    say(type, "syrk", off, most);
    // C is not read
    gemm(t, CUBLAS_OP_N, CUBLAS_OP_T, M, M, K, &alpha, (const T *)da.at,
         (int)LD, (const T *)db.at, (int)LD, &zero, de.at, (int)LD);
    vec<T> product = de.host();
    off = 0;
    for (int j = 0; j < M; j++)
        for (int i = 0; i < M; i++) {
            double sum = 0;
            for (int p = 0; p < K; p++)
                sum += a.at(i, p) * (double)b.v[p * LD + j];
            off = fmax(off, fabs((double)product[j * LD + i] - alpha * sum));
        }
    say(type, "gemm", off, most);
    // a transposed copy
    geam(t, CUBLAS_OP_T, CUBLAS_OP_N, K, M, &alpha, (const T *)da.at, (int)LD,
         &zero, (const T *)NULL, (int)LD, de.at, (int)LD);
    product = de.host();
    off = 0;
    for (int j = 0; j < M; j++)
        for (int i = 0; i < K; i++)
            off = fmax(off,
                       fabs((double)product[j * LD + i] - alpha * a.at(j, i)));
    say(type, "geam", off, most);
}

__global__ void point(void **out, char *at, size_t step, int n)
{
    for (int i = 0; i < n; i++)
        out[i] = at + (size_t)(n - 1 - i) * step;
}

// A batch whose matrices lie in any order: a kernel before the call says where.
// op(A) is 5 x 4 (A is transposed), B 4 x 3, in columns of 5 elements.
template <class T> static void by_pointers(const char *type, double most)
{
    enum { BATCH = 3, ROWS = 5, MID = 4, COLS = 3, PITCH = 5, SIZE = 25 };
    const vec<T> a = random<T>(BATCH * SIZE), b = random<T>(BATCH * SIZE);
    const vec<T> c = random<T>(BATCH * SIZE);
    const device<T> da(a), db(b), dc(c);
    const vec<T *> unknown(BATCH);
    const device<T *> pa(unknown), pb(unknown), pc(unknown);
    const T alpha = 2, beta = (T)0.5;
    const size_t step = SIZE * sizeof(T);
    point<<<1, 1>>>((void **)pa.at, (char *)da.at, step, BATCH);
    point<<<1, 1>>>((void **)pb.at, (char *)db.at, step, BATCH);
    point<<<1, 1>>>((void **)pc.at, (char *)dc.at, step, BATCH);
    double off =
        gemmBatched(T(), CUBLAS_OP_T, CUBLAS_OP_N, (int)ROWS, (int)COLS,
                    (int)MID, &alpha, pa.at, (int)PITCH, pb.at, (int)PITCH,
                    &beta, pc.at, (int)PITCH, (int)BATCH);
    const vec<T> got = dc.host();
    for (int i = 0; i < BATCH; i++)
        for (int col = 0; col < PITCH; col++)
            for (int row = 0; row < PITCH; row++) {
                const int at = i * SIZE + col * PITCH + row;
                double want = c[at];
                if (col < COLS) {
                    want *= (double)beta;
                    for (int p = 0; p < MID; p++)
                        want += (double)(alpha * a[i * SIZE + row * PITCH + p] *
                                         b[i * SIZE + col * PITCH + p]);
                }
                off = fmax(off, fabs((double)got[at] - want));
            }
    say(type, "gemmBatched", off, most);
}

static void halves()
{
    const vec<float> a = random<float>(M * M), b = random<float>(M * M);
    vec<__half> ha(M * M), hb(M * M), hc(M * M, __float2half(1));
    for (int i = 0; i < M * M; i++) {
        ha[i] = __float2half(a[i]);
        hb[i] = __float2half(b[i]);
    }
    const device<__half> da(ha), db(hb), dc(hc);
    const __half alpha = __float2half(2), beta = __float2half(0.5f);
    cublasHgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, M, M, M, &alpha, da.at, M,
                db.at, M, &beta, dc.at, M);
    const vec<__half> got = dc.host();
    double off = 0;
    for (int j = 0; j < M; j++)
        for (int i = 0; i < M; i++) {
            double sum = 0;
            for (int p = 0; p < M; p++)
                sum += (double)__half2float(ha[p * M + i]) *
                       (double)__half2float(hb[j * M + p]);
            off = fmax(off, fabs((double)__half2float(got[j * M + i]) -
                                 (2 * sum + 0.5)));
        }
    say("H", "gemm", off, 4e-3);
}

int main()
{
    cublasCreate(&handle);
    vectors<float>("S", 1e-6);
    vectors<double>("D", 1e-15);
    results<float>("S", 2e-6);
    results<double>("D", 1e-14);
    with_vectors<float>("S", 2e-6);
    with_vectors<double>("D", 1e-14);
    for (int f = 0; f < 2; f++) {
        const cublasFillMode_t fill =
            f ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER;
        with_triangle<float>("S", fill, 1e-5);
        with_triangle<double>("D", fill, 1e-13);
        products<float>("S", fill, 1e-5);
        products<double>("D", fill, 1e-13);
    }
    by_pointers<float>("S", 1e-6);
    by_pointers<double>("D", 1e-14);
    halves();
    cublasDestroy(handle);
    printf("%d failed\n", failures);
    return failures != 0;
}
