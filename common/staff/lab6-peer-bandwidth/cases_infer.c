/*
 * cases_infer.c: runs the cases in which a machine is found out from its
 * bandwidths. Given: nothing to edit here.
 */
#include <string.h> /* memcpy */

#include "cases.h"
#include "drawn.h"
#include "machine.h"

/* The bandwidths of this machine, whose GPUs are renumbered. All ranks call;
 * rank 0 gets them, and the order. */
static void measure(struct lab_run *r, struct gbps *m,
                    struct drawn_order *order)
{
    struct gbps own;
    machine_measure(r, cases_bytes(r, "bytes", 64 << 20), &own);
    if (r->rank != 0)
        return;
    cases_draw(r, DRAWN_ORDER, (const int64_t[DRAW_ARGS]){own.n}, order,
               sizeof *order);
    *m = drawn_renumbered(&own, order);
}

ncclResult_t run_infer(struct lab_run *r)
{
    struct gbps m;
    struct drawn_order drawn;
    int link[PEERS][PEERS] = {{0}}, order[PEERS] = {0};
    const struct card *const card = card_find(plan_text(r->c, "card", ""));
    measure(r, &m, &drawn);
    if (r->rank != 0)
        return ncclSuccess;
    infer_links(&m, card->nvlink_GBps, link);
    for (int a = 0; a < m.n; a++)
        for (int b = 0; b < m.n; b++)
            cases_show(r, link[a][b], "link.%d.%d", a, b);
    if (!plan_int(r->c, "order", 1))
        return ncclSuccess;
    lab_metric(r, "fits", infer_order(link, card, order));
    for (int a = 0; a < m.n; a++)
        cases_show(r, order[a], "order.%d", a, 0);
    return ncclSuccess;
}

/* The ring of this machine, or of a random one. */
ncclResult_t run_ring(struct lab_run *r)
{
    struct gbps m;
    struct drawn_order order;
    const int64_t drawn = plan_int(r->c, "drawn", 0);
    int ring[PEERS] = {0};
    if (drawn == 0)
        measure(r, &m, &order);
    if (r->rank != 0)
        return ncclSuccess;
    if (drawn > 0)
        cases_draw(r, DRAWN_BANDWIDTHS, (const int64_t[DRAW_ARGS]){drawn}, &m,
                   sizeof m);
    lab_metric(r, "GBps", widest_ring(&m, ring));
    for (int i = 0; i < m.n; i++)
        cases_show(r, ring[i], "ring.%d", i, 0);
    return ncclSuccess;
}

static void find(struct lab_run *r, const struct gbps *m,
                 int link[PEERS][PEERS], int i)
{
    int copy[PEERS][PEERS];
    memcpy(copy, link, sizeof copy);
    const struct cable found = find_sick(m, copy);
    cases_show(r, found.a, "a.%d", i, 0);
    cases_show(r, found.b, "b.%d", i, 0);
}

ncclResult_t run_sick(struct lab_run *r)
{
    struct gbps m;
    struct drawn_order order;
    int link[PEERS][PEERS] = {{0}};
    const struct card *const card = card_find(plan_text(r->c, "card", ""));
    measure(r, &m, &order);
    if (r->rank != 0)
        return ncclSuccess;
    for (int a = 0; a < m.n; a++)
        for (int b = 0; b < m.n; b++)
            link[a][b] = card->link[order.at[a]][order.at[b]];
    find(r, &m, link, 0);
    if (!plan_int(r->c, "weaken", 0))
        return ncclSuccess;
    for (int a = 0; a < m.n; a++)
        for (int b = 0; b < m.n; b++)
            if (order.at[a] + order.at[b] == 1)
                m.at[a][b] *= DRAWN_WEAK;
    find(r, &m, link, 1);
    return ncclSuccess;
}
