/*
 * cases_direct.c: runs lab 7's cases of part 6. Given: nothing to edit here.
 *
 * A case has several rounds: round i uses rows i * ntokens, ... of the input
 * and of what the router decided, which is on the device from the start.
 */
#include "base/must.h"
#include "cases.h"
#include "tokens.h"

static struct direct direct; /* the current iteration's */

struct layer { /* the arguments of all rounds */
    struct problem p;
    int rounds, diagonal;
    const float *in, *gate;
    const int *expert;
    float *out;
};

static ncclResult_t layer_open(struct lab_run *r, struct layer *l)
{
    l->rounds = (int)plan_int(r->c, "rounds", 1);
    l->diagonal = (int)plan_int(r->c, "diagonal", 0);
    l->p = problem_of(r);
    const size_t n = (size_t)(l->rounds * l->p.ntokens);
    const size_t floats = (size_t)l->rounds * l->p.floats;
    const size_t choices = n * (size_t)l->p.m.k;
    l->in = lab_input(r, floats, DATA_FLOAT);
    l->expert = lab_draw_buffer(r, &(struct draw_ask){.what = TOKENS_CHOICES},
                                choices * sizeof(int));
    l->gate = lab_draw_buffer(r, &(struct draw_ask){.what = TOKENS_SHARES},
                              choices * sizeof(float));
    l->out = lab_buffer(r, floats * sizeof(float));
    return direct_open(&direct, &l->p.m, l->p.ntokens);
}

static void layer_close(struct lab_run *r, struct layer *l)
{
    lab_output(r, "out", l->out,
               (size_t)l->rounds * l->p.floats * sizeof(float));
    CUDA_MUST(cudaDeviceSynchronize());
    MPI_MUST(MPI_Barrier(r->mpi_comm));
    direct_close(&direct);
    problem_release(&l->p);
}

static ncclResult_t send(struct lab_run *r, const struct layer *l, int round)
{
    const size_t first = (size_t)(round * l->p.ntokens);
    LAB_TRY(direct_dispatch(&direct, l->in + first * (size_t)l->p.m.dim,
                            l->expert + first * (size_t)l->p.m.k, l->p.ntokens,
                            r->stream));
    return ncclSuccess;
}

static ncclResult_t work(struct lab_run *r, const struct layer *l)
{
    return direct_experts(&direct, l->p.m.weight, l->diagonal, r->stream);
}

static ncclResult_t bring(struct lab_run *r, const struct layer *l, int round)
{
    const size_t first = (size_t)(round * l->p.ntokens);
    LAB_TRY(direct_combine(&direct, l->gate + first * (size_t)l->p.m.k,
                           l->p.ntokens, l->out + first * (size_t)l->p.m.dim,
                           r->stream));
    return ncclSuccess;
}

ncclResult_t run_direct(struct lab_run *r)
{
    struct layer l;
    LAB_TRY(layer_open(r, &l));
    lab_begin(r);
    for (int i = 0; i < l.rounds; i++) {
        LAB_TRY(send(r, &l, i));
        LAB_TRY(work(r, &l));
        LAB_TRY(bring(r, &l, i));
    }
    lab_end(r);
    layer_close(r, &l);
    return ncclSuccess;
}

/* Only one way counts. */
static ncclResult_t run_one_way(struct lab_run *r, int back)
{
    struct layer l;
    LAB_TRY(layer_open(r, &l));
    if (!back)
        lab_begin(r);
    LAB_TRY(send(r, &l, 0));
    if (!back)
        lab_end(r);
    LAB_TRY(work(r, &l));
    CUDA_MUST(cudaStreamSynchronize(r->stream));
    if (back)
        lab_begin(r);
    LAB_TRY(bring(r, &l, 0));
    if (back)
        lab_end(r);
    CUDA_MUST(cudaStreamSynchronize(r->stream));
    layer_close(r, &l);
    return ncclSuccess;
}

ncclResult_t run_direct_dispatch(struct lab_run *r)
{
    return run_one_way(r, 0);
}

ncclResult_t run_direct_combine(struct lab_run *r)
{
    return run_one_way(r, 1);
}
