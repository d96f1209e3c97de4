/*
 * intake.h: what is taken of a submission
 */
#ifndef GRADER_INTAKE_H
#define GRADER_INTAKE_H

#include "place.h"
#include "result.h"

/*
 * Copy the plan's files from a folder or an archive to WORK/src, and nothing
 * else. 0, or -1 with the outcome set: a file is missing, no regular one, or
 * too large.
 */
int intake_take(const char *submission, const struct place *p,
                struct result *r);

#endif
