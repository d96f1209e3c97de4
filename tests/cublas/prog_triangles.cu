// cuBLAS's products with triangular and diagonal matrices, and its updates of
// symmetric ones, against plain loops of doubles: all triangles, sides,
// transposes and diagonals, with leading dimensions that are too long, scalars
// of host and device, and captured.
#include "plain.h"

// clang-format off
BY_TYPE(trmv) BY_TYPE(trmm) BY_TYPE(dgmm)
BY_TYPE(syr) BY_TYPE(syr2) BY_TYPE(syr2k)
    // clang-format on

    static const cublasFillMode_t fills[] = {CUBLAS_FILL_MODE_LOWER,
                                             CUBLAS_FILL_MODE_UPPER};
static const cublasOperation_t ops[] = {CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C};
static const cublasDiagType_t diags[] = {CUBLAS_DIAG_NON_UNIT,
                                         CUBLAS_DIAG_UNIT};
static const cublasSideMode_t sides[] = {CUBLAS_SIDE_LEFT, CUBLAS_SIDE_RIGHT};
static const int steps[] = {1, 2, -2};

enum { M = 5, N = 4, LDA = 7, LDB = 6, LDC = 8, ROOM = LDC * LDC };

static bool scalars_on_device;

template <class T> struct scalar {
    T value;
    device<T> copy;
    scalar(double x) : value((T)x), copy(vec<T>{(T)x}) {}
    const T *at() const
    {
        return scalars_on_device ? copy.at : &value;
    }
};

// ---- matrices --------------------------------------------------------------

static bool is_stored(cublasFillMode_t fill, int i, int j)
{
    return fill == CUBLAS_FILL_MODE_LOWER ? i >= j : i <= j;
}

// A triangle, columns LDA apart. What cuBLAS must not look at is NaN.
template <class T> struct triangle {
    cublasFillMode_t fill;
    cublasDiagType_t diag;
    vec<T> v;
    triangle(cublasFillMode_t fill, cublasDiagType_t diag)
        : fill(fill), diag(diag), v(random<T>(ROOM))
    {
        for (int j = 0; j < LDA; j++)
            for (int i = 0; i < LDA; i++)
                if (!is_stored(fill, i, j) ||
                    (i == j && diag == CUBLAS_DIAG_UNIT))
                    v[j * LDA + i] = NAN;
    }
    // element (i, j) of op(A)
    double at(cublasOperation_t op, int i, int j) const
    {
        if (op != CUBLAS_OP_N)
            std::swap(i, j);
        return i == j && diag == CUBLAS_DIAG_UNIT ? 1
               : is_stored(fill, i, j)            ? (double)v[j * LDA + i]
                                                  : 0;
    }
};

// Element (i, j) of op(A).
template <class T>
static double of(const vec<T> &a, int ld, cublasOperation_t op, int i, int j)
{
    return (double)(op == CUBLAS_OP_N ? a[j * ld + i] : a[i * ld + j]);
}

// Where element i of n is in a vector.
static int place(int n, int i, int inc)
{
    return inc < 0 ? (n - 1 - i) * -inc : i * inc;
}

// ---- results ---------------------------------------------------------------

// The largest error so far; NaN has to be NaN.
struct error {
    double most = 0;
    template <class T> void add(const vec<T> &got, const vec<T> &want)
    {
        for (size_t i = 0; i < want.size(); i++) {
            const double off = fabs((double)got[i] - (double)want[i]);
            if (std::isnan((double)want[i]) != std::isnan((double)got[i]))
                most = INFINITY;
            else if (off > most)
                most = off;
        }
    }
    void add(cublasStatus_t status)
    {
        if (status != CUBLAS_STATUS_SUCCESS)
            most = INFINITY;
    }
};

// ---- products with triangles -----------------------------------------------

template <class T>
static void one_trmv(error &e, const triangle<T> &a, cublasOperation_t op,
                     int inc)
{
    const vec<T> x = random<T>(ROOM);
    const device<T> da(a.v), dx(x);
    vec<T> want = x;
    e.add(trmv(T(), a.fill, op, a.diag, (int)M, (const T *)da.at, (int)LDA,
               dx.at, inc));
    for (int i = 0; i < M; i++) {
        double sum = 0;
        for (int j = 0; j < M; j++)
            sum += a.at(op, i, j) * (double)x[place(M, j, inc)];
        want[place(M, i, inc)] = (T)sum;
    }
    e.add(dx.host(), want);
}

// C = alpha op(A) B, or B op(A). In place, C is B.
template <class T>
static void one_trmm(error &e, const triangle<T> &a, cublasSideMode_t side,
                     cublasOperation_t op, double factor, bool in_place)
{
    const scalar<T> alpha(factor);
    const bool left = side == CUBLAS_SIDE_LEFT;
    const int ldc = in_place ? LDB : LDC;
    const vec<T> b = factor == 0 ? vec<T>(ROOM, NAN) : random<T>(ROOM);
    const device<T> da(a.v), db(b), dc(b);
    vec<T> want = b;
    e.add(trmm(T(), side, a.fill, op, a.diag, (int)M, (int)N, alpha.at(),
               (const T *)da.at, (int)LDA, (const T *)db.at, (int)LDB,
               in_place ? db.at : dc.at, ldc));
    for (int j = 0; j < N; j++)
        for (int i = 0; i < M; i++) {
            double sum = 0;
            for (int p = 0; p < (left ? M : N); p++)
                sum += left ? a.at(op, i, p) * (double)b[j * LDB + p]
                            : a.at(op, p, j) * (double)b[p * LDB + i];
            want[j * ldc + i] = factor == 0 ? 0 : (T)(factor * sum);
        }
    e.add(in_place ? db.host() : dc.host(), want);
    if (!in_place)
        e.add(db.host(), b);
}

template <class T> static void with_triangles(const char *type, double most)
{
    error vectors, matrices;
    for (const cublasFillMode_t fill : fills)
        for (const cublasDiagType_t diag : diags)
            for (const cublasOperation_t op : ops) {
                const triangle<T> a(fill, diag);
                for (const int inc : steps)
                    one_trmv(vectors, a, op, inc);
                for (const cublasSideMode_t side : sides)
                    for (int in_place = 0; in_place < 2; in_place++) {
                        one_trmm(matrices, a, side, op, 1.5, in_place);
                        one_trmm(matrices, a, side, op, 0, in_place);
                    }
            }
    say(type, "trmv", vectors.most, most);
    say(type, "trmm", matrices.most, most);
}

// ---- diagonals -------------------------------------------------------------

template <class T>
static void one_dgmm(error &e, cublasSideMode_t mode, int inc, bool in_place)
{
    const bool left = mode == CUBLAS_SIDE_LEFT;
    const int ldc = in_place ? LDA : LDC;
    const vec<T> a = random<T>(ROOM), x = random<T>(ROOM);
    const device<T> da(a), dx(x), dc(a);
    vec<T> want = a;
    e.add(dgmm(T(), mode, (int)M, (int)N, (const T *)da.at, (int)LDA,
               (const T *)dx.at, inc, in_place ? da.at : dc.at, ldc));
    for (int j = 0; j < N; j++)
        for (int i = 0; i < M; i++)
            want[j * ldc + i] =
                a[j * LDA + i] * x[place(left ? M : N, left ? i : j, inc)];
    e.add(in_place ? da.host() : dc.host(), want);
}

template <class T> static void diagonals(const char *type)
{
    error e;
    for (const cublasSideMode_t mode : sides)
        for (int in_place = 0; in_place < 2; in_place++) {
            for (const int inc : steps)
                one_dgmm<T>(e, mode, inc, in_place);
            one_dgmm<T>(e, mode, 0, in_place); // one number for all
        }
    say(type, "dgmm", e.most, 0);
}

// ---- updates ---------------------------------------------------------------

template <class T>
static void one_syr(error &e, cublasFillMode_t fill, int incx, int incy,
                    bool two)
{
    const scalar<T> alpha(-0.75);
    const triangle<T> a(fill, CUBLAS_DIAG_NON_UNIT);
    const vec<T> x = random<T>(ROOM), y = random<T>(ROOM);
    const device<T> da(a.v), dx(x), dy(y);
    vec<T> want = a.v;
    e.add(two ? syr2(T(), fill, (int)M, alpha.at(), (const T *)dx.at, incx,
                     (const T *)dy.at, incy, da.at, (int)LDA)
              : syr(T(), fill, (int)M, alpha.at(), (const T *)dx.at, incx,
                    da.at, (int)LDA));
    for (int j = 0; j < M; j++)
        for (int i = 0; i < M; i++) {
            const double xi = x[place(M, i, incx)], xj = x[place(M, j, incx)];
            const double yi = y[place(M, i, incy)], yj = y[place(M, j, incy)];
            want[j * LDA + i] +=
                (T)(-0.75 * (two ? xi * yj + yi * xj : xi * xj));
        }
    e.add(da.host(), want);
}

// With beta 0, C is not read.
template <class T>
static void one_syr2k(error &e, cublasFillMode_t fill, cublasOperation_t op,
                      double by)
{
    const scalar<T> alpha(1.5), beta(by);
    const vec<T> a = random<T>(ROOM), b = random<T>(ROOM);
    vec<T> c = triangle<T>(fill, CUBLAS_DIAG_NON_UNIT).v;
    if (by == 0)
        c = vec<T>(ROOM, NAN);
    const device<T> da(a), db(b), dc(c);
    vec<T> want = c;
    e.add(syr2k(T(), fill, op, (int)M, (int)N, alpha.at(), (const T *)da.at,
                (int)LDB, (const T *)db.at, (int)LDC, beta.at(), dc.at,
                (int)LDA));
    for (int j = 0; j < M; j++)
        for (int i = 0; i < M; i++) {
            double sum = 0;
            for (int p = 0; p < N; p++)
                sum += of(a, LDB, op, i, p) * of(b, LDC, op, j, p) +
                       of(b, LDC, op, i, p) * of(a, LDB, op, j, p);
            if (is_stored(fill, i, j))
                want[j * LDA + i] =
                    (T)(1.5 * sum +
                        (by == 0 ? 0 : by * (double)c[j * LDA + i]));
        }
    e.add(dc.host(), want);
}

template <class T> static void updates(const char *type, double most)
{
    error vectors, two_vectors, matrices;
    for (const cublasFillMode_t fill : fills) {
        for (const int incx : steps)
            for (const int incy : steps) {
                one_syr<T>(vectors, fill, incx, incy, false);
                one_syr<T>(two_vectors, fill, incx, incy, true);
            }
        for (const cublasOperation_t op : ops) {
            one_syr2k<T>(matrices, fill, op, -0.5);
            one_syr2k<T>(matrices, fill, op, 0);
        }
    }
    say(type, "syr", vectors.most, most);
    say(type, "syr2", two_vectors.most, most);
    say(type, "syr2k", matrices.most, most);
}

// ---- graphs ----------------------------------------------------------------

// One call of each, each of which needs the one before.
template <class T>
static void all(error &e, const device<T> &a, const device<T> &b,
                const device<T> &c)
{
    const T alpha = (T)1.5, beta = (T)-0.5;
    const cublasFillMode_t fill = CUBLAS_FILL_MODE_LOWER;
    const cublasOperation_t op = CUBLAS_OP_T;
    const T *const x = a.at + LDA * M;
    e.add(trmm(T(), CUBLAS_SIDE_LEFT, fill, op, CUBLAS_DIAG_UNIT, (int)M,
               (int)N, &alpha, (const T *)a.at, (int)LDA, (const T *)b.at,
               (int)LDB, c.at, (int)LDC));
    e.add(dgmm(T(), CUBLAS_SIDE_RIGHT, (int)M, (int)N, (const T *)c.at,
               (int)LDC, x, 1, b.at, (int)LDB));
    e.add(syr2k(T(), fill, CUBLAS_OP_N, (int)M, (int)N, &alpha, (const T *)b.at,
                (int)LDB, (const T *)c.at, (int)LDC, &beta, a.at, (int)LDA));
    e.add(syr(T(), fill, (int)M, &alpha, (const T *)c.at, 1, a.at, (int)LDA));
    e.add(syr2(T(), fill, (int)M, &alpha, (const T *)b.at, 1, x, 1, a.at,
               (int)LDA));
    e.add(trmv(T(), fill, op, CUBLAS_DIAG_NON_UNIT, (int)M, (const T *)a.at,
               (int)LDA, c.at, 1));
}

// A graph's launch computes what the calls compute.
template <class T> static void captured(const char *type)
{
    error e;
    const vec<T> a = random<T>(ROOM), b = random<T>(ROOM), c(ROOM);
    const device<T> da(a), db(b), dc(c), ga(a), gb(b), gc(c);
    size_t nnodes = 0;
    cudaStream_t s;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    all(e, da, db, dc);
    cudaStreamCreate(&s);
    e.add(cublasSetStream(handle, s));
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    all(e, ga, gb, gc);
    cudaStreamEndCapture(s, &graph);
    cudaGraphGetNodes(graph, NULL, &nnodes);
    e.add(gc.host(), c); // nothing has run
    cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphLaunch(exec, s);
    cudaStreamSynchronize(s);
    e.add(ga.host(), da.host());
    e.add(gb.host(), db.host());
    e.add(gc.host(), dc.host());
    cudaGraphExecDestroy(exec);
    cudaGraphDestroy(graph);
    e.add(cublasSetStream(handle, 0));
    cudaStreamDestroy(s);
    say(type, " in a graph", e.most, 0);
    say(type, " in a graph, a node each", nnodes >= 6 ? 0 : 1, 0);
}

template <class T> static void all_of(const char *type, double most)
{
    for (int where = 0; where < 2; where++) {
        scalars_on_device = where;
        cublasSetPointerMode(handle, where ? CUBLAS_POINTER_MODE_DEVICE
                                           : CUBLAS_POINTER_MODE_HOST);
        with_triangles<T>(type, most);
        updates<T>(type, most);
    }
    cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_HOST);
    diagonals<T>(type);
    captured<T>(type);
}

int main()
{
    cublasCreate(&handle);
    all_of<float>("S", 1e-5);
    all_of<double>("D", 1e-13);
    cublasDestroy(handle);
    printf("%d failed\n", failures);
    return failures != 0;
}
