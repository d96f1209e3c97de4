/*
 * cases_backward.c: runs lab 7's cases of part 7. Given: nothing to edit here.
 *
 * The forward pass comes before what is judged. It needs moe_keep() and
 * moe_travel() of part 5.
 */
#include <stdlib.h> /* malloc */

#include "base/must.h"
#include "cases.h"
#include "tokens.h"

/* Find out which choices are kept; their tokens, on the device. */
static ncclResult_t keep(struct lab_run *r, const struct problem *p,
                         struct moe_saved *s, const int **token)
{
    const size_t nbytes = (size_t)(p->ntokens * p->m.k) * sizeof(int);
    int *const host = calloc(3, nbytes);
    int *const expert = host, *const tokens = host + nbytes / sizeof *host;
    int *const place = tokens + nbytes / sizeof *host;
    lab_draw(r, &(struct draw_ask){.what = TOKENS_CHOICES}, expert, nbytes);
    const ncclResult_t err =
        moe_keep(&p->m, expert, p->ntokens, tokens, place, &s->kept);
    *token = lab_upload(r, tokens, nbytes);
    s->place = lab_upload(r, place, nbytes);
    free(host);
    return err;
}

/* The forward pass: tokens travel to their experts, results back. */
static ncclResult_t forward(struct lab_run *r, const struct problem *p,
                            struct moe_saved *s)
{
    const struct moe *const m = &p->m;
    const size_t dim = (size_t)m->dim, row = dim * sizeof(float);
    const float *const in = lab_input(r, p->floats, DATA_FLOAT);
    float *const packed = lab_buffer(r, (size_t)(p->ntokens * m->k) * row);
    float *const arrived = lab_buffer(r, (size_t)(m->each * m->capacity) * row);
    float *const results = lab_buffer(r, (size_t)(m->each * m->capacity) * row);
    const int *token;
    LAB_TRY(keep(r, p, s, &token));
    LAB_TRY(moe_gather(in, token, s->kept.nsend, m->dim, packed, r->stream));
    LAB_TRY(moe_travel(m, &s->kept, packed, arrived, 0, r->stream));
    for (int i = 0; i < m->each * m->nranks; i++) {
        const size_t at = (size_t)s->kept.recv_begin[i] * dim;
        LAB_TRY(moe_expert_at(m, i / m->nranks, arrived + at,
                              s->kept.recv_count[i], results + at));
    }
    LAB_TRY(moe_travel(m, &s->kept, packed, results, 1, r->stream));
    s->arrived = arrived;
    s->returned = packed;
    return ncclSuccess;
}

ncclResult_t run_backward(struct lab_run *r)
{
    struct problem p = problem_of(r);
    const size_t n = (size_t)(p.ntokens * p.m.k), dim = (size_t)p.m.dim;
    const size_t accepted = (size_t)(p.m.each * p.m.capacity);
    const size_t nweights = (size_t)p.m.each * dim * dim;
    const struct draw_ask gradient = {.what = DRAW_DATA,
                                      .npath = 1,
                                      .path = {TOKENS_GRADIENTS},
                                      .arg = {DATA_FLOAT}};
    struct moe_saved s = {
        .gate = lab_draw_buffer(r, &(struct draw_ask){.what = TOKENS_SHARES},
                                n * sizeof(float))};
    LAB_TRY(forward(r, &p, &s));
    const float *const dout =
        lab_draw_buffer(r, &gradient, p.floats * sizeof *dout);
    const struct moe_back_space space = {
        .packed = lab_buffer(r, n * dim * sizeof(float)),
        .arrived = lab_buffer(r, accepted * dim * sizeof(float)),
        .processed = lab_buffer(r, accepted * dim * sizeof(float))};
    const struct moe_gradients d = {
        .in = lab_buffer(r, p.floats * sizeof(float)),
        .gate = lab_buffer(r, n * sizeof(float)),
        .weight = lab_buffer(r, nweights * sizeof(float))};
    lab_begin(r);
    LAB_TRY(moe_layer_backward(&p.m, &s, dout, p.ntokens, &space, &d));
    lab_end(r);
    lab_output(r, "din", d.in, p.floats * sizeof(float));
    lab_output(r, "dgate", d.gate, n * sizeof(float));
    lab_output(r, "dweight", d.weight, nweights * sizeof(float));
    problem_release(&p);
    return ncclSuccess;
}
