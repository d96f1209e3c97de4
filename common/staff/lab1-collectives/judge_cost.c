/*
 * judge_cost.c: what the algorithms of lab 1 cost
 */
#include <math.h>   /* ceil */
#include <string.h> /* strcmp */

#include "judge/graph/counts.h"
#include "judge/graph/links.h"
#include "judge1.h"

int judge1_doublings(int n)
{
    int steps = 0;
    for (int reach = 1; reach < n; reach *= 2)
        steps++;
    return steps;
}

/*
 * Fail if there are more consecutive steps than the algorithm needs, or if the
 * host waits between them: the caller's stream orders them.
 */
static void keep_steps(const struct judge_task *t, double most,
                       struct judge_verdict *v)
{
    const char *site;
    const int steps = spans_steps(t, 0);
    if (most >= 0 && steps > most)
        judge_fail_method(
            v,
            "the result is right, but %d messages follow one after the "
            "other; %.0f steps are enough",
            steps, most);
    for (int r = 0; r < t->nranks; r++) {
        const int waits = spans_host_waits(t, r, 0, &site);
        if (waits)
            judge_fail_method(
                v,
                "the result is right, but rank %d's host blocks %d "
                "times between steps (%s): enqueue all of them, and "
                "return",
                r, waits, site);
    }
}

void judge1_keep_promise(const struct judge_task *t,
                         const struct judge1_promise *most,
                         struct judge_verdict *v)
{
    const struct {
        const char *count, *unit;
        double most;
    } limits[] = {{"rounds", "steps", most->rounds},
                  {"messages", "messages", most->messages},
                  {"sent_bytes", "bytes", most->bytes},
                  {"collectives", "of NCCL's own collectives", 0}};
    for (int r = 0; r < t->nranks; r++)
        for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
            const double used = judge_count(t, r, 0, limits[i].count, v);
            if (limits[i].most >= 0 && !(used <= limits[i].most))
                judge_fail_method(
                    v,
                    "the result is right, but rank %d uses %.0f %s; "
                    "%.0f are enough",
                    r, used, limits[i].unit, limits[i].most);
        }
    keep_steps(t, most->rounds, v);
}

void judge1_keep_least(const struct judge_task *t, double least,
                       struct judge_verdict *v)
{
    double sent = 0;
    for (int r = 0; r < t->nranks; r++)
        sent += judge_count(t, r, 0, "sent_bytes", v);
    if (!v->pass || sent >= least)
        return;
    judge_fail_method(
        v,
        "the result is right, but only %.0f bytes went through NCCL; "
        "every algorithm needs at least %.0f",
        sent, least);
}

double judge1_across_bytes(const struct judge_task *t,
                           const struct judge1_problem *p)
{
    if (!t->spans)
        return -1;
    const int per_node =
        topo_ngpus(spans_topo(t->spans)) / topo_nnodes(spans_topo(t->spans));
    if (plan_int(t->c, "ranks_per_node", per_node) != per_node)
        return INFINITY;
    const double nodes = ceil((double)t->nranks / per_node);
    const double share = ceil((double)p->count / per_node);
    return 2 * (nodes - 1) / nodes * share * (double)p->size +
           2 * nodes * (double)p->size;
}

struct judge1_promise judge1_promise_of(const struct judge_task *t,
                                        const struct judge1_problem *p)
{
    const char *const algo = plan_text(t->c, "algo", "");
    const int n = t->nranks, steps = judge1_doublings(n);
    const double size = (double)p->size, bytes = (double)p->count * size;
    int power = 1, log_power = 0;
    for (; 2 * power <= n; power *= 2)
        log_power++;
    const int folds = power != n;
    if (strcmp(algo, "ring") == 0)
        return (struct judge1_promise){2 * (n - 1), 2 * (n - 1),
                                       2.0 * (n - 1) / n * bytes +
                                           2 * (n - 1) * size};
    if (strcmp(algo, "tree") == 0)
        return (struct judge1_promise){2 * steps, steps + 1, -1};
    if (strcmp(algo, "halving_doubling") == 0)
        return (struct judge1_promise){
            2 * (log_power + folds), 2 * log_power + folds,
            (2.0 * (power - 1) / power + folds) * bytes + 2 * log_power * size};
    return (struct judge1_promise){-1, -1, -1};
}

void judge1_keep_link(const struct judge_task *t, const char *prefix,
                      double most, struct judge_verdict *v)
{
    const char *name;
    const double used = links_busiest(t, 0, prefix, &name);
    if (used > most)
        judge_fail_method(
            v,
            "the result is right, but \"%s\" carries %.0f bytes; %.0f "
            "are enough",
            name, used, most);
}
