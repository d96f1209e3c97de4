/*
 * intake.h: what is taken of a submission
 */
#ifndef GRADER_INTAKE_H
#define GRADER_INTAKE_H

#include "place.h"
#include "result.h"

/*
 * Copy the plan's files from a folder or an archive to WORK/src, and nothing
 * else. For one that is missing the lab's own is taken, and a note says so. 0,
 * or -1 with the outcome set: all are missing, or one is no regular file, there
 * twice, or too large.
 */
int intake_take(const char *submission, const struct place *p,
                struct result *r);

#endif
