/*
 * Parts 2 and 3: from bandwidths to links, from links to the order of GPUs, and
 * the best ring. None of it needs a GPU.
 */
#include "lab6.h"

#include "lab/try.h" /* LAB_HOLE */

int count_nvlinks(double GBps, double nvlink_GBps)
{
    // BEGIN HOLE part 2: count the links (about 4 lines)
    // HINT: PCIe has less than half the bandwidth of one NVLink.
    if (nvlink_GBps <= 0)
        return 0;
    return (int)(GBps / nvlink_GBps + .5);
    // END HOLE
}

void infer_links(const struct gbps *m, double nvlink_GBps,
                 int link[PEERS][PEERS])
{
    // BEGIN HOLE part 3: name every link (about 18 lines)
    // HINT: count_nvlinks() first; then find the slowest and the fastest pair
    // HINT: without NVLinks.
    double slowest = 0, fastest = 0;
    for (int a = 0; a < m->n; a++)
        for (int b = 0; b < m->n; b++) {
            const double GBps = m->at[a][b];
            link[a][b] = a == b ? LINK_SELF : count_nvlinks(GBps, nvlink_GBps);
            if (a == b || link[a][b] > 0)
                continue;
            slowest = slowest > 0 && slowest < GBps ? slowest : GBps;
            fastest = fastest > GBps ? fastest : GBps;
        }
    const int two_speeds = fastest > 1.05 * slowest;
    const double between = (slowest + fastest) / 2;
    for (int a = 0; a < m->n; a++)
        for (int b = 0; b < m->n; b++)
            if (a != b && link[a][b] == 0)
                link[a][b] =
                    two_speeds && m->at[a][b] > between ? LINK_PHB : LINK_SYS;
    // END HOLE
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
    // BEGIN HOLE part 3: which GPU is which (about 18 lines)
    // HINT: try every number that is not taken; if it fits, recurse for the
    // HINT: next GPU, and backtrack if that fails.
    if (at == card->n)
        return 1;
    for (int k = 0; k < card->n; k++) {
        int fits = 1;
        for (int i = 0; i < at && fits; i++)
            fits = order[i] != k && link[at][i] == card->link[k][order[i]] &&
                   link[i][at] == card->link[order[i]][k];
        if (!fits)
            continue;
        order[at] = k;
        if (place(link, card, order, at + 1))
            return 1;
    }
    return 0;
    // END HOLE
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
    // BEGIN HOLE part 3: the widest ring (about 20 lines)
    // HINT: prune what can't become better than s->best_GBps; the last hop
    // HINT: leads back to path[0].
    const int last = s->path[length - 1];
    if (length == s->m->n) {
        const double back = s->m->at[last][s->path[0]];
        GBps = back < GBps ? back : GBps;
        if (GBps <= s->best_GBps)
            return;
        s->best_GBps = GBps;
        for (int i = 0; i < length; i++)
            s->best[i] = s->path[i];
        return;
    }
    for (int next = 1; next < s->m->n; next++) {
        const double hop = s->m->at[last][next];
        const double slowest = hop < GBps ? hop : GBps;
        if (s->seen[next] || slowest <= s->best_GBps)
            continue;
        s->seen[next] = 1;
        s->path[length] = next;
        extend(s, length + 1, slowest);
        s->seen[next] = 0;
    }
    // END HOLE
}

double widest_ring(const struct gbps *m, int ring[PEERS])
{
    struct search s = {.m = m, .seen = {1}};
    extend(&s, 1, 1e9);
    for (int i = 0; i < m->n; i++)
        ring[i] = s.best[i];
    return s.best_GBps;
}
