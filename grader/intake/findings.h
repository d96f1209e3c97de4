/*
 * findings.h: what a grading will note about the files of a submission
 */
#ifndef GRADER_FINDINGS_H
#define GRADER_FINDINGS_H

#include "judge/plan.h"

/* Print a line for each of the plan's files that will cost points or be taken
 * with a note, and one with the other files if some are missing. `dir` is the
 * submission's folder, `key` begins each line. */
void findings_print(const struct plan *p, const char *dir, const char *key);

#endif
