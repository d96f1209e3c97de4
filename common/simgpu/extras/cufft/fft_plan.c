#include "extras/cufft/fft_plan.h"

#include <pthread.h> /* pthread_mutex_t */
#include <stdlib.h>  /* realloc */

#include "core/device.h"
#include "core/host.h"
#include "core/site.h"
#include "core/watch/ignored.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct fft_plan **plans; /* by handle; NULL: destroyed */
static int nplans;

/* ---- kinds and layouts --------------------------------------------------- */

static int is_double(cufftType type)
{
    return type == CUFFT_Z2Z || type == CUFFT_D2Z || type == CUFFT_Z2D;
}

int fft_plan_reads_real(cufftType type)
{
    return type == CUFFT_R2C || type == CUFFT_D2Z;
}

int fft_plan_writes_real(cufftType type)
{
    return type == CUFFT_C2R || type == CUFFT_Z2D;
}

static int is_type(cufftType type)
{
    return type == CUFFT_C2C || type == CUFFT_Z2Z ||
           fft_plan_reads_real(type) || fft_plan_writes_real(type);
}

struct layout fft_plan_packed(const struct fft_plan *p, int is_real, int half,
                              int in_place)
{
    const size_t spectrum = p->n[2] / 2 + 1;
    const size_t row = !is_real   ? half ? spectrum : p->n[2]
                         : in_place ? 2 * spectrum
                                  : p->n[2];
    return (struct layout){.embed = {p->n[0], p->n[1], row},
                           .stride = 1,
                           .dist = p->n[0] * p->n[1] * row};
}

/* ---- handles ------------------------------------------------------------- */

static struct fft_plan *at(cufftHandle handle)
{
    return handle >= 0 && handle < nplans ? plans[handle] : NULL;
}

int fft_plan_find(cufftHandle handle, struct fft_plan *out)
{
    pthread_mutex_lock(&lock);
    const struct fft_plan *const p = at(handle);
    if (p)
        *out = *p;
    pthread_mutex_unlock(&lock);
    return p != NULL;
}

static cufftResult create(cufftHandle *handle)
{
    cufftResult status = CUFFT_ALLOC_FAILED;
    if (!handle)
        return CUFFT_INVALID_VALUE;
    struct fft_plan *const p = calloc(1, sizeof *p);
    pthread_mutex_lock(&lock);
    struct fft_plan **const more =
        realloc(plans, (size_t)(nplans + 1) * sizeof *plans);
    if (more)
        plans = more;
    if (p && more) {
        p->device = simgpu_device_current();
        plans[nplans] = p;
        *handle = nplans++;
        status = CUFFT_SUCCESS;
    } else {
        free(p);
    }
    pthread_mutex_unlock(&lock);
    return status;
}

cufftResult cufftCreate(cufftHandle *handle)
{
    simgpu_host_call("cufftCreate", CALLER_SITE());
    return create(handle);
}

cufftResult cufftDestroy(cufftHandle plan)
{
    simgpu_host_call("cufftDestroy", CALLER_SITE());
    pthread_mutex_lock(&lock);
    struct fft_plan *const p = at(plan);
    if (p)
        plans[plan] = NULL;
    pthread_mutex_unlock(&lock);
    free(p);
    return fft_return(p || plan == CUFFT_PLAN_NULL ? CUFFT_SUCCESS
                                                   : CUFFT_INVALID_PLAN);
}

/* ---- results ------------------------------------------------------------- */

static const char *name_of(cufftResult status)
{
    switch (status) {
    case CUFFT_INVALID_PLAN: return "CUFFT_INVALID_PLAN";
    case CUFFT_INVALID_TYPE: return "CUFFT_INVALID_TYPE";
    case CUFFT_INVALID_VALUE: return "CUFFT_INVALID_VALUE";
    case CUFFT_INVALID_SIZE: return "CUFFT_INVALID_SIZE";
    case CUFFT_EXEC_FAILED: return "CUFFT_EXEC_FAILED";
    case CUFFT_NOT_SUPPORTED: return "CUFFT_NOT_SUPPORTED";
    default: return "a failure of cuFFT";
    }
}

cufftResult fft_return_from(cufftResult status, const char *call,
                            const void *return_address)
{
    if (status != CUFFT_SUCCESS)
        simgpu_ignored_note_library(IGNORED_CUFFT, call, name_of(status),
                                    return_address);
    return status;
}

/* ---- sizes --------------------------------------------------------------- */

static cufftResult check(const struct fft_shape *s)
{
    if (!is_type(s->type))
        return CUFFT_INVALID_TYPE;
    if (s->rank < 1 || s->rank > PLAN_DIMS || !s->n)
        return CUFFT_INVALID_VALUE;
    if (s->batch < 1)
        return CUFFT_INVALID_SIZE;
    for (int i = 0; i < s->rank; i++)
        if (s->n[i] < 1)
            return CUFFT_INVALID_SIZE;
    if (!s->inembed || !s->onembed)
        return CUFFT_SUCCESS;
    for (int i = 1; i < s->rank; i++) // the outermost size is not used
        if (s->inembed[i] < 1 || s->onembed[i] < 1)
            return CUFFT_INVALID_VALUE;
    return s->istride < 1 || s->ostride < 1 || s->idist < 0 || s->odist < 0
               ? CUFFT_INVALID_VALUE
               : CUFFT_SUCCESS;
}

static struct layout layout_of(int rank, const long long *embed,
                               long long stride, long long dist)
{
    struct layout l = {{1, 1, 1}, (size_t)stride, (size_t)dist};
    for (int i = 0; i < rank; i++)
        l.embed[PLAN_DIMS - rank + i] = (size_t)embed[i];
    return l;
}

cufftResult fft_plan_make(cufftHandle handle, const struct fft_shape *s,
                          size_t *workspace)
{
    cufftResult status = check(s);
    pthread_mutex_lock(&lock);
    struct fft_plan *const p = at(handle);
    if (!p || p->is_made)
        status = CUFFT_INVALID_PLAN;
    if (status == CUFFT_SUCCESS) {
        p->is_made = 1;
        p->type = s->type;
        p->precision = is_double(s->type) ? FFT_DOUBLE : s->precision;
        p->is_basic = !s->inembed || !s->onembed;
        p->batch = (size_t)s->batch;
        for (int i = 0; i < PLAN_DIMS; i++)
            p->n[i] = 1;
        for (int i = 0; i < s->rank; i++)
            p->n[PLAN_DIMS - s->rank + i] = (size_t)s->n[i];
        if (!p->is_basic) {
            p->in = layout_of(s->rank, s->inembed, s->istride, s->idist);
            p->out = layout_of(s->rank, s->onembed, s->ostride, s->odist);
        }
        if (workspace)
            *workspace = 0;
    }
    pthread_mutex_unlock(&lock);
    return status;
}

/* Destroy a plan that could not be made. */
static cufftResult settle(cufftHandle *handle, cufftResult status)
{
    if (status != CUFFT_SUCCESS) {
        cufftDestroy(*handle);
        *handle = CUFFT_PLAN_NULL;
    }
    return status;
}

static cufftResult create_and_make(cufftHandle *handle,
                                   const struct fft_shape *s)
{
    const cufftResult status = create(handle);
    return status ? status : settle(handle, fft_plan_make(*handle, s, NULL));
}

/* The shape of packed data with these sizes. */
#define SHAPE(RANK, TYPE, BATCH, ...)                                          \
    &(struct fft_shape)                                                        \
    {                                                                          \
        .rank = RANK, .n = (long long[]){__VA_ARGS__}, .type = TYPE,           \
        .batch = BATCH                                                         \
    }

cufftResult cufftPlan1d(cufftHandle *plan, int nx, cufftType type, int batch)
{
    simgpu_host_call("cufftPlan1d", CALLER_SITE());
    return fft_return(create_and_make(plan, SHAPE(1, type, batch, nx)));
}

cufftResult cufftPlan2d(cufftHandle *plan, int nx, int ny, cufftType type)
{
    simgpu_host_call("cufftPlan2d", CALLER_SITE());
    return fft_return(create_and_make(plan, SHAPE(2, type, 1, nx, ny)));
}

cufftResult cufftPlan3d(cufftHandle *plan, int nx, int ny, int nz,
                        cufftType type)
{
    simgpu_host_call("cufftPlan3d", CALLER_SITE());
    return fft_return(create_and_make(plan, SHAPE(3, type, 1, nx, ny, nz)));
}

cufftResult cufftMakePlan1d(cufftHandle plan, int nx, cufftType type, int batch,
                            size_t *workSize)
{
    return fft_return(fft_plan_make(plan, SHAPE(1, type, batch, nx), workSize));
}

cufftResult cufftMakePlan2d(cufftHandle plan, int nx, int ny, cufftType type,
                            size_t *workSize)
{
    return fft_return(fft_plan_make(plan, SHAPE(2, type, 1, nx, ny), workSize));
}

cufftResult cufftMakePlan3d(cufftHandle plan, int nx, int ny, int nz,
                            cufftType type, size_t *workSize)
{
    return fft_return(
        fft_plan_make(plan, SHAPE(3, type, 1, nx, ny, nz), workSize));
}

cufftResult cufftMakePlanMany64(cufftHandle plan, int rank, long long int *n,
                                long long int *inembed, long long int istride,
                                long long int idist, long long int *onembed,
                                long long int ostride, long long int odist,
                                cufftType type, long long int batch,
                                size_t *workSize)
{
    return fft_return(fft_plan_make(
        plan,
        &(struct fft_shape){rank, n, inembed, istride, idist, onembed, ostride,
                            odist, type, batch, FFT_SINGLE},
        workSize));
}

/* Copy rank ints to long longs; NULL stays NULL. */
static const long long *widen(int rank, const int *from,
                              long long to[PLAN_DIMS])
{
    for (int i = 0; from && i < rank && i < PLAN_DIMS; i++)
        to[i] = from[i];
    return from ? to : NULL;
}

cufftResult cufftMakePlanMany(cufftHandle plan, int rank, int *n, int *inembed,
                              int istride, int idist, int *onembed, int ostride,
                              int odist, cufftType type, int batch,
                              size_t *workSize)
{
    long long sizes[PLAN_DIMS], in[PLAN_DIMS], out[PLAN_DIMS];
    const struct fft_shape s = {rank,
                                widen(rank, n, sizes),
                                widen(rank, inembed, in),
                                istride,
                                idist,
                                widen(rank, onembed, out),
                                ostride,
                                odist,
                                type,
                                batch,
                                FFT_SINGLE};
    return fft_return(fft_plan_make(plan, &s, workSize));
}

cufftResult cufftPlanMany(cufftHandle *plan, int rank, int *n, int *inembed,
                          int istride, int idist, int *onembed, int ostride,
                          int odist, cufftType type, int batch)
{
    simgpu_host_call("cufftPlanMany", CALLER_SITE());
    const cufftResult status = create(plan);
    return fft_return(
        status ? status
               : settle(plan, cufftMakePlanMany(
                                  *plan, rank, n, inembed, istride, idist,
                                  onembed, ostride, odist, type, batch, NULL)));
}

/* ---- settings and queries ------------------------------------------------ */

cufftResult cufftSetStream(cufftHandle plan, cudaStream_t stream)
{
    pthread_mutex_lock(&lock);
    struct fft_plan *const p = at(plan);
    if (p)
        p->stream = stream;
    pthread_mutex_unlock(&lock);
    return fft_return(p ? CUFFT_SUCCESS : CUFFT_INVALID_PLAN);
}

static cufftResult no_workspace(const struct fft_shape *s, size_t *workspace)
{
    const cufftResult status = check(s);
    if (status == CUFFT_SUCCESS && workspace)
        *workspace = 0;
    return workspace ? status : CUFFT_INVALID_VALUE;
}

cufftResult cufftEstimate1d(int nx, cufftType type, int batch, size_t *workSize)
{
    return no_workspace(SHAPE(1, type, batch, nx), workSize);
}

cufftResult cufftEstimate2d(int nx, int ny, cufftType type, size_t *workSize)
{
    return no_workspace(SHAPE(2, type, 1, nx, ny), workSize);
}

cufftResult cufftEstimate3d(int nx, int ny, int nz, cufftType type,
                            size_t *workSize)
{
    return no_workspace(SHAPE(3, type, 1, nx, ny, nz), workSize);
}

/* CUFFT_SUCCESS if the plan exists. */
static cufftResult exists(cufftHandle handle)
{
    struct fft_plan p;
    return fft_plan_find(handle, &p) ? CUFFT_SUCCESS : CUFFT_INVALID_PLAN;
}

cufftResult cufftGetSize(cufftHandle handle, size_t *workSize)
{
    struct fft_plan p;
    if (!workSize)
        return CUFFT_INVALID_VALUE;
    if (!fft_plan_find(handle, &p) || !p.is_made)
        return CUFFT_INVALID_PLAN;
    *workSize = 0;
    return CUFFT_SUCCESS;
}

cufftResult cufftSetWorkArea(cufftHandle plan, void *workArea)
{
    (void)workArea;
    return exists(plan);
}

cufftResult cufftSetAutoAllocation(cufftHandle plan, int autoAllocate)
{
    (void)autoAllocate;
    return exists(plan);
}

cufftResult cufftGetVersion(int *version)
{
    if (version)
        *version = CUFFT_VERSION;
    return CUFFT_SUCCESS;
}

cufftResult cufftGetProperty(libraryPropertyType type, int *value)
{
    static const int version[] = {[MAJOR_VERSION] = CUFFT_VER_MAJOR,
                                  [MINOR_VERSION] = CUFFT_VER_MINOR,
                                  [PATCH_LEVEL] = CUFFT_VER_PATCH};
    if (!value)
        return CUFFT_INVALID_VALUE;
    if ((unsigned)type > PATCH_LEVEL)
        return CUFFT_INVALID_TYPE;
    *value = version[type];
    return CUFFT_SUCCESS;
}
