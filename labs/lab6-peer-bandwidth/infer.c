/*
 * Parts 2 and 3: from bandwidths to links, from links to an order of GPUs, and
 * the best ring. No GPU is needed for any of it.
 */
#include "lab6.h"

#include "lab/lab.h" /* LAB_HOLE */

int count_nvlinks(double GBps, double nvlink_GBps)
{
    // Yours to write: part 2: count the links (about 4 lines)
    // what PCIe gives is less than half of what one NVLink does.
    (void)GBps, (void)nvlink_GBps;
    LAB_HOLE("part 2: count the links");
}

void infer_links(const struct gbps *m, double nvlink_GBps,
                 int link[PEERS][PEERS])
{
    // Yours to write: part 3: name every link (about 18 lines)
    // count_nvlinks() first; then the slowest and the fastest pair of
    // those that have none.
    (void)m, (void)nvlink_GBps, (void)link;
    LAB_HOLE("part 3: name every link");
}

/*
 * Extend order[0..at) by a number for GPU `at`, and so on to the end: does
 * GPU `at` as number k have the links to all earlier ones that the drawing
 * shows? Part of infer_order(); 1 when all GPUs have one.
 */
static int place(int link[PEERS][PEERS], const struct card *card,
                 int order[PEERS], int at)
{
    // Yours to write: part 3: which GPU is which (about 18 lines)
    // try every number that is not taken; where it fits, go on with the
    // next GPU, and come back if that leads nowhere.
    (void)link, (void)card, (void)order, (void)at;
    LAB_HOLE("part 3: which GPU is which");
}

int infer_order(int link[PEERS][PEERS], const struct card *card,
                int order[PEERS])
{
    return place(link, card, order, 0);
}

struct search { /* for the widest ring */
    const struct gbps *m;
    int path[PEERS], seen[PEERS];
    int best[PEERS];
    double best_GBps;
};

/*
 * path[0..length) is the beginning of a ring whose slowest hop so far has
 * GBps; try all ways to go on, and keep the best ring in s->best. Part of
 * widest_ring().
 */
static void extend(struct search *s, int length, double GBps)
{
    // Yours to write: part 3: the widest ring (about 20 lines)
    // what can't become better than s->best_GBps need not be looked at;
    // the last hop leads back to path[0].
    (void)s, (void)length, (void)GBps;
    LAB_HOLE("part 3: the widest ring");
}

double widest_ring(const struct gbps *m, int ring[PEERS])
{
    struct search s = {.m = m, .seen = {1}};
    extend(&s, 1, 1e9);
    for (int i = 0; i < m->n; i++)
        ring[i] = s.best[i];
    return s.best_GBps;
}
