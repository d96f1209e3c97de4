/*
 * plot.h: curves in an SVG file. Given: nothing to edit here.
 */
#ifndef LAB5_PLOT_H
#define LAB5_PLOT_H

#include "lab/lab.h"

enum { PLOT_POINTS = 128, PLOT_CURVES = 8 };

struct plot_curve {
    char name[40];
    int n;
    double x[PLOT_POINTS], y[PLOT_POINTS]; /* y NaN: no point there */
};

struct plot {
    const char *title, *x, *y; /* x, y: labels of the axes */
    int log_x, log_y;          /* logarithmic: values above 0 */
    int ncurves;
    struct plot_curve curve[PLOT_CURVES];
};

/* Add a point to a curve. */
void plot_add(struct plot_curve *c, double x, double y);

/* Write rank 0's plot. All ranks call. 0, or -1 after a message, on all
 * ranks. */
int plot_write(const struct plot *p, const struct lab_run *r, const char *path);

#endif
