/*
 * points.h: points for times
 *
 * A timed case with a right result is scored by the ratio of its time to the
 * reference time: all points up to plan_case.full, none from plan_case.none on,
 * and in between by the logarithm of the ratio, so that equal factors cost
 * equal points:
 *
 *     score = 1 - log(ratio / full) / log(none / full)
 *
 * A measured ratio is an interval (interval.h), of which the lower end counts,
 * so noise of the machine never costs a student points.
 *
 * A time below the machine's physical limit is flagged for review instead of
 * scored. On real GPUs the limit is unknown; there, times below a quarter of
 * the reference time are flagged. Only this module converts times to points.
 */
#ifndef COMMLAB_JUDGE_POINTS_H
#define COMMLAB_JUDGE_POINTS_H

#include "judge/judge.h"
#include "judge/outcome.h"

/* Judge v->time_us of a case that is right so far, by v->reference_us, or by
 * v->low and v->high if they are known, and by v->limit_us (NaN: no limit). */
void points_judge_time(const struct plan_case *c, struct judge_verdict *v);

/* Points that a verdict earns, rounded to hundredths. An answer that is not
 * judged yet earns none. */
double points_earned(const struct plan_case *c, const struct judge_verdict *v);

/*
 * "412.3 us, reference 398.1 us, lower bound 210 us" for a timed case, leaving
 * out what is unknown; "" if the case isn't timed. Returns out.
 */
const char *points_text(const struct plan_case *c,
                        const struct judge_verdict *v, char *out,
                        size_t nbytes);

/* A case passes with all of its points; its outcome is infra if this machine
 * cannot run it. */
enum outcome points_outcome(const struct judge_verdict *v);

#endif
