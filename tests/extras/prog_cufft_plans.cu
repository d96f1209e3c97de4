/* links: -lcufft */
/* cuFFT: layouts, what a plan is asked for, and what it refuses. */
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cufft.h>
#include <cufftXt.h>

#include "probe.h"

#define IS(status, call) CHECK((call) == CUFFT_##status)
/* In one way or another: CUDA does not say which. */
#define REFUSED(call) CHECK((call) != CUFFT_SUCCESS)
// cuFFT takes no elements in the later dimensions
#define REFUSED_HERE(call) CHECK(!on_simgpu() || (call) != CUFFT_SUCCESS)

/* ---- layouts ------------------------------------------------------------- */

/* Two transforms of 3 x 4, which lie apart in every way, and the same packed
 * give the same bits, and nothing between them is written. */
template <class Z>
static void check_layout(cufftType type,
                         cufftResult (*exec)(cufftHandle, Z *, Z *, int))
{
    enum { N0 = 3, N1 = 4, BATCH = 2, ALL = BATCH * N0 * N1, ROOM = 128 };
    int n[] = {N0, N1}, in[] = {5, 6}, out[] = {4, 5};
    const int in_stride = 2, in_dist = 62, out_stride = 3, out_dist = 1;
    array<Z> x(ROOM), y(ROOM), packed(ALL), want(ALL);
    cufftHandle a, b;
    for (int i = 0; i < ALL; i++) {
        const int k = i / (N0 * N1), row = i / N1 % N0, col = i % N1;
        packed.h[i].x = i * 7 % 11 - 5;
        packed.h[i].y = i * 5 % 13 - 6;
        x.h[k * in_dist + (row * in[1] + col) * in_stride] = packed.h[i];
    }
    x.put(), packed.put();
    IS(SUCCESS, cufftPlanMany(&a, 2, n, in, in_stride, in_dist, out, out_stride,
                              out_dist, type, BATCH));
    IS(SUCCESS, cufftPlanMany(&b, 2, n, NULL, 9, 9, NULL, 9, 9, type, BATCH));
    IS(SUCCESS, exec(a, x.d, y.d, CUFFT_FORWARD));
    IS(SUCCESS, exec(b, packed.d, want.d, CUFFT_FORWARD));
    y.get(), want.get();
    for (int i = 0; i < ALL; i++) {
        const int k = i / (N0 * N1), row = i / N1 % N0, col = i % N1;
        Z *const at = &y.h[k * out_dist + (row * out[1] + col) * out_stride];
        CHECK(at->x == want.h[i].x && at->y == want.h[i].y);
        at->x = at->y = 0;
    }
    for (int i = 0; i < ROOM; i++)
        CHECK(y.h[i].x == 0 && y.h[i].y == 0);
    CHECK(want.h[0].x != 0);
    IS(SUCCESS, cufftDestroy(a));
    IS(SUCCESS, cufftDestroy(b));
}

PROBE(transforms_that_lie_apart)
{
    check_layout<cufftComplex>(CUFFT_C2C, cufftExecC2C);
    check_layout<cufftDoubleComplex>(CUFFT_Z2Z, cufftExecZ2Z);
}

/* Doubles there and back, a batch of planes, packed in and out of place: the
 * spectrum's first number is the sum. */
static void check_doubles(bool in_place)
{
    enum { N0 = 3, N1 = 5, HALF = N1 / 2 + 1, BATCH = 2 };
    const int room = in_place ? 2 * HALF : N1;
    int n[] = {N0, N1};
    array<double> x(BATCH * N0 * room);
    array<cufftDoubleComplex> other(BATCH * N0 * HALF);
    cufftDoubleComplex *const z =
        in_place ? (cufftDoubleComplex *)x.d : other.d;
    cufftHandle there, back;
    double sum[BATCH] = {0};
    for (int i = 0; i < BATCH * N0; i++)
        for (int k = 0; k < N1; k++)
            sum[i / N0] += x.h[i * room + k] = (i * 5 + k * k) % 7;
    x.put();
    IS(SUCCESS,
       cufftPlanMany(&there, 2, n, NULL, 0, 0, NULL, 0, 0, CUFFT_D2Z, BATCH));
    IS(SUCCESS,
       cufftPlanMany(&back, 2, n, NULL, 0, 0, NULL, 0, 0, CUFFT_Z2D, BATCH));
    IS(SUCCESS, cufftXtExec(there, x.d, z, CUFFT_FORWARD));
    OK(cudaMemcpy(other.h, z, other.n * sizeof *other.h,
                  cudaMemcpyDeviceToHost));
    for (int i = 0; i < BATCH; i++)
        CHECK(fabs(other.h[i * N0 * HALF].x - sum[i]) < 1e-12);
    IS(SUCCESS, cufftXtExec(back, z, x.d, CUFFT_INVERSE));
    x.get();
    for (int i = 0; i < BATCH * N0; i++)
        for (int k = 0; k < N1; k++)
            CHECK(fabs(x.h[i * room + k] / (N0 * N1) - (i * 5 + k * k) % 7) <
                  1e-13);
    IS(SUCCESS, cufftDestroy(there));
    IS(SUCCESS, cufftDestroy(back));
}

PROBE(planes_of_doubles)
{
    check_doubles(false);
    check_doubles(true);
}

/* ---- what is refused ----------------------------------------------------- */

PROBE(shapes_that_make_no_sense)
{
    static const struct shape {
        int rank, n, in, out, in_stride, out_stride, in_dist, out_dist, batch;
        cufftResult status;
    } shapes[] = {
        {2, 4, 4, 4, 1, 1, 16, 16, 1, CUFFT_SUCCESS},
        {3, 4, 4, 4, 1, 1, 64, 64, 1, CUFFT_SUCCESS},
        {4, 1, 1, 1, 1, 1, 1, 1, 1, CUFFT_INVALID_VALUE},
        {0, 1, 1, 1, 1, 1, 1, 1, 1, CUFFT_INVALID_VALUE},
        {2, 0, 4, 4, 1, 1, 16, 16, 1, CUFFT_INVALID_SIZE},
        {1, 4, 0, 0, 1, 1, 4, 4, 1, CUFFT_SUCCESS}, // the first: not read
        {2, 4, 4, 4, 0, 1, 16, 16, 1, CUFFT_INVALID_VALUE},
        {2, 4, 4, 4, 1, 0, 16, 16, 1, CUFFT_INVALID_VALUE},
        {2, 4, 4, 4, 1, 1, -1, 16, 1, CUFFT_INVALID_VALUE},
        {2, 4, 4, 4, 1, 1, 16, -1, 1, CUFFT_INVALID_VALUE},
        {2, 4, 4, 4, 1, 1, 16, 16, 0, CUFFT_INVALID_SIZE},
    };
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const struct shape *const s = &shapes[i];
        int n[4], in[4], out[4];
        size_t workspace = 7;
        cufftHandle plan = 7;
        for (int d = 0; d < 4; d++)
            n[d] = s->n, in[d] = s->in, out[d] = s->out;
        CHECK(cufftPlanMany(&plan, s->rank, n, in, s->in_stride, s->in_dist,
                            out, s->out_stride, s->out_dist, CUFFT_C2C,
                            s->batch) == s->status);
        if (s->status != CUFFT_SUCCESS)
            continue;
        IS(INVALID_PLAN, cufftMakePlan1d(plan, 4, CUFFT_C2C, 1, &workspace));
        CHECK(workspace == 7); // a plan is made only once
        IS(SUCCESS, cufftDestroy(plan));
    }
}

PROBE(sizes_of_each_dimension)
{
    cufftHandle p, none;
    size_t work = 7;
    REFUSED(cufftPlan2d(&none, 0, 1, CUFFT_C2C));
    REFUSED_HERE(cufftPlan2d(&none, 4, 0, CUFFT_C2C));
    REFUSED_HERE(cufftPlan3d(&none, 4, 0, 4, CUFFT_C2C));
    REFUSED_HERE(cufftPlan3d(&none, 4, 4, 0, CUFFT_C2C));
    IS(SUCCESS, cufftCreate(&p));
    IS(INVALID_VALUE, cufftCreate(NULL));
    IS(INVALID_TYPE, cufftMakePlan1d(p, 1, (cufftType)0, 1, &work));
    CHECK(work == 7);
    IS(SUCCESS, cufftDestroy(p));
    IS(SUCCESS, cufftCreate(&p));
    IS(SUCCESS, cufftMakePlan3d(p, 4, 4, 4, CUFFT_C2C, &work));
    CHECK(work != 7);
    IS(SUCCESS, cufftDestroy(p));
    IS(INVALID_PLAN, cufftDestroy(p));
    IS(SUCCESS, cufftDestroy(CUFFT_PLAN_NULL));
}

PROBE(workspaces)
{
    size_t a = 7, b = 7, c = 7, d = 7;
    cufftHandle p;
    IS(SUCCESS, cufftEstimate1d(8, CUFFT_C2C, 1, &a));
    IS(SUCCESS, cufftEstimate2d(8, 8, CUFFT_R2C, &b));
    IS(SUCCESS, cufftEstimate3d(8, 8, 8, CUFFT_Z2D, &c));
    CHECK(a == 0 && b == 0 && c == 0);
    IS(INVALID_SIZE, cufftEstimate1d(0, CUFFT_C2C, 1, &d));
    CHECK(d == 7);
    REFUSED_HERE(cufftEstimate2d(8, 0, CUFFT_C2C, &d));
    REFUSED_HERE(cufftEstimate3d(8, 8, 0, CUFFT_C2C, &d));
    IS(INVALID_VALUE, cufftEstimate1d(8, CUFFT_C2C, 1, NULL));
    IS(SUCCESS, cufftCreate(&p));
    REFUSED(cufftGetSize(p, &d)); // it has no size yet
    IS(INVALID_VALUE, cufftGetSize(p, NULL));
    IS(SUCCESS, cufftSetWorkArea(p, NULL));
    IS(SUCCESS, cufftSetAutoAllocation(p, 0));
    IS(SUCCESS, cufftSetStream(p, 0));
    IS(SUCCESS, cufftDestroy(p));
    IS(INVALID_PLAN, cufftGetSize(p, &d));
    IS(INVALID_PLAN, cufftSetWorkArea(p, NULL));
    IS(INVALID_PLAN, cufftSetAutoAllocation(p, 0));
    IS(INVALID_PLAN, cufftSetStream(p, 0));
    IS(INVALID_PLAN,
       cufftXtSetWorkAreaPolicy(p, CUFFT_WORKAREA_PERFORMANCE, &d));
}

PROBE(fft_versions)
{
    int version = 0, major = 0, minor = -1, patch = -1;
    IS(SUCCESS, cufftGetVersion(&version));
    IS(SUCCESS, cufftGetProperty(MAJOR_VERSION, &major));
    IS(SUCCESS, cufftGetProperty(MINOR_VERSION, &minor));
    IS(SUCCESS, cufftGetProperty(PATCH_LEVEL, &patch));
    CHECK(version == CUFFT_VERSION && major == CUFFT_VER_MAJOR &&
          minor == CUFFT_VER_MINOR && patch == CUFFT_VER_PATCH);
    IS(SUCCESS, cufftGetVersion(NULL));
    IS(INVALID_VALUE, cufftGetProperty(MAJOR_VERSION, NULL));
    IS(INVALID_TYPE,
       cufftGetProperty((libraryPropertyType)(PATCH_LEVEL + 1), &patch));
}

/* ---- by types, and when it runs ------------------------------------------ */

PROBE(types_of_plans)
{
    static const struct {
        cudaDataType in, out, with;
        cufftResult status;
    } types[] = {
        {CUDA_C_32F, CUDA_C_32F, CUDA_C_32F, CUFFT_SUCCESS},
        {CUDA_R_64F, CUDA_C_64F, CUDA_C_64F, CUFFT_SUCCESS},
        {CUDA_C_64F, CUDA_R_64F, CUDA_C_64F, CUFFT_SUCCESS},
        {CUDA_C_64F, CUDA_R_64F, CUDA_C_32F, CUFFT_INVALID_TYPE},
        {CUDA_C_16F, CUDA_C_16F, CUDA_C_16F, CUFFT_SUCCESS},
        {CUDA_R_16F, CUDA_C_16F, CUDA_C_16F, CUFFT_SUCCESS},
        {CUDA_C_16BF, CUDA_C_16BF, CUDA_C_16BF, CUFFT_SUCCESS},
        {CUDA_R_16BF, CUDA_C_16BF, CUDA_C_16BF, CUFFT_SUCCESS},
    };
    long long n[] = {8};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        cufftHandle p;
        size_t work = 7;
        IS(SUCCESS, cufftCreate(&p));
        CHECK(cufftXtGetSizeMany(p, 1, n, NULL, 1, 8, types[i].in, NULL, 1, 8,
                                 types[i].out, 1, &work,
                                 types[i].with) == types[i].status);
        CHECK(work == (types[i].status == CUFFT_SUCCESS ? 0 : 7));
        CHECK(cufftXtMakePlanMany(p, 1, n, NULL, 1, 8, types[i].in, NULL, 1, 8,
                                  types[i].out, 1, &work,
                                  types[i].with) == types[i].status);
        IS(SUCCESS, cufftDestroy(p));
    }
}

/* A real signal there and back, with numbers of 16 bits. */
template <class T>
static void check_narrow(cudaDataType real, cudaDataType complex, float unit)
{
    enum { LENGTH = 16, BATCH = 2, HALF = LENGTH / 2 + 1 };
    array<T> x(BATCH * LENGTH), z(BATCH * HALF * 2);
    long long n[] = {LENGTH};
    size_t work;
    float sum = 0;
    cufftHandle there, back;
    for (int i = 0; i < BATCH * LENGTH; i++)
        x.h[i] = T((float)(i * i % 7));
    for (int i = 0; i < LENGTH; i++)
        sum += (float)x.h[i];
    x.put();
    IS(SUCCESS, cufftCreate(&there));
    IS(SUCCESS, cufftCreate(&back));
    IS(SUCCESS, cufftXtMakePlanMany(there, 1, n, NULL, 1, 0, real, NULL, 1, 0,
                                    complex, BATCH, &work, complex));
    IS(SUCCESS, cufftXtMakePlanMany(back, 1, n, NULL, 1, 0, complex, NULL, 1, 0,
                                    real, BATCH, &work, complex));
    IS(SUCCESS, cufftXtExec(there, x.d, z.d, CUFFT_FORWARD));
    CHECK(fabsf((float)z.get()[0] - sum) <= unit * sum);
    IS(SUCCESS, cufftXtExec(back, z.d, x.d, CUFFT_INVERSE));
    x.get();
    for (int i = 0; i < BATCH * LENGTH; i++)
        CHECK(fabsf((float)x.h[i] / LENGTH - (float)(i * i % 7)) <= unit * 28);
    IS(SUCCESS, cufftDestroy(there));
    IS(SUCCESS, cufftDestroy(back));
}

PROBE(transforms_of_16_bits)
{
    check_narrow<__half>(CUDA_R_16F, CUDA_C_16F, 1.0f / 1024);
    check_narrow<__nv_bfloat16>(CUDA_R_16BF, CUDA_C_16BF, 1.0f / 128);
}

/* One number, the second of four: its transform turns the way that is asked. */
PROBE(the_direction_of_16_bits)
{
    array<__half> x(8), z(8);
    long long n[] = {4};
    size_t work;
    cufftHandle p;
    x.h[2] = __half(1.0f);
    x.put();
    IS(SUCCESS, cufftCreate(&p));
    IS(SUCCESS, cufftXtMakePlanMany(p, 1, n, NULL, 1, 0, CUDA_C_16F, NULL, 1, 0,
                                    CUDA_C_16F, 1, &work, CUDA_C_16F));
    IS(SUCCESS, cufftXtExec(p, x.d, z.d, CUFFT_INVERSE));
    CHECK((float)z.get()[3] == 1);
    IS(SUCCESS, cufftXtExec(p, x.d, z.d, CUFFT_FORWARD));
    CHECK((float)z.get()[3] == -1);
    IS(SUCCESS, cufftDestroy(p));
}

static cufftResult size_many(cufftHandle p, int rank, long long *n, int batch,
                             size_t *work)
{
    return cufftXtGetSizeMany(p, rank, n, NULL, 1, 8, CUDA_C_32F, NULL, 1, 8,
                              CUDA_C_32F, batch, work, CUDA_C_32F);
}

PROBE(sizes_by_types)
{
    long long n[] = {8, 8, 8, 8};
    size_t work = 7;
    cufftHandle p;
    IS(SUCCESS, cufftCreate(&p));
    IS(INVALID_VALUE, size_many(p, 0, n, 1, &work));
    IS(INVALID_VALUE, size_many(p, 4, n, 1, &work));
    IS(INVALID_VALUE, size_many(p, 1, NULL, 1, &work));
    REFUSED(size_many(p, 1, n, 0, &work));
    IS(INVALID_VALUE, size_many(p, 1, n, 1, NULL));
    CHECK(work == 7);
    IS(SUCCESS, size_many(p, 3, n, 1, &work));
    IS(SUCCESS, cufftDestroy(p));
    IS(INVALID_PLAN, size_many(p, 1, n, 1, &work));
}

PROBE(what_does_not_run)
{
    array<cufftComplex> a(8);
    cufftHandle p;
    IS(SUCCESS, cufftCreate(&p));
    IS(INVALID_PLAN, cufftExecC2C(p, a.d, a.d, CUFFT_FORWARD)); // not made
    IS(INVALID_PLAN, cufftXtExec(p, a.d, a.d, CUFFT_FORWARD));
    IS(SUCCESS, cufftDestroy(p));
    IS(SUCCESS, cufftPlan1d(&p, 8, CUFFT_C2C, 1));
    if (getenv("SIMGPU_CHECK")) // GPUs do not look
        IS(INVALID_TYPE, cufftExecR2C(p, (cufftReal *)a.d, a.d));
    IS(INVALID_VALUE, cufftExecC2C(p, a.d, a.d, 0));
    IS(SUCCESS, cufftXtExec(p, a.d, a.d, CUFFT_INVERSE));
    IS(SUCCESS, cufftDestroy(p));
}

PROBE(a_plan_runs_on_its_device)
{
    array<cufftComplex> a(8);
    cufftHandle p;
    cudaStream_t other;
    int ngpus = 0;
    OK(cudaGetDeviceCount(&ngpus));
    if (ngpus < 2)
        return;
    IS(SUCCESS, cufftPlan1d(&p, 8, CUFFT_C2C, 1));
    OK(cudaSetDevice(1));
    IS(EXEC_FAILED, cufftExecC2C(p, a.d, a.d, CUFFT_FORWARD));
    OK(cudaStreamCreate(&other));
    OK(cudaSetDevice(0));
    IS(SUCCESS, cufftSetStream(p, other));
    IS(EXEC_FAILED, cufftExecC2C(p, a.d, a.d, CUFFT_FORWARD));
    IS(SUCCESS, cufftSetStream(p, 0));
    IS(SUCCESS, cufftExecC2C(p, a.d, a.d, CUFFT_FORWARD));
    OK(cudaStreamDestroy(other));
    IS(SUCCESS, cufftDestroy(p));
}
