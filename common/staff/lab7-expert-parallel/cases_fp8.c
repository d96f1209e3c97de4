/*
 * cases_fp8.c: runs lab 7's cases of part 8. Given: nothing to edit here.
 *
 * Rounds are those of part 6 (cases_direct.c). Rows where tokens will arrive
 * are poisoned at first: a row keeps the poison until a token arrives in it.
 */
#include "base/must.h"
#include "cases.h"
#include "tokens.h"

static struct fp8 fp8; /* the current iteration's */

/* n elements of this rank's tokens. */
static const float *draw_tokens(struct lab_run *r, size_t n)
{
    return lab_draw_buffer(r, &(struct draw_ask){.what = TOKENS_GROUPS},
                           n * sizeof(float));
}

ncclResult_t run_quantise(struct lab_run *r)
{
    const int ntokens = (int)plan_int(r->c, "tokens", 64);
    const int dim = (int)plan_int(r->c, "dim", TOKENS_GROUP);
    const size_t nbytes = (size_t)ntokens * tokens_packet((size_t)dim);
    const float *const in = draw_tokens(r, (size_t)(ntokens * dim));
    unsigned char *const packets = lab_buffer(r, nbytes);
    lab_begin(r);
    LAB_TRY(fp8_quantise(in, ntokens, dim, packets, r->stream));
    lab_end(r);
    lab_output(r, "packets", packets, nbytes);
    return ncclSuccess;
}

struct layer { /* the arguments of all rounds */
    struct problem p;
    int rounds;
    const float *in, *gate;
    const int *expert;
    float *out;
};

/* The bytes of fp8.back.arrived. */
static size_t arrived_bytes(const struct layer *l)
{
    return (size_t)(l->p.m.each * l->p.m.nranks) * l->p.floats * sizeof(float);
}

static ncclResult_t layer_open(struct lab_run *r, struct layer *l)
{
    l->rounds = (int)plan_int(r->c, "rounds", 1);
    l->p = problem_of(r);
    const size_t floats = (size_t)l->rounds * l->p.floats;
    const size_t choices =
        (size_t)(l->rounds * l->p.ntokens) * (size_t)l->p.m.k;
    l->in = draw_tokens(r, floats);
    l->expert = lab_draw_buffer(r, &(struct draw_ask){.what = TOKENS_CHOICES},
                                choices * sizeof(int));
    l->gate = lab_draw_buffer(r, &(struct draw_ask){.what = TOKENS_SHARES},
                              choices * sizeof(float));
    l->out = lab_buffer(r, floats * sizeof(float));
    LAB_TRY(fp8_open(&fp8, &l->p.m, l->p.ntokens));
    LAB_TRY_CUDA(cudaMemset(fp8.back.arrived, TOKENS_POISON, arrived_bytes(l)));
    LAB_TRY_CUDA(cudaDeviceSynchronize());
    return ncclSuccess;
}

static void layer_close(struct lab_run *r, struct layer *l)
{
    lab_output(r, "out", l->out,
               (size_t)l->rounds * l->p.floats * sizeof(float));
    CUDA_MUST(cudaDeviceSynchronize());
    MPI_MUST(MPI_Barrier(r->mpi_comm));
    fp8_close(&fp8);
    problem_release(&l->p);
}

/* Tokens as floats to tokens as floats on their experts' ranks. */
static ncclResult_t send(struct lab_run *r, const struct layer *l, int round)
{
    const size_t first = (size_t)(round * l->p.ntokens);
    LAB_TRY(fp8_quantise(l->in + first * (size_t)l->p.m.dim, l->p.ntokens,
                         l->p.m.dim, fp8.packets, r->stream));
    LAB_TRY(direct_dispatch(&fp8.there, (const float *)fp8.packets,
                            l->expert + first * (size_t)l->p.m.k, l->p.ntokens,
                            r->stream));
    return fp8_dequantise(&fp8, r->stream);
}

/* Have fp8.back return what fp8.there has sent. */
static ncclResult_t turn(struct lab_run *r)
{
    const struct direct *const from = &fp8.there;
    struct direct *const to = &fp8.back;
    LAB_TRY_CUDA(
        cudaMemcpyAsync(to->count, from->count,
                        (size_t)(from->each * from->nranks) * sizeof *to->count,
                        cudaMemcpyDeviceToDevice, r->stream));
    LAB_TRY_CUDA(
        cudaMemcpyAsync(to->place, from->place,
                        (size_t)(from->most * from->k) * sizeof *to->place,
                        cudaMemcpyDeviceToDevice, r->stream));
    to->round = from->round;
    return ncclSuccess;
}

/* The experts, whose weights are diagonal, and the way back. */
static ncclResult_t bring(struct lab_run *r, const struct layer *l, int round)
{
    const size_t first = (size_t)(round * l->p.ntokens);
    LAB_TRY(turn(r));
    LAB_TRY(direct_experts(&fp8.back, l->p.m.weight, 1, r->stream));
    return direct_combine(&fp8.back, l->gate + first * (size_t)l->p.m.k,
                          l->p.ntokens, l->out + first * (size_t)l->p.m.dim,
                          r->stream);
}

/* Record the rows where tokens arrive, and the poison in others. */
static void show_tokens(struct lab_run *r, const struct layer *l)
{
    const size_t nbytes = arrived_bytes(l);
    float *const tokens = lab_buffer(r, nbytes);
    CUDA_MUST(cudaMemcpyAsync(tokens, fp8.back.arrived, nbytes,
                              cudaMemcpyDeviceToDevice, r->stream));
    lab_output(r, "tokens", tokens, nbytes);
}

ncclResult_t run_fp8(struct lab_run *r)
{
    struct layer l;
    LAB_TRY(layer_open(r, &l));
    lab_begin(r);
    for (int i = 0; i < l.rounds; i++) {
        LAB_TRY(send(r, &l, i));
        LAB_TRY(bring(r, &l, i));
    }
    lab_end(r);
    show_tokens(r, &l);
    layer_close(r, &l);
    return ncclSuccess;
}

/* Only the way there counts. */
ncclResult_t run_fp8_dispatch(struct lab_run *r)
{
    struct layer l;
    LAB_TRY(layer_open(r, &l));
    lab_begin(r);
    LAB_TRY(send(r, &l, 0));
    lab_end(r);
    LAB_TRY(bring(r, &l, 0));
    CUDA_MUST(cudaStreamSynchronize(r->stream));
    layer_close(r, &l);
    return ncclSuccess;
}
