/*
 * judge_infer.c: part 3: compares the inferred machine with the real one, and
 * the ring with the best of all rings
 */
#include <math.h>   /* floor */
#include <stdio.h>  /* snprintf */
#include <string.h> /* strcmp */

#include "drawn.h"
#include "judge6.h"

/* ---- part 3 -------------------------------------------------------------- */

static int is_link(const struct topo *t, int a, int b, double shown)
{
    char name[8];
    if (a == b)
        return shown == LINK_SELF;
    const int links = lab6_nvlinks(t, a, b);
    const int phb = strcmp(topo_link(t, a, b, name), "PHB") == 0;
    return shown == (links ? links : phb ? LINK_PHB : LINK_SYS);
}

/* True if order has each of 0 .. n-1 once. */
static int is_order(const struct judge_task *t, int iteration,
                    const char *format, int n, int order[PEERS])
{
    int seen[PEERS] = {0};
    for (int i = 0; i < n; i++) {
        char name[EVIDENCE_NAME];
        snprintf(name, sizeof name, "%s.%d", format, i);
        const double x = lab6_shown(t, iteration, "%s", name);
        if (!(x >= 0 && x < n && x == floor(x)) || seen[(int)x]++)
            return 0;
        order[i] = (int)x;
    }
    return 1;
}

static void judge_order(const struct judge_task *t, int iteration,
                        const struct topo *machine, struct judge_verdict *v)
{
    int order[PEERS];
    char err[256], mine[8], theirs[8];
    const int n = topo_ngpus(machine);
    struct topo *const card =
        topo_load(plan_text(t->c, "card", ""), err, sizeof err);
    if (!card)
        judge_fail(v, "%s", err);
    else if (lab6_shown(t, iteration, "fits") != 1 ||
             !is_order(t, iteration, "order", n, order))
        judge_fail(v, "infer_order() finds no order that makes this a %s",
                   topo_name(card));
    for (int a = 0; a < n && v->pass; a++)
        for (int b = 0; b < n && v->pass; b++)
            if (strcmp(topo_link(machine, a, b, mine),
                       topo_link(card, order[a], order[b], theirs)) != 0)
                judge_fail(v,
                           "the link of GPUs %d and %d is %s, but that of %d "
                           "and %d, to which you map them, is %s",
                           a, b, mine, order[a], order[b], theirs);
    topo_free(card);
}

void lab6_judge_infer(const struct judge_task *t, struct judge_verdict *v)
{
    char name[8];
    if (!lab6_known(t, v))
        return;
    const struct topo *const machine = spans_topo(t->spans);
    const int n = topo_ngpus(machine);
    for (int i = 0; i < t->iterations; i++) {
        for (int a = 0; a < n; a++)
            for (int b = 0; b < n; b++)
                if (!is_link(machine, a, b,
                             lab6_shown(t, i, "link.%d.%d", a, b)))
                    judge_fail(v,
                               "the link of GPUs %d and %d is %s; you report "
                               "%.0f",
                               a, b, topo_link(machine, a, b, name),
                               lab6_shown(t, i, "link.%d.%d", a, b));
        if (v->pass && plan_int(t->c, "order", 1))
            judge_order(t, i, machine, v);
    }
}

static double slowest_hop(const struct gbps *m, const int *ring)
{
    double least = INFINITY;
    for (int i = 0; i < m->n; i++)
        least = fmin(least, m->at[ring[i]][ring[(i + 1) % m->n]]);
    return least;
}

/* The best of all rings that start with ring[0..length), by exhaustive
 * search. */
static double best_ring(const struct gbps *m, int *ring, int length)
{
    double best = 0;
    if (length == m->n)
        return slowest_hop(m, ring);
    for (int i = length; i < m->n; i++) {
        const int swap = ring[length];
        ring[length] = ring[i];
        ring[i] = swap;
        best = fmax(best, best_ring(m, ring, length + 1));
        ring[i] = ring[length];
        ring[length] = swap;
    }
    return best;
}

void lab6_judge_ring(const struct judge_task *t, struct judge_verdict *v)
{
    const int n = (int)plan_int(t->c, "drawn", 0);
    if (n == 0 && !lab6_known(t, v))
        return;
    for (int i = 0; i < t->iterations; i++) {
        const struct gbps m = n ? drawn_bandwidths(judge_input_seed(t, 0, i), n)
                                : lab6_bandwidths(spans_topo(t->spans));
        int ring[PEERS], all[PEERS];
        for (int k = 0; k < m.n; k++)
            all[k] = k;
        const double best = best_ring(&m, all, 1);
        if (!is_order(t, i, "ring", m.n, ring) || ring[0] != 0) {
            judge_fail(v,
                       "widest_ring() does not return a ring through all %d "
                       "GPUs that starts with 0",
                       m.n);
            return;
        }
        const double got = slowest_hop(&m, ring);
        if (got < .99 * best)
            judge_fail_method(
                v,
                "the slowest hop of your ring has %.2f GB/s; there "
                "is a ring with %.2f",
                got, best);
        if (fabs(lab6_shown(t, i, "GBps") / got - 1) > .05)
            judge_fail(v,
                       "widest_ring() returns %.2f GB/s, but the slowest hop "
                       "of its ring has %.2f",
                       lab6_shown(t, i, "GBps"), got);
    }
}
