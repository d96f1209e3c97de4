/*
 * build.h: compiling and linking a submission
 */
#ifndef GRADER_BUILD_H
#define GRADER_BUILD_H

#include "place.h"
#include "request.h"
#include "result.h"

/*
 * Make WORK/out/program of WORK/src, in the sandbox. 0, or -1 with the outcome
 * set: it does not compile, or its objects are not what they should be
 * (audit.h).
 */
int build_program(const struct request *q, const struct place *p,
                  struct result *r);

#endif
