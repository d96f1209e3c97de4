/*
 * results.h: verdicts on the plan's cases, printed as a table or as JSON
 */
#ifndef COMMLAB_LAB_RESULTS_H
#define COMMLAB_LAB_RESULTS_H

#include "judge/needs.h"
#include "lab/options.h"
#include "lab/progress.h"

struct results {
    const struct lab_options *o;
    const struct plan *p;
    struct lab_progress *progress; /* holds the verdicts */
    const char *machine;           /* modelled machine; NULL for real GPUs */
    struct judge_place place;
    int nranks, device;
};

enum results_place { RESULTS_NOWHERE, RESULTS_HERE, RESULTS_ELSEWHERE };

/* Whether case i is requested, and whether this job can run it. */
enum results_place results_place(const struct results *v, int i);

/* Print the head of the table, once per job. */
void results_head(const struct results *v);

/* Print the verdict on case i, and note that it is printed. */
void results_row(const struct results *v, int i);

/* Add up the points earned, and those that the requested cases are worth here.
 * Returns the number of answered questions, which are in neither sum. */
int results_points(const struct results *v, double *points, double *most);

/* Print the total, or everything as JSON, and note that the job is complete. */
void results_end(const struct results *v);

#endif
