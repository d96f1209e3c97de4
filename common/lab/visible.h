/*
 * visible.h: the plan's visible cases, run and judged here, for the student
 */
#ifndef COMMLAB_LAB_VISIBLE_H
#define COMMLAB_LAB_VISIBLE_H

#include "lab/options.h"
#include "lab/run.h"

enum visible_end {
    VISIBLE_FULL,    /* all points of all cases that were asked for */
    VISIBLE_PARTIAL, /* not all */
    VISIBLE_STUCK,   /* not all, and devices have work that will never end */
};

/*
 * Run the cases, print a table (or JSON) on rank 0. All ranks call, after
 * run_setup(), and get the same answer. Does not return if a rank is lost (see
 * run_case); then some other rank has printed what there was to say.
 */
enum visible_end visible_run(struct lab_run *r, const struct options *o,
                             const struct plan *p);

#endif
