#include "topo/nccl/ring.h"

#include <string.h> /* memcpy */

/* The search gives up after this many steps. Machines with direct links have 8
 * or 16 GPUs, and need a few hundred steps. */
enum { MAX_STEPS = 100000 };

struct search {
    int n, width, nsteps;
    int fullest; /* try hops with the most remaining links first */
    unsigned char left[RING_GPUS][RING_GPUS]; /* links not yet used */
    int path[RING_GPUS]; /* positions in local[]; every cycle starts at 0 */
    int seen[RING_GPUS];
};

/* The next hop to try from a position; 0 if none is left. */
static int next_hop(const struct search *s, int at, const int *tried)
{
    int best = 0;
    for (int next = 1; next < s->n; next++)
        if (!tried[next] && !s->seen[next] && s->left[at][next] >= s->width &&
            (best == 0 ||
             (s->fullest && s->left[at][next] > s->left[at][best])))
            best = next;
    return best;
}

/* Extend the path, which has `length` GPUs, to a cycle. */
static int extend(struct search *s, int length)
{
    const int at = s->path[length - 1];
    if (length == s->n)
        return s->left[at][s->path[0]] >= s->width;
    int tried[RING_GPUS] = {0};
    for (int next; (next = next_hop(s, at, tried)) > 0;) {
        tried[next] = 1;
        if (++s->nsteps > MAX_STEPS)
            return 0;
        s->seen[next] = 1;
        s->path[length] = next;
        if (extend(s, length + 1))
            return 1;
        s->seen[next] = 0;
    }
    return 0;
}

static int find_cycle(struct search *s)
{
    for (int i = 0; i < s->n; i++)
        s->seen[i] = i == 0;
    s->nsteps = 0;
    return extend(s, 1);
}

/* Remove the links of the cycle that was just found. */
static void take(struct search *s, const int *local, struct ring *r)
{
    r->width = s->width;
    r->channels = s->n == 2 ? s->width : 2 * s->width;
    for (int i = 0; i < s->n; i++) {
        const int a = s->path[i], b = s->path[(i + 1) % s->n];
        r->gpu[i] = local[a];
        s->left[a][b] -= (unsigned char)s->width;
        if (s->n > 2)
            s->left[b][a] -= (unsigned char)s->width;
    }
}

/* Take cycles, from `width` on, the widest first. Returns the number of links
 * per hop over all of them. */
static int cover(struct search *s, const int *local, int width,
                 struct ring ring[RING_MAX], int *nrings)
{
    int links = 0;
    *nrings = 0;
    for (s->width = width; s->width > 0; s->width--)
        while (*nrings < RING_MAX && find_cycle(s)) {
            take(s, local, &ring[*nrings]);
            links += ring[(*nrings)++].width;
        }
    return links;
}

int ring_find(const struct topo *t, const int *local, int n,
              struct ring ring[RING_MAX])
{
    struct search s = {.n = n};
    int nrings, widest = 0;
    if (n > RING_GPUS)
        return 0;
    for (int a = 0; a < n; a++)
        for (int b = 0; b < n; b++) {
            s.left[a][b] = t->nvlinks[local[a]][local[b]];
            if (s.left[a][b] > widest)
                widest = s.left[a][b];
        }
    // Take wide cycles first. In a quad of equal bundles, these would leave
    // links that no further cycle covers, so bundles are split there, as in
    // NCCL.
    struct search first = s;
    int most = cover(&first, local, widest, ring, &nrings);
    s.fullest = 1;
    for (int width = widest - 1; width > 0; width--) {
        struct search trial = s;
        struct ring found[RING_MAX];
        int nfound;
        const int links = cover(&trial, local, width, found, &nfound);
        if (links > most) {
            most = links;
            nrings = nfound;
            memcpy(ring, found, sizeof *ring * (size_t)nfound);
        }
    }
    return nrings;
}
