#include "judge_trace.h"

#include "judge/graph/trace.h"

/* A row of a rank's result, and one of another's input, which depend on each
 * other if one sees the other. */
struct pair {
    const struct judge_order *o;
    int rank, other;
    int after; /* the result's rows come first: keys, seen by queries */
};

static uint64_t row_nbytes(const struct judge_order *o)
{
    return 4 * (uint64_t)o->heads * (uint64_t)o->width;
}

/* The columns of the head that byte `at` of a row is in: heads don't depend on
 * each other, and a mix computes them on different ranks. */
static void set_columns(struct trace_range *r, const struct judge_order *o,
                        uint64_t at)
{
    const uint64_t head = 4 * (uint64_t)o->width;
    r->row = row_nbytes(o);
    r->from = at % r->row / head * head;
    r->to = r->from + head;
}

/* Positions grow with a rank's rows, so rows that see another are the last ones
 * of a rank, and those that it sees are the first ones. */
static struct trace_range rows_of(const void *arg, uint64_t at)
{
    const struct pair *const p = arg;
    const uint64_t row = row_nbytes(p->o);
    const int place = order_place(p->o, p->other, (int)(at / row));
    uint64_t n = 0; // rows of the result that come before it
    for (int i = 0; i < p->o->rows; i++) {
        const int mine = order_place(p->o, p->rank, i);
        n += p->after ? mine <= place : mine < place;
    }
    struct trace_range r = {.end = UINT64_MAX};
    if (p->after)
        r.end = n * row;
    else
        r.begin = n * row;
    set_columns(&r, p->o, at);
    return r;
}

static struct trace_range same_row(const void *arg, uint64_t at)
{
    const struct pair *const p = arg;
    const uint64_t row = row_nbytes(p->o);
    struct trace_range r = {.begin = at / row * row,
                            .end = (at / row + 1) * row};
    set_columns(&r, p->o, at);
    return r;
}

/* Expect all ranks' results to descend from the same rows of their own inputs,
 * and from the rows of all ranks' that they see, or that see them. */
static void expect(const struct judge_task *t, const struct judge_order *o,
                   const char *result, const char *const own[2],
                   const char *const from[2], int after,
                   struct judge_verdict *v)
{
    for (int n = 0; n < t->iterations * t->nranks; n++) {
        const struct trace k = {t, n / t->nranks, 0, v};
        const int r = n % t->nranks;
        const struct trace_buffer to = {r, result};
        for (int i = 0; i < 2; i++) {
            struct pair p = {o, r, r, after};
            trace_need(&k, to, (struct trace_buffer){r, own[i]}, same_row, &p);
            for (p.other = 0; p.other < t->nranks; p.other++)
                trace_need(&k, to, (struct trace_buffer){p.other, from[i]},
                           rows_of, &p);
        }
    }
}

static const char *const keys[] = {"k", "v"}, *const queries[] = {"q", "dout"};

void trace_forward(const struct judge_task *t, const struct judge_order *o,
                   struct judge_verdict *v)
{
    static const char *const own[] = {"q", "q"};
    expect(t, o, "o", own, keys, 0, v);
}

void trace_backward(const struct judge_task *t, const struct judge_order *o,
                    struct judge_verdict *v)
{
    expect(t, o, "dq", queries, keys, 0, v);
    expect(t, o, "dk", keys, queries, 1, v);
    expect(t, o, "dv", keys, queries, 1, v);
}
