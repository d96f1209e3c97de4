/*
 * grade.h: one submission, from a folder to points
 *
 * A verb describes its task in a request (request.h), finds the place
 * (place.h), and gets a result (result.h). Each step reads the first two and
 * adds to the third:
 *
 *     grade_submission
 *         intake_take    take the plan's files from the folder or archive
 *         build_program  compile in the sandbox, link with the kit's objects
 *         cases_run      decide which cases run together, and on what
 *             run_make       start the ranks in the sandbox, with their jobs
 *             shown_judge    judge here, after the ranks have ended
 *             rounds_run     measured times: more runs, judged the same way
 *     grade_print, grade_write_json
 *
 * Calls go from top to bottom only. What a submission does wrong costs its own
 * cases; what this machine does wrong is `infra` and never costs points.
 */
#ifndef GRADER_GRADE_H
#define GRADER_GRADE_H

#include "grader/job/place.h"
#include "grader/job/request.h"
#include "grader/job/result.h"

/*
 * Grade the request's submission at a place that was found for it. Creates and
 * removes the work folder, and finds out about the machine's GPUs if they
 * matter; otherwise p stays as it is. The caller calls result_release().
 */
void grade_submission(const struct request *q, struct place *p,
                      struct result *r);

/* Print the table to stdout. */
void grade_print(const struct request *q, const struct place *p,
                 const struct result *r);

/* Write everything to a file. Returns 0, or -1 after printing a message. */
int grade_write_json(const char *path, const struct request *q,
                     const struct place *p, const struct result *r);

#endif
