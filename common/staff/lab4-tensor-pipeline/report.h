/*
 * report.h: lab 4's commands, which measure your functions on networks without
 * contents. Given: nothing to edit here.
 */
#ifndef LAB4_REPORT_H
#define LAB4_REPORT_H

#include "lab/lab.h"
#include "lab4.h"

/* --benchmark: the parts of a step on all ranks, and its memory. */
int report_benchmark(struct lab_run *r, int argc, char **argv);

/* --scaling: one network on 1, 2, 4, ... of the ranks. */
int report_scaling(struct lab_run *r, int argc, char **argv);

/* --bubble: idle time with all ranks as stages, for both schedules and several
 * numbers of micro-batches. */
int report_bubble(struct lab_run *r, int argc, char **argv);

/* --draw: a drawing of a step, with a row for each stage (draw.h). */
int report_drawing(struct lab_run *r, int argc, char **argv);

/* --zero: schedules without a bubble, next to 1F1B (report_zero.c). */
int report_zero(struct lab_run *r, int argc, char **argv);

/* --dualpipe: bubbles of schedules up to DualPipe's, next to the published ones
 * (report_dual.c). */
int report_dual(struct lab_run *r, int argc, char **argv);

/* --pieces: a layer whose products hide their messages (report_pieces.c). */
int report_pieces(struct lab_run *r, int argc, char **argv);

/* --share: products that run next to collectives in chunks, for several numbers
 * of CTAs that the collectives may use (report_share.c). */
int report_share(struct lab_run *r, int argc, char **argv);

/* Micro-batches without contents, all the same. */
void report_batch(struct lab_run *r, const struct nn_shape *s, int nmicro,
                  struct nn_batch *batch);

/* --placement: tensor parallel between consecutive ranks, and between distant
 * ones. */
int report_placement(struct lab_run *r, int argc, char **argv);

#endif
