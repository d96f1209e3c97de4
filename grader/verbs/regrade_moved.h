/*
 * regrade_moved.h: what a regrading would do because the plan changed
 *
 * A new draw of a question's numbers makes answers wrong that were right, and
 * no student can be blamed for it. Cases that are worth other points than when
 * a submission was graded change its grade even where no verdict changes. The
 * preview warns of both before a TA appends anything.
 */
#ifndef GRADER_VERBS_REGRADE_MOVED_H
#define GRADER_VERBS_REGRADE_MOVED_H

#include "grader/ledger/grading.h"
#include "judge/plan.h"

struct regrade_moved {
    const struct plan *plan;
    struct regrade_moved_case *c; /* by the plan's cases */
    int nodd;      /* results whose points don't add up to the plan's */
    double odd;    /* what those of the first add up to */
    char *absent;  /* the first graded case that the plan lacks; NULL: none */
    int several;   /* the plan lacks others, too */
    int ngradings; /* gradings that were compared */
};

/* Begin to compare gradings with a plan, which has to stay. */
void regrade_moved_init(struct regrade_moved *m, const struct plan *plan);
void regrade_moved_release(struct regrade_moved *m);

/* Compare a grading with the result that would take its place. A grading or a
 * result without cases says nothing of the plan. */
void regrade_moved_add(struct regrade_moved *m, const struct grading *was,
                       const json_t *is);

/* Print "grade regrade: ..." to standard error for all that moved. */
void regrade_moved_warn(const struct regrade_moved *m);

#endif
