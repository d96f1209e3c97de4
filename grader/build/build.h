/*
 * build.h: compiling and linking a submission
 */
#ifndef GRADER_BUILD_H
#define GRADER_BUILD_H

#include "grader/job/place.h"
#include "grader/job/request.h"
#include "grader/job/result.h"

/*
 * Build WORK/out/program from WORK/src, in the sandbox. Returns 0, or -1 with
 * the outcome set: it does not compile, or audit.h refuses one of its objects.
 */
int build_program(const struct request *q, const struct place *p,
                  struct result *r);

#endif
