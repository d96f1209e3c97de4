/*
 * draw.h: draws when each stage ran its passes in a step. Given: nothing to
 * edit here.
 *
 * Times are those of events around each pass, from a barrier of all ranks on:
 * the drawing shows what happened, not what a schedule intended.
 */
#ifndef LAB4_DRAW_H
#define LAB4_DRAW_H

#include "lab/lab.h"
#include "lab4.h"
#include "measure.h"

struct pipeline_drawing { /* what to draw */
    const char *title;
    int nstages;
    struct stage *stage; /* this rank's */
    measure_fn *step;    /* enqueues a step */
    void *arg;
};

/*
 * Run a step, after one to warm up, and write an SVG file: a row for each stage
 * (of the first replica and tensor-parallel rank), and in it a bar for each
 * pass, with the number of its micro-batch. All ranks call. Returns 0, or 1 if
 * the file can't be written.
 */
int draw_step(struct lab_run *r, const struct pipeline_drawing *d,
              const char *path);

#endif
