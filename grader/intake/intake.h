/*
 * intake.h: taking the files of a submission
 */
#ifndef GRADER_INTAKE_H
#define GRADER_INTAKE_H

#include "grader/job/place.h"
#include "grader/job/result.h"

/*
 * Copy the plan's files, and nothing else, from a folder or an archive to
 * WORK/src. For a missing file the lab's own is taken, and a note says so.
 * Returns 0, or -1 with the outcome set: all files are missing, or one is not a
 * regular file, is present twice, or is too large.
 */
int intake_take(const char *submission, const struct place *p,
                struct result *r);

#endif
