/*
 * heatmap.h: a matrix of bandwidths as a picture
 */
#ifndef COMMLAB_COMMGRAPH_HEATMAP_H
#define COMMLAB_COMMGRAPH_HEATMAP_H

#include <stdio.h>

/*
 * An SVG of n x n cells, from row to column. Each cell shows its number and a
 * shade, which is darker for larger numbers. Shades follow the logarithm, since
 * links differ by factors. The diagonal is left out. Returns 0, or -1 if f
 * can't be written.
 */
int heatmap_svg(FILE *f, const char *title, const double *at, int n);

#endif
