/*
 * draw.h: a step as a picture: when each stage did what. Given: nothing to
 * edit here.
 *
 * Times are those of events around each pass, counted from a barrier of all
 * ranks, so the picture is of what happened, not of what a schedule intended.
 */
#ifndef LAB4_DRAW_H
#define LAB4_DRAW_H

#include "lab/lab.h"
#include "lab4.h"

/*
 * Take a step of c, without contents, after one to warm up, and write an SVG
 * file: a row for each stage (the first replica's, the first tensor-parallel
 * rank's), a bar for each pass with the number of its micro-batch. All ranks
 * call. Returns 0, or 1 if the file can't be written.
 */
int draw_step(struct lab_run *r, const struct hybrid_config *c,
              const char *title, const char *path);

#endif
