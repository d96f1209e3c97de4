/*
 * grade.h: one submission, from a folder to points
 *
 * A verb says what it wants in a request (request.h), finds the place
 * (place.h), and gets a result (result.h). Each step reads the first two and
 * adds to the third:
 *
 *     grade_submission
 *         intake_take    the plan's files, from the folder or archive
 *         build_program  compiled in the sandbox, linked with the kit's objects
 *         cases_run      which cases run together, and on what
 *             run_make       start the ranks in the sandbox, with their jobs
 *             shown_judge    here, after the ranks are gone
 *             rounds_run     times that are measured: more runs, judged alike
 *     grade_print, grade_write_json
 *
 * A call goes from top to bottom only. What a submission does wrong costs its
 * own cases; what this machine does wrong is `infra` and never costs points.
 */
#ifndef GRADER_GRADE_H
#define GRADER_GRADE_H

#include "place.h"
#include "request.h"
#include "result.h"

/*
 * Grade the request's submission at a place that was found for it. The folder
 * to work in is made and removed, and the machine's GPUs are asked for, if they
 * matter; else p stays as it is. The caller is to result_release().
 */
void grade_submission(const struct request *q, struct place *p,
                      struct result *r);

/* The table, on stdout. */
void grade_print(const struct place *p, const struct result *r);

/* All of it, in a file; -1 with a message printed. */
int grade_write_json(const char *path, const struct request *q,
                     const struct place *p, const struct result *r);

#endif
