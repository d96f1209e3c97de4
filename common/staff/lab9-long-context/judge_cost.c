#include "judge_cost.h"

#include "judge/graph/counts.h"
#include "judge/graph/spans.h"

enum { SLACK = 512 }; /* bytes, for what is small */

void cost_memory(const struct judge_task *t, double block_bytes,
                 struct judge_verdict *v)
{
    for (int r = 0; r < t->nranks; r++) {
        const double held = judge_count(t, r, 0, "peak_bytes", v) -
                            judge_count(t, r, 0, "before_bytes", v);
        if (!(held <= COST_BLOCKS * block_bytes + SLACK))
            judge_fail_method(
                v,
                "the result is right, but rank %d allocates up to %.0f "
                "bytes: %.1f of its blocks of %.0f; %d are enough, "
                "whatever the number of ranks",
                r, held, held / block_bytes, block_bytes, COST_BLOCKS);
    }
}

void cost_bytes(const struct judge_task *t, double most, const char *formula,
                struct judge_verdict *v)
{
    for (int r = 0; r < t->nranks; r++) {
        const double sent = spans_traffic_bytes(t, r, 0);
        if (sent > most + 0.5) // quotients are rounded
            judge_fail_method(
                v,
                "the result is right, but rank %d sends %.0f bytes; "
                "%s are %.0f",
                r, sent, formula, most);
    }
}

void cost_least(const struct judge_task *t, double least,
                struct judge_verdict *v)
{
    double sent = 0;
    for (int r = 0; r < t->nranks; r++)
        sent += spans_traffic_bytes(t, r, 0);
    if (sent < least - 0.5) // NaN without a graph
        judge_fail(v,
                   "all ranks together send %.0f bytes, where %.0f are the "
                   "least: which rows does a rank attend to?",
                   sent, least);
}

void cost_host(const struct judge_task *t, struct judge_verdict *v)
{
    for (int i = 0; i < t->iterations; i++)
        for (int r = 0; r < t->nranks; r++) {
            const char *site;
            const struct graph_view *const n = spans_from_host(t, r, i);
            if (n)
                judge_fail_method(
                    v,
                    "the result is right, but %s at %s (rank %d) uses "
                    "host memory: rows stay on the devices",
                    n->name, n->site, r);
            if (spans_host_waits(t, r, i, &site) > 0)
                judge_fail_method(
                    v,
                    "the result is right, but rank %d's host waits for "
                    "its device (%s); streams and events are enough",
                    r, site);
        }
}
