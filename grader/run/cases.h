/*
 * cases.h: which cases run together, and their verdicts
 */
#ifndef GRADER_CASES_H
#define GRADER_CASES_H

#include "grader/job/place.h"
#include "grader/job/request.h"
#include "grader/job/result.h"

/*
 * Run WORK/out/program on all requested cases, and keep their verdicts. Returns
 * 0, or -1 with the outcome set if this machine is at fault.
 */
int cases_run(const struct request *q, const struct place *p, struct result *r);

#endif
