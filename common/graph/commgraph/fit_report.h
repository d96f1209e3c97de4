/*
 * fit_report.h: a fit in words and as a picture
 */
#ifndef COMMLAB_COMMGRAPH_FIT_REPORT_H
#define COMMLAB_COMMGRAPH_FIT_REPORT_H

#include "topo/fit.h"

/* Errors by file, the values that were fitted, the rows that don't fit, and
 * what they usually mean. */
void fit_report(const struct fit *f);

/* Measured times as dots, fitted ones as lines, by size. 0, or -1 if f can't be
 * written. */
int fit_svg(const struct fit *fit, FILE *f);

/* A line on a row that takes longer than the next, larger one
 * (nccltests_is_sick()); nothing about others. */
void fit_print_sick(const char *file, const struct nccltests_row *row,
                    const struct nccltests_row *next);

/* What it usually means if large sizes take `factor` times as long as they
 * should, between nodes or inside one. */
const char *fit_advice(double factor, int across);

/* "512 B", "64 KiB", "1.5 GiB" into out, which is returned. */
const char *fit_size(uint64_t nbytes, char out[24]);

#endif
