/*
 * html.h: what the pages of a class' site have in common
 *
 * Static pages, without scripts, readable on a phone and in print; colours
 * follow the reader's setting. All text goes through html_text().
 */
#ifndef GRADER_HTML_H
#define GRADER_HTML_H

#include <stdio.h>

#include "export.h"

void html_begin(FILE *f, const char *title);
void html_end(FILE *f);

/* A person's or a program's words, made harmless. */
void html_text(FILE *f, const char *text);

/* "pass", in the colour of an outcome. */
void html_outcome(FILE *f, const char *outcome);

/* Points, without a needless ".00". */
void html_points(FILE *f, double points);

/* A bar of parts, as wide as its column: counts of pass, partial, fail, and
 * those that were not written. */
void html_bar(FILE *f, const int count[4]);

/* How many students have how many points: a histogram. */
void html_histogram(FILE *f, const struct export *e);

#endif
