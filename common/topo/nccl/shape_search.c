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

/* ---- stacks -------------------------------------------------------------- */

/*
 * The search recurses through the GPUs of a node, with about 28 KiB for each. A
 * caller's stack suffices for a few GPUs; a simulated stream's thread, for one,
 * has 1 MiB. For more, the search gets a thread of its own.
 */
enum { FEW_GPUS = 16, STACK = 8 << 20 };

struct job {
    const struct topo *t;
    struct shape *s;
    int result;
};

static void *search_main(void *user)
{
    struct job *const j = user;
    j->result = search_groups(j->t, j->s, &j->s->found);
    return NULL;
}

/* Returns 0, or -1 if memory or threads run out. */
static int search(const struct topo *t, struct shape *s)
{
    struct job j = {t, s, -1};
    pthread_attr_t attr;
    pthread_t thread;
    if (s->most <= FEW_GPUS) {
        search_main(&j);
        return j.result;
    }
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, STACK);
    if (pthread_create(&thread, &attr, search_main, &j) == 0)
        pthread_join(thread, NULL);
    pthread_attr_destroy(&attr);
    return j.result;
}

int shape_search(const struct topo *t, struct shape *s)
{
    struct topo *const mutable = (struct topo *)t; // its lock guards shapes
    pthread_mutex_lock(&mutable->lock);
    if (!s->searched)
        s->searched = search(t, s) == 0;
    const int result = s->searched ? 0 : -1;
    pthread_mutex_unlock(&mutable->lock);
    return result;
}
