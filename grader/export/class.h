/*
 * class.h: from a ledger to a table of students
 */
#ifndef GRADER_CLASS_H
#define GRADER_CLASS_H

#include "grader/export/export.h"

/*
 * Fill in roster, rows, title and max_score (the plan's as long as nothing is
 * graded) of an export whose lab, ledger, timezone, late_percent and more are
 * set. The students are those of all of the
 * lab's batches; if one is in several, the last batch counts. Each has the last
 * grading of the latest attempt, or (best) of the one with most points, with
 * people's changes applied and the cost of being late, by the present deadline,
 * deducted. From then on, times are in that zone (roster_timezone()). lab may
 * be short ("lab1"); the full name is written to `lab`. Returns 0, or -1 with
 * the reason in err. Call class_release() in either case.
 */
int class_load(struct export *e, char lab[64], int best, char *err,
               size_t err_nbytes);
void class_release(struct export *e);

/* The row's attempt with this number; NULL if there is none. */
const struct attempt *class_attempt(const struct row *r, int number);

#endif
