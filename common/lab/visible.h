/*
 * visible.h: the plan's visible cases, run and judged here, for the student
 */
#ifndef COMMLAB_LAB_VISIBLE_H
#define COMMLAB_LAB_VISIBLE_H

#include "lab/options.h"
#include "lab/run.h"

enum visible_end {
    VISIBLE_FULL,    /* all points of all requested cases */
    VISIBLE_PARTIAL, /* fewer points */
    VISIBLE_STUCK,   /* fewer, and a device has work that never completes */
};

/*
 * Run the cases and print a table (or JSON) on rank 0. All ranks call it after
 * run_setup() and get the same result. If a rank is lost (see run_case()), it
 * does not return; another rank prints the report.
 */
enum visible_end visible_run(struct lab_run *r, const struct lab_options *o,
                             const struct plan *p);

#endif
