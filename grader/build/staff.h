/*
 * staff.h: the kit's files that a submission is compiled and linked with
 */
#ifndef GRADER_STAFF_H
#define GRADER_STAFF_H

#include "grader/job/place.h"
#include "grader/job/result.h"

/*
 * Copy to WORK/staff what a submission gets from the kit besides common/: the
 * lab's headers, the objects of its staff code, the runner and the judge.
 * Returns 0, or -1 with the outcome set.
 */
int staff_give(const struct place *p, struct result *r);

#endif
