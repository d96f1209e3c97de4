/*
 * regrade_change.h: how a regrading changes an attempt
 */
#ifndef GRADER_VERBS_REGRADE_CHANGE_H
#define GRADER_VERBS_REGRADE_CHANGE_H

#include "grader/export/class.h"

/* Print how a student's attempt changes in exports, with the cases whose points
 * differ. Returns 0 if it does not. */
int regrade_show_change(const struct row *r, const struct attempt *was,
                        const struct attempt *is);

#endif
