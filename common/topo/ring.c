#include "topo/ring.h"

/* The search gives up after this many steps. Machines with direct links have 8
 * or 16 GPUs and need a few hundred. */
enum { MAX_STEPS = 100000 };

struct search {
    int n, width, nsteps;
    unsigned char left[RING_GPUS][RING_GPUS]; /* links not yet used */
    int path[RING_GPUS]; /* positions in local[]; every cycle begins at 0 */
    int seen[RING_GPUS];
};

/* Extend path, which has `length` GPUs, to a cycle. */
static int extend(struct search *s, int length)
{
    const int at = s->path[length - 1];
    if (length == s->n)
        return s->left[at][s->path[0]] >= s->width;
    for (int next = 1; next < s->n; next++) {
        if (s->seen[next] || s->left[at][next] < s->width)
            continue;
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

/* Remove the links of the cycle just found. */
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

int ring_find(const struct topo *t, const int *local, int n,
              struct ring ring[RING_MAX])
{
    struct search s = {.n = n};
    int nrings = 0, widest = 0;
    if (n > RING_GPUS)
        return 0;
    for (int a = 0; a < n; a++)
        for (int b = 0; b < n; b++) {
            s.left[a][b] = t->nvlinks[local[a]][local[b]];
            if (s.left[a][b] > widest)
                widest = s.left[a][b];
        }
    for (s.width = widest; s.width > 0; s.width--)
        while (nrings < RING_MAX && find_cycle(&s))
            take(&s, local, &ring[nrings++]);
    return nrings;
}
