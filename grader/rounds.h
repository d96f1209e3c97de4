/*
 * rounds.h: times that are measured, in rounds of reference and submission
 */
#ifndef GRADER_ROUNDS_H
#define GRADER_ROUNDS_H

#include "run.h"

/*
 * Time the batch's cases, whose results were right: the reference and the
 * submission alternately. Each case's verdict is kept. 0, or -1 with the
 * outcome set.
 */
int rounds_run(const struct request *q, const struct place *p, struct batch *b,
               struct result *r);

/* False in a student's copy of the kit, which has no reference: results can be
 * judged there, but not times. */
int rounds_possible(const struct place *p);

#endif
