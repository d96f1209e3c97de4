#include "judge/points.h"

#include <math.h>  /* log */
#include <stdio.h> /* snprintf */

/* Modelled times are exact, measured ones almost: a time this close below the
 * limit is still possible. */
static const double LIMIT_SLACK = 0.999;

static const double SHOWN_US = 0.05; /* less would be printed as 0.0 */

static double score_of(const struct plan_case *c, double ratio)
{
    if (ratio <= c->full)
        return 1;
    if (!(ratio < c->none))
        return 0;
    return 1 - log(ratio / c->full) / log(c->none / c->full);
}

/* A time below this multiple of the reference time means a better algorithm, or
 * a way around the clock. */
static const double TOO_GOOD = 0.25;

/* "2.04 times", or of a measured ratio "2.04 (1.98 to 2.11) times". */
static const char *ratio_text(const struct judge_verdict *v, char *out,
                              size_t nbytes)
{
    const double ratio = v->time_us / v->reference_us;
    if (isnan(v->low))
        snprintf(out, nbytes, "%.2f times", ratio);
    else
        snprintf(out, nbytes, "%.2f (%.2f to %.2f) times", ratio, v->low,
                 v->high);
    return out;
}

void points_judge_time(const struct plan_case *c, struct judge_verdict *v)
{
    if (isnan(v->time_us)) {
        judge_fail(v, "the result is right, but it was not timed");
        return;
    }
    if (v->time_us < v->limit_us * LIMIT_SLACK) {
        v->suspected = 1;
        judge_fail(v,
                   "%.4g us is below the %.4g us that this machine needs at "
                   "least: a person will look at it",
                   v->time_us, v->limit_us);
        return;
    }
    if (isnan(v->reference_us)) // as on a machine without reference times
        return;
    char ratio[80];
    if (v->high < TOO_GOOD) {
        v->suspected = 1;
        judge_fail(
            v, "it takes %s as long as the reference: a person will look at it",
            ratio_text(v, ratio, sizeof ratio));
        return;
    }
    const double score =
        score_of(c, isnan(v->low) ? v->time_us / v->reference_us : v->low);
    if (score < 1)
        judge_fail(v,
                   "the result is right, but takes %s as long as the "
                   "reference; %g times is enough for all points",
                   ratio_text(v, ratio, sizeof ratio), c->full);
    v->score = score;
}

double points_earned(const struct plan_case *c, const struct judge_verdict *v)
{
    return round(c->points * v->score * 100) / 100;
}

const char *points_text(const struct plan_case *c,
                        const struct judge_verdict *v, char *out, size_t nbytes)
{
    const struct {
        const char *before;
        double us;
    } times[] = {{"", v->time_us},
                 {", reference ", v->reference_us},
                 {", limit ", v->limit_us}};
    size_t at = 0;
    out[0] = 0;
    if (!c->timed || !(v->time_us >= SHOWN_US))
        return out;
    for (size_t i = 0; i < sizeof times / sizeof *times && at < nbytes; i++)
        if (times[i].us >= SHOWN_US) // not NaN, and not 0.0
            at += (size_t)snprintf(out + at, nbytes - at, "%s%.1f us",
                                   times[i].before, times[i].us);
    if (!isnan(v->low) && at < nbytes)
        snprintf(out + at, nbytes - at, ", %.2f to %.2f times the reference",
                 v->low, v->high);
    return out;
}

enum outcome points_outcome(const struct judge_verdict *v)
{
    return v->pass        ? OUTCOME_PASS
           : v->suspected ? OUTCOME_SUSPECTED
           : v->skipped   ? OUTCOME_INFRA
                          : OUTCOME_FAIL;
}
