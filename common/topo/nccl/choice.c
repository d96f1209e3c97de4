#include "topo/nccl/choice.h"

#include <math.h>   /* fmin */
#include <stdlib.h> /* calloc */

#include "topo/nccl/tuner.h"

/* A time that is limited by that of another size rises by this part of it. */
static const double RISE = 1. / 1024;

static const double MOST_BYTES = 1LL << 52;

/* What NCCL takes for a size, allowed and free. Returns 0, or -1 if nothing is
 * allowed. */
static int pair_at(const struct topo *t, const struct shape *s,
                   const struct choice *c, double nbytes,
                   struct choice_pair *out)
{
    enum topo_algo algo;
    enum topo_proto proto;
    int protos = c->sets.protos;
    if (c->sets.ll > 0)
        protos &= nbytes <= c->sets.ll ? 1 << TOPO_LL : ~(1 << TOPO_LL);
    if (tuner_choose(t, s, c->op, nbytes, c->sets.algos, protos, &out->algo,
                     &out->proto) != 0)
        return -1;
    out->free = tuner_choose(t, s, c->op, nbytes, TOPO_ANY, TOPO_ANY, &algo,
                             &proto) == 0 &&
                algo == out->algo && proto == out->proto;
    return 0;
}

static int same(const struct choice_pair *a, const struct choice_pair *b)
{
    return a->algo == b->algo && a->proto == b->proto && a->free == b->free;
}

static void add_range(struct choice *c, double from,
                      const struct choice_pair *pair)
{
    if (c->n == CHOICE_RANGES ||
        (c->n > 0 && same(&c->range[c->n - 1].pair, pair)))
        return;
    c->range[c->n++] = (struct choice_range){from, *pair};
}

/*
 * The end of the range of `pair`, which is chosen for lo bytes, at most hi. Up
 * to hi, each pair's expected time is a line, so a pair is chosen for one range
 * of sizes, or never.
 */
static double range_end(const struct topo *t, const struct shape *s,
                        const struct choice *c, const struct choice_pair *pair,
                        double lo, double hi)
{
    double out = hi - 1;
    struct choice_pair there;
    if (pair_at(t, s, c, out, &there) != 0 || same(pair, &there))
        return hi;
    while (out - lo > 1) {
        const double middle = floor(lo + (out - lo) / 2);
        pair_at(t, s, c, middle, &there);
        if (same(pair, &there))
            lo = middle;
        else
            out = middle;
    }
    return out;
}

static void find_ranges(const struct topo *t, const struct shape *s,
                        struct choice *c)
{
    double lo = 0;
    while (lo < MOST_BYTES) {
        double hi = fmin(tuner_next_lines(t, s, lo), MOST_BYTES);
        if (lo <= c->sets.ll)
            hi = fmin(hi, c->sets.ll + 1);
        struct choice_pair pair;
        while (lo < hi) {
            if (pair_at(t, s, c, lo, &pair) != 0)
                return;
            add_range(c, lo, &pair);
            lo = range_end(t, s, c, &pair, lo, hi);
        }
    }
}

static struct choice *find(const struct shape *s, enum topo_op op,
                           struct choice_sets sets)
{
    struct choice *c = s->choices;
    while (c && (c->op != op || c->sets.algos != sets.algos ||
                 c->sets.protos != sets.protos || c->sets.ll != sets.ll))
        c = c->next;
    return c;
}

int choice_of(const struct topo *t, struct shape *s, enum topo_op op,
              struct choice_sets sets, const struct choice **out)
{
    struct topo *const mutable = (struct topo *)t; // its lock guards shapes
    if (shape_search(t, s) != 0)
        return -1;
    pthread_mutex_lock(&mutable->lock);
    struct choice *c = find(s, op, sets);
    if (!c && (c = calloc(1, sizeof *c))) {
        c->op = op;
        c->sets = sets;
        find_ranges(t, s, c);
        c->next = s->choices;
        s->choices = c;
    }
    pthread_mutex_unlock(&mutable->lock);
    *out = c;
    return !c ? -1 : c->n == 0;
}

const struct choice_range *choice_at(const struct choice *c, double nbytes)
{
    int i = c->n - 1;
    while (i > 0 && c->range[i].from > nbytes)
        i--;
    return &c->range[i];
}

/* What the links of earlier ranges leave for a size in range r: no less than
 * the last size of each of them. */
static double floor_us(const struct choice *c, const struct choice_range *r,
                       choice_time *least_us, const void *user, double nbytes)
{
    double least = 0;
    for (const struct choice_range *e = c->range; e < r; e++) {
        const double us = least_us(user, &e->pair, e[1].from);
        least = fmax(least, us * (1 + RISE * (1 - e[1].from / nbytes)));
    }
    return least;
}

double choice_us(const struct choice *c, choice_time *us, choice_time *least_us,
                 const void *user, double nbytes)
{
    const struct choice_range *const at = choice_at(c, nbytes);
    const struct choice_range *const last = &c->range[c->n - 1];
    double next = INFINITY; // the time from which the next range begins
    for (const struct choice_range *r = last; r >= at; r--) {
        const double size = r == at ? nbytes : r->from;
        double limit = next;
        if (r < last)
            limit *= 1 - RISE * (1 - size / r[1].from);
        next = fmax(fmin(us(user, &r->pair, size), limit),
                    floor_us(c, r, least_us, user, size));
    }
    return next;
}

enum topo_proto choice_message(const struct topo *t,
                               const struct cell_table *table, double nbytes,
                               int lines)
{
    const struct cell *const ll = &table->at[TOPO_P2P][TOPO_LL];
    const struct cell *const simple = &table->at[TOPO_P2P][TOPO_SIMPLE];
    const double ll_us =
        lines ? ll->us + nbytes / (ll->GBps * 1000) : cell_time(t, *ll, nbytes);
    const double simple_us = lines ? simple->us + nbytes / (simple->GBps * 1000)
                                   : cell_time(t, *simple, nbytes);
    return ll_us <= simple_us ? TOPO_LL : TOPO_SIMPLE;
}

void choice_drop(struct shape *s)
{
    while (s->choices) {
        struct choice *const c = s->choices;
        s->choices = c->next;
        free(c);
    }
}
