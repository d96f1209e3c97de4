/*
 * judge_infer.c: part 3, and the sick cable: compares the inferred machine with
 * the real one, the ring with the best of all rings, and the cable with the one
 * that is degraded
 *
 * A student's functions number the GPUs as the case draws it (drawn.h).
 */
#include <math.h>   /* floor */
#include <stdio.h>  /* snprintf */
#include <string.h> /* strcmp */

#include "drawn.h"
#include "judge6.h"

/* ---- part 3 -------------------------------------------------------------- */

/* The order in which an iteration numbers the machine's GPUs. */
static struct drawn_order order_of(const struct judge_task *t, int iteration)
{
    return drawn_order(judge_input_seed(t, 0, iteration),
                       lab6_ngpus(spans_topo(t->spans)));
}

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
    const int n = lab6_ngpus(machine);
    const struct drawn_order drawn = order_of(t, iteration);
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
            if (strcmp(topo_link(machine, drawn.at[a], drawn.at[b], mine),
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
    const int n = lab6_ngpus(machine);
    for (int i = 0; i < t->iterations; i++) {
        const struct drawn_order drawn = order_of(t, i);
        for (int k = 0; k < n * n; k++) {
            const int a = k / n, b = k % n;
            const double shown = lab6_shown(t, i, "link.%d.%d", a, b);
            if (!is_link(machine, drawn.at[a], drawn.at[b], shown))
                judge_fail(
                    v, "the link of GPUs %d and %d is %s; you report %.0f", a,
                    b, topo_link(machine, drawn.at[a], drawn.at[b], name),
                    shown);
        }
        if (v->pass && plan_int(t->c, "order", 1))
            judge_order(t, i, machine, v);
    }
}

static struct gbps bandwidths(const struct judge_task *t, int iteration)
{
    const struct gbps m = lab6_bandwidths(spans_topo(t->spans));
    const struct drawn_order drawn = order_of(t, iteration);
    return drawn_renumbered(&m, &drawn);
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
                                : bandwidths(t, i);
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

/* ---- the sick cable ------------------------------------------------------ */

/* The cable that makes this machine slower than a healthy one. */
static struct cable sick_cable(const struct topo *machine,
                               const struct topo *healthy)
{
    const struct gbps m = lab6_bandwidths(machine);
    const struct gbps h = lab6_bandwidths(healthy);
    struct cable found = {-1, -1};
    int npairs = 0, slow[PEERS] = {0};
    for (int a = 0; a < m.n; a++)
        for (int b = a + 1; b < m.n; b++)
            if (m.at[a][b] < .92 * h.at[a][b] ||
                m.at[b][a] < .92 * h.at[b][a]) {
                npairs++;
                slow[a]++;
                slow[b]++;
                found = (struct cable){a, b};
            }
    for (int g = 0; g < m.n && npairs > 1; g++)
        if (slow[g] == npairs)
            found = (struct cable){g, -1};
    return found;
}

static const char *cable_text(struct cable c, char out[64])
{
    if (c.a < 0)
        snprintf(out, 64, "none");
    else if (c.b < 0)
        snprintf(out, 64, "GPU %d's own", c.a);
    else
        snprintf(out, 64, "the one between GPUs %d and %d", c.a, c.b);
    return out;
}

/* Compare a cable that was found with the right one, given by this machine's
 * own numbers. */
static void expect_cable(const struct judge_task *t, int iteration, int which,
                         struct cable right, struct judge_verdict *v)
{
    const struct drawn_order drawn = order_of(t, iteration);
    const double a = lab6_shown(t, iteration, "a.%d", which);
    const double b = lab6_shown(t, iteration, "b.%d", which);
    struct cable want = {-1, -1};
    char yours[64], text[64];
    for (int i = 0; i < lab6_ngpus(spans_topo(t->spans)); i++) {
        want.a = drawn.at[i] == right.a ? i : want.a;
        want.b = drawn.at[i] == right.b ? i : want.b;
    }
    if ((a == want.a && b == want.b) || (b >= 0 && a == want.b && b == want.a))
        return;
    judge_fail(v, "the degraded cable is %s; find_sick() returns %s",
               cable_text(want, text),
               cable_text((struct cable){(int)a, (int)b}, yours));
}

void lab6_judge_sick(const struct judge_task *t, struct judge_verdict *v)
{
    char err[256];
    if (!lab6_known(t, v))
        return;
    struct topo *const healthy =
        topo_load(plan_text(t->c, "card", ""), err, sizeof err);
    if (!healthy) {
        judge_fail(v, "%s", err);
        return;
    }
    const struct cable sick = sick_cable(spans_topo(t->spans), healthy);
    for (int i = 0; i < t->iterations; i++) {
        expect_cable(t, i, 0, sick, v);
        if (plan_int(t->c, "weaken", 0))
            expect_cable(t, i, 1, (struct cable){0, 1}, v);
    }
    topo_free(healthy);
}
