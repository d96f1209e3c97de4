/*
 * support.c: the given functions: failures, steps, loads and transit. Given:
 * nothing to edit here.
 */
#include "support.h"

#include <string.h> /* explicit_bzero, memset */

#include "base/must.h"
#include "lab/lab.h" /* lab_draw */
#include "lab/try.h" /* LAB_TRY, LAB_TRY_CUDA */

/* ---- failures ------------------------------------------------------------ */

ncclResult_t cluster_strike(struct team *t, struct cluster_fault *f)
{
    struct cluster *const c = t->cluster;
    f->struck = 1;
    MPI_MUST(MPI_Barrier(f->alive));
    c->is_dead = f->victim == c->rank;
    if (c->is_dead && !f->is_silent) {
        ncclCommAbort(t->comm);
        t->comm = NULL;
    }
    MPI_MUST(MPI_Barrier(f->alive)); // so no other rank is first to call
    return c->is_dead ? ncclSystemError : ncclSuccess;
}

int team_missing(const struct team *t, int missing[TEAM_MISSING])
{
    const struct cluster *const c = t->cluster;
    const int ngone = c->nranks - t->nranks; // left out before
    int n = 0;
    for (int i = ngone; i < CLUSTER_FAULTS; i++) {
        const struct cluster_fault *const f = &c->fault[i];
        int number = f->victim;
        for (int k = 0; k < ngone; k++)
            number -= c->fault[k].victim < f->victim;
        if (f->struck)
            missing[n++] = number;
    }
    return n;
}

/* ---- training ------------------------------------------------------------ */

static ncclResult_t zeros(float **out, size_t count, cudaStream_t stream)
{
    LAB_TRY_CUDA(cudaMalloc((void **)out, count * sizeof **out));
    LAB_TRY_CUDA(cudaMemsetAsync(*out, 0, count * sizeof **out, stream));
    return ncclSuccess;
}

ncclResult_t state_init(struct state *s, size_t count, cudaStream_t stream)
{
    s->count = count;
    LAB_TRY(zeros(&s->param, count, stream));
    LAB_TRY(zeros(&s->moment, count, stream));
    LAB_TRY(zeros(&s->old_param, count, stream));
    LAB_TRY(zeros(&s->old_moment, count, stream));
    LAB_TRY(zeros(&s->grad, count, stream));
    LAB_TRY_CUDA(cudaMalloc((void **)&s->room, sizeof *s->room));
    return ncclSuccess;
}

void state_release(struct state *s)
{
    cudaFree(s->param);
    cudaFree(s->moment);
    cudaFree(s->old_param);
    cudaFree(s->old_moment);
    cudaFree(s->grad);
    cudaFree(s->room);
    memset(s, 0, sizeof *s);
}

ncclResult_t state_gradient(struct state *s, struct team *t)
{
    for (int i = 0; t->cluster && i < CLUSTER_FAULTS; i++) {
        struct cluster_fault *const f = &t->cluster->fault[i];
        if (f->victim >= 0 && f->step == s->step && !f->struck)
            LAB_TRY(cluster_strike(t, f));
    }
    LAB_TRY_CUDA(kernel_gradient(s->grad, s->param, s->pull, s->count, s->step,
                                 t->stream));
    return ncclSuccess;
}

ncclResult_t state_update(struct state *s, struct team *t)
{
    const size_t nbytes = s->count * sizeof *s->param;
    LAB_TRY_CUDA(cudaMemcpyAsync(s->old_param, s->param, nbytes,
                                 cudaMemcpyDeviceToDevice, t->stream));
    LAB_TRY_CUDA(cudaMemcpyAsync(s->old_moment, s->moment, nbytes,
                                 cudaMemcpyDeviceToDevice, t->stream));
    LAB_TRY_CUDA(kernel_update(s->param, s->moment, s->grad, s->count,
                               t->nranks, t->stream));
    s->step++;
    return ncclSuccess;
}

ncclResult_t checkpoint_init(struct checkpoint *c, size_t count)
{
    const size_t nbytes = 2 * count * sizeof(float);
    *c = (struct checkpoint){.step = {-1, -1}};
    LAB_TRY_CUDA(cudaMalloc((void **)&c->staging, nbytes));
    for (int i = 0; i < 2; i++)
        LAB_TRY_CUDA(cudaMallocHost((void **)&c->file[i], nbytes));
    LAB_TRY_CUDA(cudaStreamCreateWithFlags(&c->out, cudaStreamNonBlocking));
    LAB_TRY_CUDA(cudaEventCreateWithFlags(&c->snapped, cudaEventDisableTiming));
    LAB_TRY_CUDA(cudaEventCreateWithFlags(&c->written, cudaEventDisableTiming));
    return ncclSuccess;
}

void checkpoint_release(struct checkpoint *c)
{
    cudaFree(c->staging);
    cudaFreeHost(c->file[0]);
    cudaFreeHost(c->file[1]);
    if (c->out)
        cudaStreamDestroy(c->out);
    if (c->snapped)
        cudaEventDestroy(c->snapped);
    if (c->written)
        cudaEventDestroy(c->written);
    memset(c, 0, sizeof *c);
}

/* ---- loads --------------------------------------------------------------- */

ncclResult_t work_do(struct work *w, struct team *t, int step)
{
    const struct load *const l = w->load;
    const struct draw_ask d = {
        .what = DRAWN_TIMES, .of_root = 1, .arg = {l->run->rank, l->trial}};
    int parts[DRAWN_STEPS];
    lab_draw(l->run, &d, parts, sizeof parts);
    const size_t nbytes = (size_t)parts[step] * l->nbytes;
    explicit_bzero(parts, sizeof parts);
    for (int i = 0; i < LOAD_COPIES; i++)
        LAB_TRY_CUDA(cudaMemcpyAsync(l->to, l->from, nbytes,
                                     cudaMemcpyDeviceToDevice, t->stream));
    return ncclSuccess;
}

float middle_of(float *value, int n)
{
    for (int i = 1; i < n; i++)
        for (int j = i; j > 0 && value[j - 1] > value[j]; j--) {
            const float v = value[j];
            value[j] = value[j - 1];
            value[j - 1] = v;
        }
    return value[(n - 1) / 2];
}

/* ---- seals --------------------------------------------------------------- */

ncclResult_t seal_blocks(struct seal *s, const float *x, double *out,
                         cudaStream_t stream)
{
    LAB_TRY_CUDA(kernel_sums(out, x, s->count, stream));
    return ncclSuccess;
}

ncclResult_t seal_compare(struct seal *s, const float *x, const double *total,
                          int *bad, cudaStream_t stream)
{
    LAB_TRY_CUDA(kernel_compare(bad, x, total, s->count, stream));
    return ncclSuccess;
}

ncclResult_t seal_transit(struct seal *s, float *sum, cudaStream_t stream)
{
    struct transit *const k = s->transit;
    for (int i = 0; i < DRAWN_FLIPS_MOST; i++) {
        const struct drawn_flip *const f = &k->flip[i];
        const int strikes = k->stays ? f->round == 0 && k->round < k->stays
                                     : f->round == k->round;
        if (f->rank == k->rank && strikes)
            LAB_TRY_CUDA(kernel_flip(sum, f->at, f->bit, stream));
    }
    k->round++;
    return ncclSuccess;
}
