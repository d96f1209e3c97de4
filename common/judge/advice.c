#include "judge/advice.h"

#include <math.h>   /* fabs, isnan */
#include <stdio.h>  /* snprintf */
#include <string.h> /* memcpy */

// no mistake in a sum gives a larger factor
static const double HUGE_RATIO = 1e5;

static int is_poison(const unsigned char *p, size_t nbytes)
{
    size_t i = 0;
    while (i < nbytes && p[i] == ADVICE_POISON)
        i++;
    return i == nbytes;
}

void advice_see(struct advice *a, double is, double should, const void *bytes,
                size_t nbytes)
{
    a->n++;
    a->nzero += is == 0;
    a->nkept += is_poison(bytes, nbytes);
    a->nhuge += fabs(is) > HUGE_RATIO * (should != 0 ? fabs(should) : 1);
    a->nnan += isnan(is);
    a->is2 += is * is;
    a->is_should += is * should;
    a->should2 += should * should;
}

/* The factor common to all wrong elements, up to rounding; NAN if
 * there is none. */
static double factor(const struct advice *a)
{
    static const double NOISE = 1e-5; // relative to the sum of squares
    const double ratio = a->is_should / a->should2;
    const double rest = a->is2 - ratio * a->is_should;
    return rest <= NOISE * a->is2 ? ratio : NAN;
}

/* The integer from 2 on that x is nearly equal to; 0 if there is none. */
static int whole(double x)
{
    const double n = round(x);
    return n >= 2 && n <= 1024 && fabs(x - n) <= 3e-3 * n ? (int)n : 0;
}

const char *advice_text(const struct advice *a, char *out, size_t nbytes)
{
    enum { ENOUGH = 4 }; // elements: fewer could share a factor by coincidence
    const int more = whole(factor(a)), less = whole(1 / factor(a));
    out[0] = 0;
    if (a->n && a->nkept == a->n)
        snprintf(out, nbytes,
                 "\nNothing was written there: is the part of the buffer that "
                 "each call writes right,\nand does every rank get there?");
    else if (a->n && a->nzero == a->n)
        snprintf(out, nbytes,
                 "\nAll of these are 0: is the result read before it is there? "
                 "Synchronise the\nstream before the host reads what a copy "
                 "brings; check that all of it is computed.");
    else if (a->n && a->nhuge == a->n)
        snprintf(
            out, nbytes,
            "\nAll of these are far too large: do they contain memory that "
            "was never written or\nset to zero? Which copy, sum or memset "
            "is to do that first?");
    else if (a->n && a->nnan == a->n)
        snprintf(out, nbytes,
                 "\nNone of these is a number: do they come from 0 / 0, or "
                 "from infinity - infinity?\nOr from memory without a result, "
                 "such as a sum that an abort has ended?");
    else if (a->n >= ENOUGH && more)
        snprintf(out, nbytes,
                 "\nAll of these are %d times too large: a sum that is not "
                 "divided by the number of\nterms, or that is added up more "
                 "than once.",
                 more);
    else if (a->n >= ENOUGH && less)
        snprintf(out, nbytes,
                 "\nAll of these are %d times too small: averaged twice, or "
                 "divided though a part\nof the sum is missing.",
                 less);
    else if (a->n)
        snprintf(out, nbytes,
                 "\nIs a block, a root, a type or an operation wrong, or an "
                 "element left out? Which\nelements differ tells: try the "
                 "fewest ranks and elements with which they do.");
    return out;
}
