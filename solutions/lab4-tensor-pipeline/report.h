/*
 * report.h: lab 4's commands, which measure your functions on networks without
 * contents. Given: nothing to edit here.
 */
#ifndef LAB4_REPORT_H
#define LAB4_REPORT_H

#include "lab/lab.h"

/* --benchmark: one step of all ranks, what of it is what, and memory. */
int report_benchmark(struct lab_run *r, int argc, char **argv);

/* --scaling: one network on 1, 2, 4, ... of the ranks. */
int report_scaling(struct lab_run *r, int argc, char **argv);

/* --bubble: all ranks as stages, both schedules, several numbers of
 * micro-batches. */
int report_bubble(struct lab_run *r, int argc, char **argv);

/* --draw: a picture of a step, a row for each stage (draw.h). */
int report_drawing(struct lab_run *r, int argc, char **argv);

/* --placement: tensor parallel among neighbours, and among ranks that are
 * apart. */
int report_placement(struct lab_run *r, int argc, char **argv);

#endif
