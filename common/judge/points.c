#include "judge/points.h"

#include <math.h>  /* log */
#include <stdio.h> /* snprintf */

/* Modelled times are exact, measured ones nearly: a time this close below the
 * limit is still possible. */
static const double LIMIT_SLACK = 0.999;

static const double SHOWN_US = 0.05; /* shorter times would be printed as 0.0 */

static double score_of(const struct plan_case *c, double ratio)
{
    if (ratio <= c->full)
        return 1;
    if (!(ratio < c->none))
        return 0;
    return 1 - log(ratio / c->full) / log(c->none / c->full);
}

/* A time below this multiple of the reference time means that the algorithm is
 * better, or that the clock was evaded. */
static const double TOO_GOOD = 0.25;

/* "2.04 times", or "2.04 (1.98 to 2.11) times" for a measured ratio. */
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

static void judge_time(const struct plan_case *c, struct judge_verdict *v)
{
    if (isnan(v->time_us)) {
        judge_fail_method(v, "the result is right, but it was not timed");
        return;
    }
    if (v->time_us < v->limit_us * LIMIT_SLACK) {
        judge_fail(v,
                   "work is missing: what this case has to move and compute "
                   "takes this machine at least %.4g us, and the run took "
                   "%.4g us",
                   v->limit_us, v->time_us);
        return;
    }
    if (isnan(v->reference_us)) // this machine may have no reference times
        return;
    char ratio[80];
    if (v->high < TOO_GOOD)
        judge_suspect(
            v, "it takes %s as long as the reference: a person will look at it",
            ratio_text(v, ratio, sizeof ratio));
    if (v->suspected)
        return;
    const double score =
        score_of(c, isnan(v->low) ? v->time_us / v->reference_us : v->low);
    if (score < 1)
        judge_fail_method(v,
                          "the result is right, but takes %s as long as the "
                          "reference; %g times is enough for all points",
                          ratio_text(v, ratio, sizeof ratio), c->full);
    v->score = score;
}

void points_judge_time(const struct plan_case *c, struct judge_verdict *v)
{
    struct judge_verdict trusted = *v;
    judge_time(c, v);
    if (!v->suspected)
        return;
    trusted.trusting = 1;
    judge_time(c, &trusted);
    judge_beneath(v, &trusted);
}

double points_earned(const struct plan_case *c, const struct judge_verdict *v)
{
    return v->answered ? 0 : round(c->points * v->score * 100) / 100;
}

const char *points_text(const struct plan_case *c,
                        const struct judge_verdict *v, char *out, size_t nbytes)
{
    const struct {
        const char *before;
        double us;
    } times[] = {{"", v->time_us},
                 {", reference ", v->reference_us},
                 {", lower bound ", v->limit_us}};
    size_t at = 0;
    out[0] = 0;
    if (!c->timed || !(v->time_us >= SHOWN_US))
        return out;
    for (size_t i = 0; i < sizeof times / sizeof *times && at < nbytes; i++)
        if (times[i].us >= SHOWN_US) // neither NaN nor printed as 0.0
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
