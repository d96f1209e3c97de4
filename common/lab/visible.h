/*
 * visible.h: the plan's visible cases, run and judged here, for the student
 */
#ifndef COMMLAB_LAB_VISIBLE_H
#define COMMLAB_LAB_VISIBLE_H

#include "lab/options.h"
#include "lab/run.h"

enum visible_end {
    VISIBLE_FULL,    /* all points of all requested cases */
    VISIBLE_PARTIAL, /* fewer */
    VISIBLE_STUCK,   /* fewer, and devices have work that never completes */
};

/*
 * Run the cases and print a table (or JSON) on rank 0. All ranks call, after
 * run_setup(), and get the same result. Does not return if a rank is lost (see
 * run_case()); then some other rank prints the report.
 */
enum visible_end visible_run(struct lab_run *r, const struct options *o,
                             const struct plan *p);

#endif
