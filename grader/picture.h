/*
 * picture.h: what a student's page shows of a run
 *
 * A timeline, and what a page to look closer has to know (graph/view.h): both
 * of one visible case, and of nothing else that ran beside it. A range of the
 * student's that has the name of a case's shows nothing.
 */
#ifndef GRADER_PICTURE_H
#define GRADER_PICTURE_H

#include "result.h"
#include "shown.h"

/* Keep those of one iteration of a visible case: of all that a submission
 * makes, the largest timeline that is not too large. */
void picture_keep(const struct shown *s, struct result *r);

/* Case i ended the run: keep those of it up to there, if it is a visible one
 * and the first of its submission. */
void picture_keep_end(const struct shown *s, int i, struct result *r);

#endif
