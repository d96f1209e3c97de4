#include "judge_trace.h"

#include <stdio.h> /* snprintf */

#include "judge/graph/trace.h"

const char *trace_value(int u, char out[TRACE_NAME])
{
    snprintf(out, TRACE_NAME, "value.%d", u);
    return out;
}

const char *trace_grad(int u, char out[TRACE_NAME])
{
    snprintf(out, TRACE_NAME, "grad.%d", u);
    return out;
}

size_t trace_nbytes(const struct split *s, int u, int rank)
{
    const struct split_unit *const k = &s->unit[u];
    const size_t before = (size_t)(rank % s->nranks) * k->share;
    const size_t left = before < k->count ? k->count - before : 0;
    return (left < k->share ? left : k->share) * sizeof(float);
}

/* Expect a result to descend from all inputs of all ranks. */
static void expect_all(const struct trace *k, const struct split *s, int rank,
                       const char *result)
{
    const struct trace_buffer to = {rank, result};
    for (int r = 0; r < k->t->nranks; r++) {
        trace_need(k, to, (struct trace_buffer){r, "x"}, NULL, NULL);
        for (int u = 0; u < s->nunits; u++) {
            char name[TRACE_NAME];
            const struct trace_buffer from = {r, trace_value(u, name)};
            if (trace_nbytes(s, u, r) > 0)
                trace_need(k, to, from, NULL, NULL);
        }
    }
}

void trace_shares(const struct judge_task *t, const struct split *s,
                  struct judge_verdict *v)
{
    for (int n = 0; n < t->iterations * t->nranks; n++) {
        const struct trace k = {t, n / t->nranks, 0, v};
        const int r = n % t->nranks;
        for (int u = 0; u < s->nunits; u++) {
            char name[TRACE_NAME];
            if (trace_nbytes(s, u, r) > 0)
                expect_all(&k, s, r, trace_grad(u, name));
        }
        expect_all(&k, s, r, "kept");
    }
}
