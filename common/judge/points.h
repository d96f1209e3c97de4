/*
 * points.h: what a time is worth
 *
 * A timed case whose result is right is scored by the ratio of its time to the
 * reference's: all points up to plan_case.full, none from plan_case.none on, and
 * in between by the logarithm of the ratio, so that each further factor costs the
 * same:
 *
 *     score = 1 - log(ratio / full) / log(none / full)
 *
 * A measured ratio is an interval (interval.h); its lower end counts, so that what
 * the machine did by chance never costs a student anything.
 *
 * A time below the machine's physical limit is no score but a flag: somebody has
 * to look at it. Of a machine that is measured nobody knows the limit; there the
 * flag is for what takes less than a quarter of the reference's time. Times
 * become points here and nowhere else.
 */
#ifndef COMMLAB_JUDGE_POINTS_H
#define COMMLAB_JUDGE_POINTS_H

#include "judge/judge.h"

/* Judge v->time_us, of a case that is right so far, by v->reference_us, or
 * v->low and v->high where they are known, and v->limit_us (NaN: there is none). */
void points_judge_time(const struct plan_case *c, struct judge_verdict *v);

/* Points that a verdict earns, to the hundredth. */
double points_earned(const struct plan_case *c, const struct judge_verdict *v);

/*
 * "412.3 us, reference 398.1 us, limit 210 us" of a timed case, as far as they
 * are known; "" if the case isn't timed. Returns out.
 */
const char *points_text(const struct plan_case *c,
                        const struct judge_verdict *v, char *out,
                        size_t nbytes);

/* "pass", "fail", "suspected", or "infra" of a case that this machine cannot run:
 * a case passes with all of its points. */
const char *points_outcome(const struct judge_verdict *v);

#endif
