#include "topo/nccl/search.h"

#include <stdlib.h> /* calloc */
#include <string.h> /* memcpy */

#include "topo/nccl/search_channel.h"

/* ---- NCCL's constants ---------------------------------------------------- */

enum { /* steps of a search, and of all searches [NCCL_SEARCH_TIMEOUT...] */
       STEPS = 1 << 14,
       STEPS_SAME = 1 << 8,
       STEPS_ALL = 1 << 19,
       MOST_RATES = 20,
       NVLS_HEADS = 32 /* [NCCL_MAX_NVLS_ARITY] */
};

/* Rates to try [speedArrayIntra...], by generation: up to Ampere, Hopper,
 * Blackwell; inside one node, and with several. They end with 0. */
// clang-format off
static const int rates[3][2][MOST_RATES] = {
    {{40000, 30000, 20000, 18000, 15000, 12000, 10000, 9000, 7000, 6000, 5000,
      4000, 3000},
     {48000, 30000, 28000, 24000, 20000, 18000, 15000, 12000, 10000, 9000,
      7000, 6000, 5000, 4000, 3000, 2400, 1200, 240, 120}},
    {{60000, 50000, 40000, 30000, 24000, 20000, 15000, 12000, 11000, 6000,
      3000},
     {48000, 45000, 42000, 40000, 30000, 24000, 22000, 20000, 17500, 15000,
      12000, 6000, 3000, 2400, 1200, 240, 120}},
    {{90000, 80000, 70000, 60000, 50000, 40000, 30000, 24000, 20000, 19000,
      18000},
     {96000, 48000, 45100, 42000, 40000, 30000, 24000, 22000, 20000, 17500,
      15000, 12000, 6000, 3000, 2400, 1200, 240, 120}}};
// clang-format on

/* ---- the rates ----------------------------------------------------------- */

/* The nearest and the farthest paths from GPUs to ends. */
static void find_types(const struct system *s, int first, int n, int *least,
                       int *most)
{
    *least = SYSTEM_SYS;
    *most = SYSTEM_LOC;
    for (int gpu = 0; gpu < s->ngpus; gpu++)
        for (int i = first; i < first + n; i++) {
            const int type = system_path(s, gpu, i)->type;
            if (i == gpu)
                continue;
            *least = type < *least ? type : *least;
            *most = type > *most ? type : *most;
        }
}

/* True if NVLinks join the GPUs in two domains. */
static int split_nvlinks(const struct system *s)
{
    int domain[SYSTEM_GPUS], size[SYSTEM_GPUS] = {0}, n = 0;
    for (int g = 0; g < s->ngpus; g++)
        domain[g] = g;
    for (int g = 0; g < s->ngpus; g++)
        for (int p = g + 1; p < s->ngpus; p++)
            if (system_path(s, g, p)->type == SYSTEM_NVL)
                domain[p] = domain[g];
    for (int g = 0; g < s->ngpus; g++)
        n += ++size[domain[g]] == 2;
    return n == 2;
}

struct pass { /* what a search varies */
    struct search *x;
    const int *rate;
    int nrates, at; /* its rate is rate[at] */
    int type_intra, type_inter, most_intra, most_inter, cross, same;
    long left; /* steps of all searches */
};

/* Search at the current settings. Returns true if that settles it. */
static int try_once(struct pass *p)
{
    struct search *const x = p->x;
    x->steps = x->now.f.same ? STEPS_SAME : STEPS;
    x->now.f.channels = 0;
    p->left -= x->steps;
    search_channel(x);
    return x->steps == -1 ||
           x->best.f.channels * x->best.f.inter >= x->s->total_rate;
}

/* Relax the settings a little, as NCCL does: different orders, simpler trees,
 * longer paths, other NICs, a lower rate. Returns false when all were tried. */
static int relax(struct pass *p)
{
    struct search *const x = p->x;
    struct search_found *const f = &x->now.f, *const best = &x->best.f;
    const struct system *const s = x->s;
    const int wide = s->t->cpu[0].amd && f->type_intra == SYSTEM_SYS;
    if (f->same && !wide) {
        f->same = 0;
        return 1;
    }
    f->same = p->same;
    p->left = x->steps != -1 ? p->left + x->steps : STEPS_ALL;
    if (p->left < 0 && best->channels > 0)
        return 0;
    if (s->t->gpu[0].sm >= 90 && f->pattern == SEARCH_BALANCED) {
        f->pattern = SEARCH_TREE;
        return 1;
    }
    f->pattern = best->pattern;
    const int most = s->inter ? f->type_inter : p->most_intra;
    if (f->type_intra < most &&
        (best->channels == 0 || f->type_intra < best->type_intra) &&
        ++f->type_intra < SYSTEM_DIS)
        return 1;
    f->type_intra = p->type_intra;
    if (s->inter && f->type_inter < p->most_inter &&
        (best->channels == 0 || f->type_inter < best->type_inter ||
         f->type_inter < SYSTEM_PXN) &&
        ++f->type_inter < SYSTEM_DIS)
        return 1;
    f->type_inter = p->type_inter;
    if (p->cross == 2 && x->now.cross == 0 &&
        (best->pattern == SEARCH_RING || best->pattern == SEARCH_BALANCED)) {
        x->now.cross = 2;
        return 1;
    }
    x->now.cross = 0;
    if (p->at + 1 < p->nrates &&
        (best->channels == 0 ||
         100L * p->rate[p->at + 1] > 49L * best->inter)) {
        f->inter = f->intra = p->rate[++p->at];
        return 1;
    }
    return 0;
}

/* Split fast channels in two [ncclTopoDupChannels]. */
static void split(struct search *x)
{
    struct search_graph *const g = &x->best;
    struct search_found *const f = &g->f;
    const int sm = x->s->t->gpu[0].sm;
    if (f->channels == 0 || f->pattern == SEARCH_NVLS || f->intra < 25000 ||
        (sm > 80 && f->intra < 50000 && f->channels > 4))
        return;
    const int n = 2 * f->channels < g->most ? 2 * f->channels : g->most;
    const int parts = (n + f->channels - 1) / f->channels;
    for (int c = f->channels; c < n; c++) {
        memcpy(g->gpu[c], g->gpu[c - f->channels], sizeof g->gpu[c]);
        memcpy(g->net[c], g->net[c - f->channels], sizeof g->net[c]);
    }
    f->intra /= parts;
    f->inter /= parts;
    f->channels = n;
}

/* Raise the rate of what was found while searches end early: of rings; of NVLS,
 * between nodes; of trees, in the node. */
static void raise_rate(struct pass *p)
{
    struct search *const x = p->x;
    struct search_found *const f = &x->now.f, *const best = &x->best.f;
    p->at = 0;
    while (p->at + 1 < p->nrates && p->rate[p->at] > best->inter)
        p->at++;
    x->now = x->best;
    f->inter = f->intra = p->rate[p->at];
    x->now.least = best->channels;
    for (x->steps = -1; x->steps != 0 && p->at > 0;) {
        if (best->pattern == SEARCH_RING) {
            f->intra = f->inter = p->rate[--p->at];
        } else if (best->pattern == SEARCH_NVLS && f->inter == best->inter &&
                   f->inter < 2 * f->intra) {
            x->now.least = x->now.most = best->channels;
            f->inter = p->rate[--p->at];
        } else if (f->intra == best->intra && f->intra < 2 * f->inter) {
            f->intra = p->rate[--p->at];
        } else {
            break;
        }
        try_once(p);
    }
}

static void search_rates(struct pass *p)
{
    struct search *const x = p->x;
    long total = x->s->total_rate;
    const int n = x->s->ngpus;
    if (n > 1 && x->now.f.pattern != SEARCH_RING)
        total = total * n / (n - 1);
    while (p->at + 1 < p->nrates &&
           (p->rate[p->at] > x->s->max_rate ||
            (long)p->rate[p->at] * x->now.least > total))
        p->at++;
    x->now.f.intra = x->now.f.inter = p->rate[p->at];
    do {
        if (try_once(p))
            break;
    } while (relax(p));
    split(x);
    raise_rate(p);
}

static int generation(const struct topo *t)
{
    return t->gpu[0].sm >= 100 ? 2 : t->gpu[0].sm >= 90;
}

/* Search for channels of a pattern, from `least` to `most`. */
static struct search_found
search_for(struct search *x, enum search_pattern pattern, int least, int most)
{
    const struct system *const s = x->s;
    struct pass p = {.x = x,
                     .rate = rates[generation(s->t)][s->inter],
                     .cross = s->nnets > 1 && pattern != SEARCH_NVLS ? 2 : 0,
                     .type_inter = SYSTEM_PIX,
                     .most_intra = SYSTEM_SYS,
                     .most_inter = SYSTEM_SYS,
                     .same = pattern != SEARCH_NVLS,
                     .left = STEPS_ALL};
    while (p.nrates < MOST_RATES && p.rate[p.nrates] > 0)
        p.nrates++;
    if (s->ngpus > 1)
        find_types(s, 0, s->ngpus, &p.type_intra, &p.most_intra);
    if (s->inter)
        find_types(s, s->ngpus, s->nnets, &p.type_inter, &p.most_inter);
    if (s->ngpus == 1 && pattern == SEARCH_BALANCED)
        pattern = SEARCH_TREE;
    x->now = (struct search_graph){.f = {.pattern = pattern,
                                         .type_intra = p.type_intra,
                                         .type_inter = p.type_inter,
                                         .same = p.same},
                                   .least = least,
                                   .most = most};
    x->best = x->now;
    x->net_step = !s->inter ? -1 : pattern == SEARCH_RING ? s->ngpus - 1 : 0;
    x->first_step = !s->inter && pattern == SEARCH_RING ? s->ngpus - 1 : -1;
    search_rates(&p);
    struct search_found *const f = &x->best.f;
    if (f->channels == 0 && pattern != SEARCH_NVLS)
        *f = (struct search_found){.pattern = pattern,
                                   .channels = 1,
                                   .intra = 100,
                                   .inter = 100,
                                   .type_intra = SYSTEM_SYS,
                                   .type_inter = SYSTEM_SYS};
    return *f;
}

int search_all(struct system *s, struct search_results *out)
{
    struct search *const x = calloc(1, sizeof *x);
    *out = (struct search_results){0};
    if (!x)
        return -1;
    x->s = s;
    out->ring = search_for(x, SEARCH_RING, split_nvlinks(s) ? 2 : 1,
                           SYSTEM_CHANNELS / 2);
    out->tree =
        search_for(x, SEARCH_BALANCED, out->ring.channels, out->ring.channels);
    if (s->vswitch >= 0 && s->t->gpu[0].sm >= 90 && s->ngpus > 1 &&
        !s->t->nccl.no_nvls) {
        const int most = s->ngpus < NVLS_HEADS ? s->ngpus : NVLS_HEADS;
        out->nvls = search_for(x, SEARCH_NVLS, s->inter ? 1 : most, most);
    }
    for (int type = 0; type < SYSTEM_DIS; type++)
        for (int i = 0; i <= SYSTEM_GPUS; i++)
            free(x->nets[type][i]);
    const int failed = x->failed;
    free(x);
    return failed ? -1 : 0;
}
