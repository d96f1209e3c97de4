/*
 * Parts 2 and 3: from bandwidths to links, from links to the order of GPUs, and
 * the best ring. None of it needs a GPU.
 */
#include "lab6.h"

#include "lab/try.h" /* LAB_HOLE */

int count_nvlinks(double GBps, double nvlink_GBps)
{
    // Yours to write: part 2: count the links (about 4 lines)
    // PCIe has less than half the bandwidth of one NVLink.
    LAB_HOLE("part 2: count the links");
}

void infer_links(const struct gbps *m, double nvlink_GBps,
                 int link[PEERS][PEERS])
{
    // Yours to write: part 3: name every link (about 18 lines)
    // count_nvlinks() first; then find the slowest and the fastest pair
    // without NVLinks.
    LAB_HOLE("part 3: name every link");
}

/*
 * Extend order[0..at) by a number for GPU `at`, and recursively for those after
 * it. Number k fits if GPU `at` has the links to all earlier GPUs that the
 * published topology gives k. Part of infer_order(). Returns 1 once all GPUs
 * have a number.
 */
static int place(int link[PEERS][PEERS], const struct card *card,
                 int order[PEERS], int at)
{
    // Yours to write: part 3: which GPU is which (about 18 lines)
    // try every number that is not taken; if it fits, recurse for the
    // next GPU, and backtrack if that fails.
    LAB_HOLE("part 3: which GPU is which");
}

int infer_order(int link[PEERS][PEERS], const struct card *card,
                int order[PEERS])
{
    return place(link, card, order, 0);
}

struct search { /* the search for the widest ring */
    const struct gbps *m;
    int path[PEERS], seen[PEERS];
    int best[PEERS];
    double best_GBps;
};

/*
 * path[0..length) is the start of a ring whose slowest hop so far has GBps. Try
 * all continuations and keep the best ring in s->best. Part of widest_ring().
 */
static void extend(struct search *s, int length, double GBps)
{
    // Yours to write: part 3: the widest ring (about 20 lines)
    // prune what can't become better than s->best_GBps; the last hop
    // leads back to path[0].
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
