/*
 * cases_topk.c: runs lab 7's cases of part 5. Given: nothing to edit here.
 *
 * The staff code has a choose() of its own, so that what follows part 5's first
 * function can be written before it.
 */
#include <stdlib.h> /* malloc */

#include "base/must.h"
#include "cases.h"
#include "tokens.h"

static float *draw_probs(struct lab_run *r, const struct problem *p)
{
    const size_t nbytes =
        (size_t)p->ntokens * (size_t)(r->nranks * p->m.each) * sizeof(float);
    float *const prob = malloc(nbytes);
    lab_draw(r, &(struct draw_ask){.what = TOKENS_PROBS}, prob, nbytes);
    return prob;
}

/* The right choices: what tokens.h says. */
static int *own_choices(const struct problem *p, const float *prob)
{
    const int n = p->m.nranks * p->m.each, k = p->m.k;
    int *const expert = malloc((size_t)(p->ntokens * k) * sizeof *expert);
    for (int t = 0; t < p->ntokens; t++)
        tokens_best(prob + (size_t)t * (size_t)n, n, k, expert + t * k);
    return expert;
}

ncclResult_t run_choose(struct lab_run *r)
{
    struct problem p = problem_of(r);
    float *const prob = draw_probs(r, &p);
    const size_t n = (size_t)(p.ntokens * p.m.k);
    int *const expert = calloc(n, sizeof *expert);
    float *const gate = calloc(n, sizeof *gate);
    moe_choose(&p.m, prob, p.ntokens, expert, gate);
    cases_show(r, "expert", expert, n * sizeof *expert);
    cases_show(r, "gate", gate, n * sizeof *gate);
    free(gate);
    free(expert);
    free(prob);
    problem_release(&p);
    return ncclSuccess;
}

ncclResult_t run_keep(struct lab_run *r)
{
    struct problem p = problem_of(r);
    struct moe_kept kept = {.nsend = 0};
    const size_t n = (size_t)(p.ntokens * p.m.k);
    const size_t nexperts = (size_t)(r->nranks * p.m.each);
    float *const prob = draw_probs(r, &p);
    int *const expert = own_choices(&p, prob);
    int *const token = calloc(n, sizeof *token);
    int *const place = calloc(n, sizeof *place);
    lab_begin(r);
    LAB_TRY(moe_keep(&p.m, expert, p.ntokens, token, place, &kept));
    lab_end(r);
    cases_show(r, "token", token, n * sizeof *token);
    cases_show(r, "place", place, n * sizeof *place);
    cases_show(r, "send_count", kept.send_count, nexperts * sizeof(int));
    cases_show(r, "send_begin", kept.send_begin, nexperts * sizeof(int));
    cases_show(r, "recv_count", kept.recv_count, nexperts * sizeof(int));
    cases_show(r, "recv_begin", kept.recv_begin, nexperts * sizeof(int));
    lab_metric(r, "nsend", kept.nsend);
    lab_metric(r, "nrecv", kept.nrecv);
    free(place);
    free(token);
    free(expert);
    free(prob);
    problem_release(&p);
    return ncclSuccess;
}

ncclResult_t run_balance(struct lab_run *r)
{
    struct problem p = problem_of(r);
    float *const prob = draw_probs(r, &p), loss = 0;
    int *const expert = own_choices(&p, prob);
    lab_begin(r);
    LAB_TRY(moe_balance(&p.m, prob, expert, p.ntokens, &loss));
    lab_end(r);
    cases_show(r, "loss", &loss, sizeof loss);
    free(expert);
    free(prob);
    problem_release(&p);
    return ncclSuccess;
}

/* Lists of a layer, on the host or on the device. */
static struct moe_lists lists_of(struct lab_run *r, size_t n, int on_host)
{
    struct moe_lists l = {NULL};
    void **const list[] = {(void **)&l.expert, (void **)&l.token,
                           (void **)&l.place, (void **)&l.gate};
    for (size_t i = on_host ? 0 : 1; i < sizeof list / sizeof *list; i++)
        *list[i] = on_host ? cases_pinned(n * sizeof(int))
                           : lab_buffer(r, n * sizeof(int));
    return l;
}

static void release_host(const struct moe_lists *l)
{
    CUDA_MUST(cudaFreeHost(l->expert));
    CUDA_MUST(cudaFreeHost(l->token));
    CUDA_MUST(cudaFreeHost(l->place));
    CUDA_MUST(cudaFreeHost(l->gate));
}

ncclResult_t run_topk(struct lab_run *r)
{
    struct problem p = problem_of(r);
    const size_t n = (size_t)(p.ntokens * p.m.k), token = (size_t)p.m.dim;
    const size_t accepted = (size_t)(p.m.each * p.m.capacity);
    float *const prob = draw_probs(r, &p);
    const struct moe_topk_space space = {
        .host = lists_of(r, n, 1),
        .device = lists_of(r, n, 0),
        .packed = lab_buffer(r, n * token * sizeof(float)),
        .arrived = lab_buffer(r, accepted * token * sizeof(float)),
        .processed = lab_buffer(r, accepted * token * sizeof(float)),
    };
    const float *const in = lab_input(r, p.floats, DATA_FLOAT);
    float *const out = lab_buffer(r, p.floats * sizeof *out);
    lab_begin(r);
    LAB_TRY(moe_layer_topk(&p.m, in, prob, p.ntokens, out, &space));
    lab_end(r);
    lab_output(r, "out", out, p.floats * sizeof *out);
    release_host(&space.host);
    free(prob);
    problem_release(&p);
    return ncclSuccess;
}
