/*
 * picture.h: pictures of a run for a student's page
 *
 * The pictures are a timeline, and the data of an interactive page
 * (graph/draw/view.h). Both show one visible case, and nothing else that ran at
 * the same time. If student code opens a range with the name of a case's range,
 * there are no pictures.
 */
#ifndef GRADER_PICTURE_H
#define GRADER_PICTURE_H

#include "grader/job/result.h"
#include "grader/run/shown.h"

/* Keep the pictures of one iteration of a visible case: over all runs of a
 * submission, the largest timeline that is not too large. */
void picture_keep(const struct shown *s, struct result *r);

/* Case i ended the run: keep its pictures up to that point, if it is visible
 * and the submission's first such case. */
void picture_keep_end(const struct shown *s, int i, struct result *r);

#endif
