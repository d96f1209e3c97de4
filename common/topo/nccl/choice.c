#include "topo/choice.h"

#include <math.h> /* INFINITY, fmin */

enum { NCELLS = TOPO_ALGOS * TOPO_PROTOS };

static const struct tuning *cell(const struct tuning_table *table, int i)
{
    return &table->at[i / TOPO_PROTOS][i % TOPO_PROTOS];
}

int choice_make(const struct topo *t, struct choice *c,
                const struct tuning_table *table, int algos, int protos,
                double nbytes, int lines)
{
    int best = -1;
    double least = 0;
    c->free = c->allowed = *table;
    for (int i = 0; i < NCELLS; i++) {
        const int a = i / TOPO_PROTOS, p = i % TOPO_PROTOS;
        struct tuning *const x = &c->allowed.at[a][p];
        if (a != TOPO_P2P && !(algos >> a & 1 && protos >> p & 1))
            x->GBps = 0;
        if (!(x->GBps > 0))
            continue;
        const double us = lines ? x->us + nbytes / (x->GBps * 1000)
                                : tuning_guess(t, *x, nbytes);
        if (best < 0 || us < least) {
            best = i;
            least = us;
        }
    }
    if (best < 0)
        return -1;
    c->algo = (enum topo_algo)(best / TOPO_PROTOS);
    c->proto = (enum topo_proto)(best % TOPO_PROTOS);
    return 0;
}

/* The sizes for which line x is the lowest: *lo to *hi, none if lo > hi. */
static void range_of(const struct tuning_table *table, struct tuning x,
                     double *lo, double *hi)
{
    *lo = 0;
    *hi = INFINITY;
    for (int i = 0; i < NCELLS; i++) {
        const struct tuning y = *cell(table, i);
        if (!(y.GBps > 0))
            continue;
        // x.us + S / x.GBps <= y.us + S / y.GBps, in us and thousands of bytes
        const double slope = 1 / x.GBps - 1 / y.GBps;
        const double gap = (y.us - x.us) * 1000;
        if (slope > 0)
            *hi = fmin(*hi, gap / slope);
        else if (slope < 0)
            *lo = fmax(*lo, gap / slope);
        else if (gap < 0)
            *hi = -1;
    }
}

double choice_us(const struct choice *c, const struct calibration_curve *all,
                 const struct calibration_curve *own, double nbytes)
{
    double last = -1,
           next = INFINITY; // sizes at which the free choice is allowed
    for (int i = 0; i < NCELLS; i++) {
        double lo, hi;
        if (!(cell(&c->allowed, i)->GBps > 0))
            continue;
        range_of(&c->free, *cell(&c->free, i), &lo, &hi);
        if (lo > hi)
            continue;
        if (lo <= nbytes)
            last = fmax(last, fmin(hi, nbytes));
        if (hi >= nbytes)
            next = fmin(next, fmax(lo, nbytes));
    }
    double us = curve_us(own, nbytes);
    if (last >= 0)
        us += curve_us(all, last) - curve_us(own, last);
    return next < INFINITY ? fmin(us, curve_us(all, next)) : us;
}
