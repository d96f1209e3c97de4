/*
 * rounds.h: measured times, in rounds of reference and submission
 */
#ifndef GRADER_ROUNDS_H
#define GRADER_ROUNDS_H

#include "grader/run/run.h"

/*
 * Time the batch's cases, whose results were right, by running reference and
 * submission alternately. Each case's verdict is kept. Returns 0, or -1 with
 * the outcome set.
 */
int rounds_run(const struct request *q, const struct place *p,
               struct run_batch *b, struct result *r);

/* False in a student's copy of the kit, which has no reference: it can judge
 * results, but not measured times. */
int rounds_possible(const struct place *p);

#endif
