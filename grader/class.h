/*
 * class.h: from a ledger to a table of students
 */
#ifndef GRADER_CLASS_H
#define GRADER_CLASS_H

#include "export.h"

/*
 * Fill roster, rows, title, max_score of an export whose lab, ledger, timezone
 * and late_percent are set: the students of all of the lab's batches (of one
 * who is in several, what the last says), and for each the last grading of the
 * latest attempt, or (best) of the one with most points, as changed by people
 * and less what being late costs by today's deadline. Times are in that zone
 * from now on (roster_timezone). lab may be short ("lab1"); it is filled into
 * `lab`. 0, or -1 with the reason in err. class_release() in either case.
 */
int class_load(struct export *e, char lab[64], int best, char *err,
               size_t err_nbytes);
void class_release(struct export *e);

#endif
