#include "topo/nccl/shape.h"

static int alike(const struct topo *t, const struct shape_group *a,
                 const struct shape_group *b)
{
    if (a->n != b->n)
        return 0;
    for (int i = 0; i < a->n; i++)
        if (a->place[i] % t->ngpus != b->place[i] % t->ngpus)
            return 0;
    return 1;
}

static int least(int a, int b)
{
    return a < b ? a : b;
}

static int most(int a, int b)
{
    return a > b ? a : b;
}

/* Keep what two nodes have in common. */
static void join(struct search_found *all, const struct search_found *one)
{
    all->channels = least(all->channels, one->channels);
    all->intra = least(all->intra, one->intra);
    all->inter = least(all->inter, one->inter);
    all->type_intra = most(all->type_intra, one->type_intra);
    all->type_inter = most(all->type_inter, one->type_inter);
    all->pattern = one->pattern > all->pattern ? one->pattern : all->pattern;
    all->same &= one->same;
}

static int search_group(const struct topo *t, const struct shape_group *g,
                        int inter, struct search_results *out)
{
    int local[MACHINE_GPUS];
    for (int i = 0; i < g->n; i++)
        local[i] = g->place[i] % t->ngpus;
    struct system *const system = system_of(t, local, g->n, inter);
    const int result = system ? search_all(system, out) : -1;
    system_free(system);
    return result;
}

static int search_groups(const struct topo *t, const struct shape *s,
                         struct search_results *found)
{
    for (int i = 0; i < s->ngroups; i++) {
        struct search_results one;
        if (i > 0 && alike(t, &s->group[i - 1], &s->group[i]))
            continue;
        if (search_group(t, &s->group[i], s->ngroups > 1, &one) != 0)
            return -1;
        if (i == 0)
            *found = one;
        join(&found->ring, &one.ring);
        join(&found->tree, &one.tree);
        join(&found->nvls, &one.nvls);
    }
    return 0;
}

int shape_search(const struct topo *t, struct shape *s)
{
    struct topo *const mutable = (struct topo *)t; // its lock guards shapes
    pthread_mutex_lock(&mutable->lock);
    if (!s->searched)
        s->searched = search_groups(t, s, &s->found) == 0;
    const int result = s->searched ? 0 : -1;
    pthread_mutex_unlock(&mutable->lock);
    return result;
}
