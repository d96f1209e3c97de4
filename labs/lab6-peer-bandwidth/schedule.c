/*
 * Part 5: an all-to-all without a hot link, and the degraded cable.
 */
#include "lab6.h"

#include <math.h> /* fmin */

#include "lab/try.h" /* LAB_HOLE */

/* True if the machine has NVLinks. Given. */
static int has_nvlinks(int link[PEERS][PEERS], int n)
{
    for (int a = 0; a < n; a++)
        for (int b = 0; b < n; b++)
            if (link[a][b] > 0)
                return 1;
    return 0;
}

/* Mark links with more than 1.5 times the bandwidth of the narrowest NVLink.
 * Given. */
static void find_wide(const struct gbps *m, int link[PEERS][PEERS],
                      int wide[PEERS][PEERS])
{
    double narrowest = 1e99;
    for (int i = 0; i < m->n * m->n; i++)
        if (link[i / m->n][i % m->n] > 0)
            narrowest = fmin(narrowest, m->at[i / m->n][i % m->n]);
    for (int a = 0; a < m->n; a++)
        for (int b = 0; b < m->n; b++)
            wide[a][b] = link[a][b] > 0 && m->at[a][b] > 1.5 * narrowest;
}

struct busy { /* how long each resource is busy with the plan so far */
    const struct gbps *m;
    int (*link)[PEERS];
    double gpu_GBps;
    double hop[PEERS][PEERS]; /* a link */
    double gpu[PEERS];        /* copies to and from a GPU */
};

/* Add a piece to a hop (by = 1), or remove it again (-1). Returns how long the
 * busiest of the link and the two GPUs is then busy. Given. */
static double put_hop(struct busy *s, int a, int b, double by)
{
    s->hop[a][b] += by / s->m->at[a][b];
    s->gpu[a] += by / s->gpu_GBps;
    s->gpu[b] += by / s->gpu_GBps;
    const double gpu = s->gpu[a] > s->gpu[b] ? s->gpu[a] : s->gpu[b];
    return s->hop[a][b] > gpu ? s->hop[a][b] : gpu;
}

/* The same for all hops of a piece's route. Given. */
static double put(struct busy *s, int from, int via, int to, double by)
{
    if (via < 0)
        return put_hop(s, from, to, by);
    const double first = put_hop(s, from, via, by);
    const double second = put_hop(s, via, to, by);
    return first > second ? first : second;
}

/* The route of a piece whose links and GPUs are the least busy once the piece
 * is on it: -1 for the direct one, or the GPU to go through. Part of
 * schedule_all_to_all(). */
static int best_way(struct busy *s, int from, int to)
{
    // Yours to write: part 5: the best way of a piece (about 18 lines)
    // directly, if there are NVLinks; or through any GPU with NVLinks to
    // both. put() the piece, look at the time, and remove it again.
    LAB_HOLE("part 5: the best way of a piece");
}

void schedule_all_to_all(const struct gbps *m, int link[PEERS][PEERS],
                         double gpu_GBps, int npieces, struct schedule *plan)
{
    *plan = (struct schedule){.n = m->n, .npieces = npieces};
    for (int a = 0; a < m->n; a++)
        for (int b = 0; b < m->n; b++)
            for (int i = 0; i < npieces; i++)
                plan->via[a][b][i] = -1;
    if (!has_nvlinks(link, m->n))
        return;
    find_wide(m, link, plan->wide);
    // Yours to write: part 5: plan them all (about 15 lines)
    // piece by piece, each on its best route; then, a few more times,
    // remove each one and choose again, now that the others are there.
    LAB_HOLE("part 5: plan them all");
}

/* The median bandwidth of all pairs with this kind of link. Given. */
static double usual(const struct gbps *m, int link[PEERS][PEERS], int kind)
{
    double value[PEERS * PEERS];
    int n = 0;
    for (int a = 0; a < m->n; a++)
        for (int b = 0; b < m->n; b++)
            if (a != b && link[a][b] == kind)
                value[n++] = m->at[a][b];
    return n ? peers_median(value, n) : 0;
}

struct cable find_sick(const struct gbps *m, int link[PEERS][PEERS])
{
    struct cable found = {-1, -1};
    // Yours to write: part 5: the sick cable (about 22 lines)
    // count the slow pairs of each GPU; usual().
    LAB_HOLE("part 5: the sick cable");
    return found;
}
