#include "judge_whole.h"

#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* malloc */

#include "judge/blocks.h"
#include "judge/guess.h"
#include "judge_attend.h"
#include "judge_keys.h"

/* Attention to all ranks' inputs: each rank has blocks of q, k, v and dout. */
static struct attend *whole_of(const struct judge_task *t,
                               const struct judge_order *o, int iteration,
                               int back)
{
    struct attend *const a = attend_new(o->nranks * o->rows, o->heads, o->width,
                                        order_scale(o->width));
    const size_t block = order_block(o), row = (size_t)(o->heads * o->width);
    float *const in = malloc(4 * block * sizeof *in);
    double *const to[] = {a->q, a->k, a->v, a->dout};
    for (int r = 0; r < o->nranks; r++) {
        order_fill(in, 4 * block, judge_input_seed(t, r, iteration));
        for (size_t i = 0; i < 4 * block; i++) {
            const size_t at = i % block;
            const int place = order_place(o, r, (int)(at / row));
            to[i / block][(size_t)place * row + at % row] = in[i];
        }
    }
    free(in);
    attend_forward(a);
    if (back)
        attend_backward(a);
    return a;
}

struct rank_set whole_need(const struct judge_order *o, int rank, int after)
{
    int first = o->nranks * o->rows, last = 0;
    struct rank_set need = {{0}};
    for (int i = 0; i < o->rows; i++) {
        const int at = order_place(o, rank, i);
        first = at < first ? at : first;
        last = at > last ? at : last;
    }
    for (int r = 0; r < o->nranks; r++)
        for (int i = 0; i < o->rows; i++) {
            const int at = order_place(o, r, i);
            if (after ? at >= first : at <= last)
                rank_set_add(&need, r);
        }
    return need;
}

struct shown { /* an output that ranks record */
    const char *name;
    const struct attend_array *want; /* rows of `row` numbers, by position */
    size_t row;
    int after; /* see whole_need() */
    enum keys_output which;
};

struct shown_in { /* an output, and the order of its rows */
    const struct judge_order *o;
    const struct shown *k;
};

static size_t row_at(const void *arg, int rank, size_t row)
{
    const struct shown_in *const in = arg;
    return (size_t)order_place(in->o, rank, (int)row) * in->k->row;
}

static void write_place(const void *arg, int rank, size_t i, char *out,
                        size_t nbytes)
{
    const struct shown_in *const in = arg;
    snprintf(out, nbytes, "%s[%zu] on rank %d, in row %d of the sequence,",
             in->k->name, i, rank,
             order_place(in->o, rank, (int)(i / in->k->row)));
}

/* A wrong output may be what other blocks of keys and values give. */
static void explain(const struct keys_wrong *w, struct judge_verdict *v)
{
    char text[320];
    if (keys_explain(w, text, sizeof text))
        guess_replace_advice(v, text);
}

static void judge_shown(const struct judge_task *t, const struct attend *a,
                        const struct judge_order *o, int rank, int iteration,
                        const struct shown *k, struct judge_verdict *v)
{
    const int passed = v->pass;
    const size_t count = (size_t)o->rows * k->row;
    const float *const got =
        judge_output(t, rank, iteration, k->name, count * sizeof *got, v);
    const struct shown_in in = {o, k};
    const struct blocks b = {.want = k->want->at,
                             .bound = k->want->bound,
                             .row = k->row,
                             .nrows = (size_t)o->rows,
                             .nranks = o->nranks,
                             .at = row_at,
                             .arg = &in};
    if (got)
        blocks_compare(&b, got, rank, write_place, v);
    if (got && passed && !v->pass)
        explain(&(struct keys_wrong){a, o, k->which, rank, got}, v);
    judge_descent(t, rank, iteration, k->name, 0, count * sizeof *got,
                  whole_need(o, rank, k->after), v);
}

void whole_judge(const struct judge_task *t, const struct judge_order *o,
                 int back, int with_lse, struct judge_verdict *v)
{
    const size_t row = (size_t)(o->heads * o->width);
    for (int i = 0; i < t->iterations; i++) {
        struct attend *const a = whole_of(t, o, i, back);
        const struct shown all[] = {
            {"o", &a->o, row, 0, KEYS_O},
            {"lse", &a->lse, (size_t)o->heads, 0, KEYS_NONE},
            {"dq", &a->dq, row, 0, KEYS_DQ},
            {"dk", &a->dk, row, 1, KEYS_DK},
            {"dv", &a->dv, row, 1, KEYS_DV}};
        for (int r = 0; r < t->nranks; r++)
            for (int k = back ? 2 : 0; k < (back ? 5 : 1 + with_lse); k++)
                judge_shown(t, a, o, r, i, &all[k], v);
        attend_free(a);
    }
}
