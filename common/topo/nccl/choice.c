#include "topo/nccl/choice.h"

#include <math.h> /* INFINITY, fmin */

enum { NCELLS = TOPO_ALGOS * TOPO_PROTOS };

/* A time that is bounded by that of a larger size stays this part of the way
 * below it, so that it rises with the size, too. */
static const double TOWARDS_NEXT = 1024;

static const struct cell *cell(const struct cell_table *table, int i)
{
    return &table->at[i / TOPO_PROTOS][i % TOPO_PROTOS];
}

int choice_make(const struct topo *t, struct choice *c,
                const struct cell_table *table, int algos, int protos,
                double nbytes, int lines)
{
    int best = -1;
    double least = 0;
    c->free = c->allowed = *table;
    for (int i = 0; i < NCELLS; i++) {
        const int a = i / TOPO_PROTOS, p = i % TOPO_PROTOS;
        struct cell *const x = &c->allowed.at[a][p];
        if (a != TOPO_P2P && !(algos >> a & 1 && protos >> p & 1))
            x->GBps = 0;
        if (!(x->GBps > 0))
            continue;
        const double us = lines ? x->us + nbytes / (x->GBps * 1000)
                                : cell_guess(t, *x, nbytes);
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

/* The sizes, *lo to *hi, for which line x is the lowest; none if lo > hi. */
static void range_of(const struct cell_table *table, struct cell x, double *lo,
                     double *hi)
{
    *lo = 0;
    *hi = INFINITY;
    for (int i = 0; i < NCELLS; i++) {
        const struct cell y = *cell(table, i);
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
    if (next == INFINITY)
        return us;
    const double least = curve_us(all, nbytes), most = curve_us(all, next);
    return fmin(us, most - (most - least) / TOWARDS_NEXT);
}
