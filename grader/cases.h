/*
 * cases.h: which cases run together, and what they come to
 */
#ifndef GRADER_CASES_H
#define GRADER_CASES_H

#include "place.h"
#include "request.h"
#include "result.h"

/*
 * Run WORK/out/program on all cases that are asked for, and keep their
 * verdicts. 0, or -1 with the outcome set when this machine is at fault.
 */
int cases_run(const struct request *q, const struct place *p, struct result *r);

#endif
