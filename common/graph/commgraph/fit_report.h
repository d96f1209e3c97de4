/*
 * fit_report.h: a fit in words and as a picture
 */
#ifndef COMMLAB_COMMGRAPH_FIT_REPORT_H
#define COMMLAB_COMMGRAPH_FIT_REPORT_H

#include "topo/fit/fit.h"

/* Print errors by file, the fitted values, the rows that don't fit, and what
 * they usually mean. */
void fit_report(const struct fit *f);

/* Draw measured times as dots and fitted ones as lines, by size. Returns 0, or
 * -1 if f can't be written. */
int fit_svg(const struct fit *fit, FILE *f);

/* Print a line about a row that takes longer than the next, larger one
 * (nccltests_is_sick()); print nothing for other rows. */
void fit_print_sick(const char *file, const struct nccltests_row *row,
                    const struct nccltests_row *next);

/* What it usually means that large sizes take `factor` times as long as they
 * should, between nodes (across) or inside one. */
const char *fit_advice(double factor, int across);

/* Write "512 B", "64 KiB", "1.5 GiB" to out, and return it. */
const char *fit_size(uint64_t nbytes, char out[24]);

#endif
