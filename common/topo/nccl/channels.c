/*
 * channels.c: the rings that NCCL would form
 */
#include "topo/nccl/settings.h"
#include "topo/nccl/shape.h"
#include "topo/route.h"

int topo_channels(const struct topo *t, const int32_t *place, int n)
{
    char err[256];
    const struct shape *const s = shape_of(t, place, n, err, sizeof err);
    return s ? settings_channels(t, s->channels) : 0;
}

/* Place number i of a channel around a group's ring. */
static int32_t at(const struct topo *t, const struct shape_group *g,
                  int channel, int i)
{
    int first = 0; // first channel of the ring
    for (int r = 0; r < g->nrings; r++) {
        const struct ring *const ring = &g->ring[r];
        const int k = channel % g->channels - first;
        if (k < ring->channels) {
            const int back = g->n > 2 && k >= ring->width;
            return g->node * t->ngpus + ring->gpu[back ? (g->n - i) % g->n : i];
        }
        first += ring->channels;
    }
    return g->place[i];
}

void topo_ring(const struct topo *t, const int32_t *place, int n, int channel,
               int *rank)
{
    char err[256];
    const struct shape *const s = shape_of(t, place, n, err, sizeof err);
    int k = 0;
    for (int g = 0; s && g < s->ngroups; g++)
        for (int i = 0; i < s->group[g].n; i++) {
            // Each channel enters a node at a different GPU.
            const int turned =
                s->ngroups > 1 ? (i + channel) % s->group[g].n : i;
            const int32_t p = at(t, &s->group[g], channel, turned);
            int r = 0;
            while (r < n && place[r] != p)
                r++;
            rank[k++] = r;
        }
}
